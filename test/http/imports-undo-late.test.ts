// @module-tag long

import { ObjectId } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { DEADLINE_MS } from '../../src/platform/http/deadline.ts';
import { untilDatabaseTime } from '../support/clock/database-time.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { beginUndo, runImport, untilUndone } from '../support/server/imports.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';
import { storePeople } from '../support/server/stored-people.ts';

// A server whose statement of an undo is held in the network, and reaches MongoDB when another
// server has taken the undo over.

const CHANGED = 300;
const CREATED = 300;
const ALL = CHANGED + CREATED;

/** Runs no jobs, so that it takes nothing over. */
let main: TestServer;
/** Imports. Ends before the undo. */
let importer: TestServer;
let proxy: TcpProxy;
let slow: TestServer;
let next: TestServer | undefined;
let app: string;
let id: string;

beforeAll(async () => {
  main = await startServer();
  await main.services.jobs.stop();
});
afterAll(() => main.close());
beforeEach(async () => {
  ({ sourceAppId: app } = await main.admin.buildApp({ fields: [{ key: 'n', kind: 'number' }] }));
  await storePeople(main, app, CHANGED, (n) => ({ n }));
  importer = await startServer({}, main.database);
  const lines = Array.from({ length: ALL }, (_, n) => `p${n}@x.org,${n + 1_000}`);
  const done = await runImport(main.admin, app, `email,n\n${lines.join('\n')}\n`);
  expect(done).toMatchObject({ updated: CHANGED, created: CREATED });
  ({ id } = done);
  await importer.close();
  ({ proxy, slow } = await startSlow({}, main.database));
});
afterEach(async () => {
  proxy.restore();
  await next?.close();
  next = undefined;
  await slow.close();
});

const users = () => main.db.collection('users');
const records = () => users().find({ sourceAppId: app }).toArray();
const stored = () => main.db.collection('imports').findOne({ _id: new ObjectId(id) });

/** Begins the undo, of which one statement is held; everything else of that server stalls. */
async function hold(command: string, collection: string): Promise<() => Promise<void>> {
  const held = proxy.holdNext(command, collection);
  await beginUndo(main.admin, app, id);
  const forward = await held;
  proxy.stall();
  return forward;
}

async function takeOver() {
  next = await startServer({}, main.database);
  return untilUndone(main.admin, app, id);
}

/** All records are as before the import, and each one that it changed was reverted once. */
async function expectUndone(): Promise<void> {
  const found = await records();
  expect(found).toHaveLength(CHANGED);
  for (const { email, data, revision } of found) {
    expect({ email, data, revision }).toEqual({ email, data: { n: Number(email.match(/\d+/)?.[0]) }, revision: 2 });
  }
}

const WHOLE = { state: 'completed', done: ALL, restored: CHANGED, erased: CREATED, kept: 0 };

it.each([
  ['claim', 'findAndModify', 'imports', 0],
  ['begin of a batch', 'findAndModify', 'imports', 1],
  ['results', 'findAndModify', 'imports', 2],
  ['erasure', 'delete', 'users', 0],
  ['restored values', 'update', 'users', 0],
] as const)('counts each record once when another server goes on before a late %s', async (_, command, of, after) => {
  let forward = await hold(command, of);
  for (let count = 0; count < after; count += 1) {
    const held = proxy.holdNext(command, of);
    proxy.restore();
    await forward();
    forward = await held;
    proxy.stall();
  }
  expect(await takeOver()).toEqual(WHOLE);
  await expectUndone();
  await forward();
  proxy.restore();
  await expectUndone();
  expect((await stored())?.undo).toMatchObject({ restored: CHANGED, erased: CREATED, kept: 0 });
});

it('a late erasure erases nobody who came back, and nothing that the next run kept', async () => {
  const forward = await hold('delete', 'users');
  // While the batch is held, a person submits with an earlier time: only a value changes.
  const [one] = await users().find({ sourceAppId: app, 'import.result': 'created' }).sort({ _id: -1 }).toArray();
  await users().updateOne({ _id: one?._id as ObjectId }, { $set: { 'data.n': 7 } });
  expect(await takeOver()).toEqual({ ...WHOLE, erased: CREATED - 1, kept: 1 });
  const back = await main.client.submit(app, { email: `p${ALL - 2}@x.org`, data: { n: 1 } }).expect(200);
  await forward();
  expect(await users().countDocuments({ sourceAppId: app })).toBe(CHANGED + 2);
  expect(await users().findOne({ _id: one?._id as ObjectId })).toMatchObject({ data: { n: 7 } });
  expect(back.status).toBe(200);
});

it('a late restore changes nothing that the next run kept: the schema refused it meanwhile', async () => {
  const forward = await hold('update', 'users');
  const fields = [{ key: 'n', kind: 'number', min: 1_000 }];
  await main.admin.put(`/auth/apps/${app}/schema`, { rejectUnknown: false, fields }).expect(200);
  const done = await takeOver();
  expect(done).toMatchObject({ done: ALL, erased: CREATED });
  const restored = (await records()).filter(({ data }) => data.n < 1_000);
  expect(restored).toHaveLength(done?.restored ?? -1);
  await forward();
  expect((await records()).filter(({ data }) => data.n < 1_000)).toHaveLength(restored.length);
});

it('a late run writes nothing after the deletion of the import', async () => {
  const forward = await hold('findAndModify', 'imports');
  await main.admin.delete(`/auth/imports/${id}?sourceAppId=${app}`).expect(200);
  await forward();
  proxy.restore();
  expect(await users().countDocuments({ sourceAppId: app })).toBe(ALL);
  for (const { revision = 0 } of await records()) expect(revision).toBeLessThan(2);
});

it('an undo that is stored late does not begin', async () => {
  const held = proxy.holdNext('findAndModify', 'imports');
  const begun = slow.admin.post(`/auth/imports/${id}/undo?sourceAppId=${app}`).then(({ status }) => status);
  const forward = await held;
  await untilDatabaseTime(main, Date.now() + DEADLINE_MS);
  await forward();
  expect(await begun).toBe(503);
  expect((await stored())?.undo).toBeUndefined();
});
