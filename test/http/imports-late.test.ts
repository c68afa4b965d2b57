// @module-tag long

import { type Document, ObjectId } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { untilDatabaseTime } from '../support/clock/database-time.ts';
import { appDocument } from '../support/database/index-slots.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { linesIn, prepareImport, rejectsOf, untilImport } from '../support/server/imports.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

// A server whose statement is held in the network, and reaches MongoDB when another server has
// finished the import.

/** Three batches: one is held, and two are left to the other server. */
const LINES = 1_500;
const BATCH = 500;
const TIMES = { importWritesEndMs: 100 };
const FIELDS = [
  { key: 'n', kind: 'number' as const },
  { key: 'items', kind: 'array' as const },
];
const EMAILS = Array.from({ length: LINES }, (_, index) => `p${index}@example.com`);

/** Runs no jobs, so that it takes nothing over. */
let main: TestServer;
let proxy: TcpProxy;
let slow: TestServer;
let next: TestServer | undefined;
let app: string;

beforeAll(async () => {
  main = await startServer();
  await main.services.jobs.stop();
});
afterAll(() => main.close());
beforeEach(async () => {
  ({ sourceAppId: app } = await main.admin.buildApp({ fields: FIELDS }));
  ({ proxy, slow } = await startSlow({}, main.database, TIMES));
});
afterEach(async () => {
  proxy.restore();
  await next?.close();
  next = undefined;
  await slow.close();
});

/** Line N of the file, from 2, is of person N - 2. */
const fileOf = (emails = EMAILS): string =>
  `email,data.n,data.items\n${emails.map((email, index) => `${email},${index},${index + 2}\n`).join('')}`;

async function start(content: string): Promise<string> {
  const id = await prepareImport(main.admin, app, content);
  await main.admin.post(`/auth/imports/${id}/start?sourceAppId=${app}`).expect(200);
  return id;
}

/** Starts an import of which the first statement of that kind is held; everything else stalls. */
async function startHeld(content: string, command: string, collection: string) {
  const held = proxy.holdNext(command, collection);
  const id = await start(content);
  const forward = await held;
  proxy.stall();
  return { id, forward };
}

const runToEnd = async (content: string) => untilImport(main.admin, app, await start(content));

/** Starts a server that takes over what the slow one does not go on with. */
async function takeOver(id: string) {
  next = await startServer({}, main.database, TIMES);
  return untilImport(main.admin, app, id);
}

const records = () => main.db.collection('users').find({ sourceAppId: app }).toArray();
const itemsOf = (data: { items?: { value: string }[] }): string[] => (data.items ?? []).map(({ value }) => value);
const erase = (email: string) =>
  main.admin.post(`/auth/people/erase?sourceAppId=${app}`, { email, suppress: true }).expect(200);

it('a late insert brings no erased person back, and adds nothing to what was counted', async () => {
  const { id, forward } = await startHeld(fileOf(), 'into', 'users');
  const erased = EMAILS.slice(0, 5);
  await Promise.all(erased.map(erase));
  const result = await takeOver(id);
  await forward();
  const found = await records();
  expect(found.filter(({ email }) => erased.includes(email))).toEqual([]);
  expect(result).toMatchObject({ state: 'completed', read: LINES, created: LINES - 5, rejected: 5 });
  expect(found.flatMap(({ data }) => itemsOf(data))).toHaveLength(LINES - 5);
}, 120_000);

it('an insert that was held while a person was erased does not insert, without another server', async () => {
  const { id, forward } = await startHeld(fileOf(), 'into', 'users');
  const erased = EMAILS[7] ?? '';
  await erase(erased);
  await forward();
  expect(await main.db.collection('users').findOne({ sourceAppId: app, email: erased })).toBeNull();
  proxy.restore();
  const result = await untilImport(main.admin, app, id);
  expect(result).toMatchObject({ state: 'completed', read: LINES, created: LINES - 1, rejected: 1 });
  expect(await main.db.collection('users').findOne({ sourceAppId: app, email: erased })).toBeNull();
  expect((await records()).flatMap(({ data }) => itemsOf(data))).toHaveLength(LINES - 1);
}, 120_000);

it('a late update adds no item twice and replaces no newer value', async () => {
  await runToEnd(fileOf());
  const { id, forward } = await startHeld(fileOf(), 'update', 'users');
  expect(await takeOver(id)).toMatchObject({ state: 'completed', read: LINES, updated: LINES });
  // Another import replaces the marks of this one, and persons submit.
  const other = `email,data.items\n${EMAILS.map((email) => `${email},other\n`).join('')}`;
  expect(await runToEnd(other)).toMatchObject({ updated: LINES });
  const newer = EMAILS.slice(0, BATCH);
  for (const email of newer) await main.client.submit(app, { email, data: { n: -1 } }).expect(200);
  await forward();
  const found = await records();
  expect(found.filter(({ data, email }) => newer.includes(email) && data.n !== -1)).toEqual([]);
  expect(found.filter(({ data }) => itemsOf(data).length !== 3)).toEqual([]);
}, 120_000);

it('a late update does not apply lines that were rejected meanwhile', async () => {
  await runToEnd(`email\n${EMAILS.join('\n')}\n`);
  const { id, forward } = await startHeld(fileOf(), 'update', 'users');
  await main.admin.putSchema(app, { fields: [{ ...FIELDS[0], max: 0 } as never, FIELDS[1] as never] }).expect(200);
  const result = await takeOver(id);
  await forward();
  expect(result).toMatchObject({ state: 'completed', read: LINES });
  const rejected = linesIn(await rejectsOf(main.admin, app, id));
  expect(rejected).toHaveLength(result.rejected);
  const applied = (await records()).flatMap(({ data }) => itemsOf(data).map(Number));
  const all = [...applied, ...rejected].sort((one, other) => one - other);
  expect(all).toEqual(Array.from({ length: LINES }, (_, index) => index + 2));
}, 120_000);

it('lines whose rejection is stored late are not listed as rejected', async () => {
  const invalid = EMAILS.map((email) => `${email},x,1\n`).join('');
  const file = `email,data.n,data.items\n${invalid}`;
  const { id, forward } = await startHeld(file, 'into', 'import_rejects');
  await main.admin.putSchema(app, { fields: [{ key: 'n', kind: 'text' }, FIELDS[1] as never] }).expect(200);
  const result = await takeOver(id);
  await forward();
  expect(result).toMatchObject({ state: 'completed', read: LINES, rejected: 0, created: LINES });
  expect(linesIn(await rejectsOf(main.admin, app, id))).toEqual([]);
  expect(await main.db.collection('import_rejects').countDocuments({ appId: (await appDocument(main, app))._id })).toBe(
    0,
  );
}, 120_000);

it('nothing of a deleted import is inserted', async () => {
  const { id, forward } = await startHeld(fileOf(), 'into', 'users');
  const before = (await records()).length;
  await main.admin.delete(`/auth/imports/${id}?sourceAppId=${app}`).expect(200);
  await forward();
  expect(await records()).toHaveLength(before);
}, 120_000);

it('the file of an ended import stays when the import is restored before it is removed', async () => {
  const chunks = main.db.collection('import_chunks');
  const imports = main.db.collection('imports');
  const id = await prepareImport(main.admin, app, fileOf());
  const _id = new ObjectId(id);
  const backup = (await imports.findOne({ _id })) as Document;
  const held = proxy.holdNext('delete', 'import_chunks');
  await main.admin.post(`/auth/imports/${id}/start?sourceAppId=${app}`).expect(200);
  const forward = await held;
  await imports.replaceOne({ _id }, backup);
  await untilDatabaseTime(main, Date.now() + 11_000);
  await forward();
  expect(await chunks.countDocuments({ importId: _id })).toBe(1);
}, 120_000);
