// @module-tag long

import { UUID } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TcpProxy } from '../../support/peers/proxy.ts';
import { exportOf, type SentFile, zipOf } from '../../support/samples/archives.ts';
import { prepareImport, untilImport } from '../../support/server/imports.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../../support/server/server.ts';
import { startSlow } from '../../support/server/slow-server.ts';
import { CV, pdfOf } from '../../support/server/uploads.ts';

// A server whose statement is held in the network, and reaches MongoDB when another server has
// finished the import of the archive, or a person was erased.

const TIMES = { ...QUICK_JOBS, importWritesEndMs: 100 };

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
  ({ sourceAppId: app } = await main.admin.buildApp({ fields: [CV] }));
  ({ proxy, slow } = await startSlow({}, main.database, TIMES));
});
afterEach(async () => {
  proxy.restore();
  await next?.close();
  next = undefined;
  await slow.close();
});

const EMAILS = ['a@example.com', 'b@example.com', 'c@example.com'];
const archiveOf = (fill: number): Promise<Buffer> =>
  zipOf(
    exportOf(
      Object.fromEntries(
        EMAILS.map((email, index): [string, SentFile[]] => [
          email,
          [{ id: new UUID().toString(), name: `${index}.pdf`, content: pdfOf(10_000 + index, fill) }],
        ]),
      ),
    ),
  );

/** Starts an import of which the first statement of that kind is held; everything else stalls. */
async function startHeld(archive: Buffer, command: string, collection: string) {
  const held = proxy.holdNext(command, collection);
  const id = await prepareImport(main.admin, app, archive, { format: 'zip' });
  await main.admin.post(`/auth/imports/${id}/start?sourceAppId=${app}`).expect(200);
  const forward = await held;
  proxy.stall();
  return { id, forward };
}

async function takeOver(id: string) {
  next = await startServer({}, main.database, TIMES);
  return untilImport(main.admin, app, id);
}

/** What the records name, and what is stored whole. */
async function files() {
  // Without the events, which are relayed at any time.
  const options = { sort: { email: 1 }, projection: { outbox: 0 } } as const;
  const records = await main.db.collection('users').find({ sourceAppId: app }, options).toArray();
  const { _id: appId } = (await main.db.collection('apps').findOne({ sourceAppId: app })) ?? {};
  const whole = { 'metadata.appId': appId, 'metadata.state': 'whole' };
  const stored = await main.db.collection('files.files').find(whole).toArray();
  return {
    records,
    named: records.flatMap(({ data }) => (data.cv ?? []).map(({ id }: { id: string }) => id)).sort(),
    stored: stored.map(({ _id }) => String(_id)),
  };
}

/** What nothing names is removed when its time is over. */
async function expectOnly(named: readonly string[]): Promise<void> {
  const past = new Date(0);
  const times = { 'metadata.expiresAt': past, 'metadata.checkAt': past };
  await main.db.collection('files.files').updateMany({}, { $set: times });
  const claims = { 'metadata.claim': { $exists: true } };
  await main.db.collection('files.files').updateMany(claims, { $set: { 'metadata.claim.until': past } });
  await expect.poll(async () => (await files()).stored.sort(), { timeout: 20_000 }).toEqual([...named].sort());
}

it.each([
  ['the insert of a record', 'into', 'users'],
  ['a chunk of its file', 'into', 'files.chunks'],
  ['the length of its file', 'update', 'files.files'],
])(
  '%s that arrives after another server has finished doubles nothing',
  async (_, command, collection) => {
    const { id, forward } = await startHeld(await archiveOf(1), command, collection);
    const result = await takeOver(id);
    const before = await files();
    await forward();
    expect(result).toMatchObject({ state: 'completed', read: 3, created: 3, rejected: 0 });
    const after = await files();
    expect(after.records).toEqual(before.records);
    expect(after.named).toHaveLength(3);
    await expectOnly(after.named);
  },
  120_000,
);

it('an update that arrives late does not bring replaced files back', async () => {
  const first = await prepareImport(slow.admin, app, await archiveOf(1), { format: 'zip' });
  await slow.admin.post(`/auth/imports/${first}/start?sourceAppId=${app}`).expect(200);
  await untilImport(slow.admin, app, first);
  const { id, forward } = await startHeld(await archiveOf(2), 'update', 'users');
  expect(await takeOver(id)).toMatchObject({ state: 'completed', updated: 3 });
  const { records, named } = await files();
  await forward();
  expect((await files()).records).toEqual(records);
  await main.db.collection('users').updateMany({ sourceAppId: app }, { $set: { history: [] } });
  await expectOnly(named);
}, 120_000);

it('an insert that arrives after the erasure of its person stores nothing of them', async () => {
  const { id, forward } = await startHeld(await archiveOf(1), 'into', 'users');
  const scope = `sourceAppId=${app}`;
  await main.admin.post(`/auth/people/erase?${scope}`, { email: EMAILS[0] }).expect(200);
  await forward();
  proxy.restore();
  expect(await untilImport(main.admin, app, id)).toMatchObject({ state: 'failed', created: 0 });
  const { records } = await files();
  expect(records.map(({ email }) => email)).not.toContain(EMAILS[0]);
  expect(await main.db.collection('import_chunks').countDocuments()).toBe(0);
  await expectOnly(records.flatMap(({ data }) => data.cv.map(({ id: file }: { id: string }) => file)));
}, 120_000);
