// @module-tag long

import { setTimeout as sleep } from 'node:timers/promises';
import { UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LEASE_MS } from '../../src/core/apps/revision.ts';
import type { UserDocument } from '../../src/core/users/users.model.ts';
import { LATE_WRITE_ENDS_MS } from '../../src/platform/database/lateness.ts';
import { appDocument, emailsBySlot, expectSlotsOfRecords, untilReady } from '../support/database/index-slots.ts';
import { withLateWrites } from '../support/database/late-writes.ts';
import { databaseUri, Leftovers, ServerProcess } from '../support/server/process.ts';
import { ADMIN_PASSWORD, FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { storePeople } from '../support/server/stored-people.ts';

const BUILD_TIMEOUT_MS = 120_000;
const POLL = { timeout: 60_000, interval: 20 };
const PLAN = { key: 'plan', kind: 'text', indexed: true } as const;

const leftovers = new Leftovers();
let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, { ...FULL_LEASES, writesEndMs: 300 });
});
afterAll(async () => {
  await leftovers.clear();
  await server.close();
});

/** Waits until every server knows the slot of an app, and ends the wait for late writes. */
async function endWait(sourceAppId: string): Promise<void> {
  const known = async () => (await appDocument(server, sourceAppId)).slots?.[0]?.knownAt;
  await expect.poll(known, POLL).toBeDefined();
  const update = { $set: { 'slots.0.knownAt': new Date(Date.now() - LATE_WRITE_ENDS_MS) } };
  await server.db.collection('apps').updateOne({ sourceAppId }, update);
}

describe('The build of an index', () => {
  it(
    'continues at its position when its server was killed',
    async () => {
      const { sourceAppId } = await server.admin.buildApp({ fields: [] });
      await storePeople(server, sourceAppId, 10_000, (n) => ({ plan: `P${n}` }));
      // This server takes no part until the other one is dead.
      await server.services.jobs.stop();
      const killed = leftovers.keep(
        new ServerProcess(
          { MONGODB_URI: databaseUri(server.database), SESSION_SECRET: 'a secret of the tests', ADMIN_PASSWORD },
          [process.execPath, 'dist/server.js'],
        ),
      );
      await killed.url();
      await server.admin.putSchema(sourceAppId, { fields: [PLAN] }).expect(200);
      await endWait(sourceAppId);
      const done = async () => (await appDocument(server, sourceAppId)).slots?.[0]?.done ?? 0;
      await expect.poll(done, POLL).toBeGreaterThan(0);
      await killed.end('SIGKILL');
      const doneBefore = await done();
      expect((await appDocument(server, sourceAppId)).slots).toMatchObject([{ state: 'building' }]);
      await server.client.submit(sourceAppId, { email: 'p9@x.org', data: { plan: 'Gold' } }).expect(200);

      const next = await startServer({}, server.database, { ...FULL_LEASES, writesEndMs: 300 });
      const progress: number[] = [];
      const watch = setInterval(async () => progress.push(await done()), 20);
      try {
        await untilReady(next, sourceAppId, ['plan']);
      } finally {
        clearInterval(watch);
        await next.close();
      }
      // The progress never went back, and each record was counted once.
      for (const count of progress) expect(count).toBeGreaterThanOrEqual(doneBefore);
      expect((await appDocument(server, sourceAppId)).slots).toMatchObject([{ done: 10_000, total: 10_000 }]);
      expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(10_000);
      expect(await emailsBySlot(server, sourceAppId, 'plan', 'gold')).toEqual(['p9@x.org']);
    },
    BUILD_TIMEOUT_MS,
  );
});

/** The time that the network holds an insert whose server stops meanwhile. */
const HELD_MS = 13_000;

it(
  'An insert that the network held, of a server that did not know an index, is found by where and q',
  async () => {
    // With the waits of production.
    const own = await startServer({}, undefined, FULL_LEASES);
    onTestFinished(() => own.close());
    const { sourceAppId } = await own.admin.buildApp({ fields: [{ key: 'plan', kind: 'text' }] });
    await own.client.submit(sourceAppId, { email: 'early@x.org', data: { plan: 'Gold' } }).expect(200);
    await own.admin.putSchema(sourceAppId, { fields: [PLAN] }).expect(200);
    await own.admin.put(`/auth/apps/${sourceAppId}/search`, { enabled: true }).expect(200);
    const isKnown = async () => {
      const { slots, words } = await appDocument(own, sourceAppId);
      return slots?.[0]?.knownAt !== undefined && words?.knownAt !== undefined;
    };
    await expect.poll(isKnown, POLL).toBe(true);
    await sleep(HELD_MS);
    const { _id: appId } = await appDocument(own, sourceAppId);
    const now = new Date();
    const late = { appId, sourceAppId, schemaVersion: 1, createdAt: now, updatedAt: now };
    await own.db
      .collection<UserDocument>('users')
      .insertOne({ ...late, _id: new UUID(), email: 'late@x.org', data: { plan: 'Gold' } });
    const found = async (by: TestServer, query: string) => {
      const { body } = await by.admin.get(`/auth/users?sourceAppId=${sourceAppId}&${query}`).expect(200);
      const emails = body.users.map(({ email }: { email: string }) => email).sort();
      return { emails, complete: body.complete };
    };
    const expectBoth = async (by: TestServer): Promise<void> => {
      for (const query of ['where=data.plan:eq:Gold', 'q=gold']) {
        expect(await found(by, query)).toEqual({ emails: ['early@x.org', 'late@x.org'], complete: true });
      }
    };
    await expectBoth(own);
    await own.services.jobs.stop();
    const next = await startServer({}, own.database, { ...FULL_LEASES, writesEndMs: 0 });
    onTestFinished(() => next.close());
    await untilReady(next, sourceAppId, ['plan']);
    await expect.poll(async () => (await appDocument(own, sourceAppId)).words?.state, POLL).toBe('ready');
    await expectBoth(next);
  },
  BUILD_TIMEOUT_MS,
);

it('An index of an app without records is ready soon, and a late insert is found', async () => {
  // With the waits of production.
  const own = await startServer({}, undefined, FULL_LEASES);
  onTestFinished(() => own.close());
  const { sourceAppId } = await own.admin.buildApp({ fields: [PLAN] });
  await own.admin.put(`/auth/apps/${sourceAppId}/search`, { enabled: true }).expect(200);
  const states = async () => {
    const [slots, words] = await Promise.all(
      ['indexes', 'search'].map((name) => own.admin.get(`/auth/apps/${sourceAppId}/${name}`).expect(200)),
    );
    return [slots?.body, words?.body];
  };
  await expect
    .poll(states, POLL)
    .toEqual([
      [{ key: 'plan', state: 'ready', done: 0, total: 0 }],
      { enabled: true, state: 'ready', done: 0, total: 0 },
    ]);
  const { _id: appId } = await appDocument(own, sourceAppId);
  const now = new Date();
  const record = { _id: new UUID(), appId, sourceAppId, email: 'late@x.org', data: { plan: 'Gold' } };
  await own.db
    .collection<UserDocument>('users')
    .insertOne({ ...record, schemaVersion: 1, createdAt: now, updatedAt: now });
  await own.client.submit(sourceAppId, { email: 'new@x.org', data: { plan: 'Gold' } }).expect(200);
  for (const query of ['where=data.plan:eq:Gold', 'q=gold', 'sort=data.plan']) {
    const { body } = await own.admin.get(`/auth/users?sourceAppId=${sourceAppId}&${query}`).expect(200);
    expect(body.users.map(({ email }: { email: string }) => email).sort()).toEqual(['late@x.org', 'new@x.org']);
    expect(body.complete).toBe(true);
  }
  // The build follows, after the last late insert.
  await own.services.jobs.stop();
  const next = await startServer({}, own.database, { ...FULL_LEASES, writesEndMs: 0 });
  onTestFinished(() => next.close());
  await untilReady(next, sourceAppId, ['plan']);
  expect(await emailsBySlot(next, sourceAppId, 'plan', 'gold')).toEqual(['late@x.org', 'new@x.org']);
  expect((await appDocument(next, sourceAppId)).slots?.[0]).not.toHaveProperty('isEmpty');
});

describe('A write that takes effect after its lease and after the build', () => {
  const servers = withLateWrites(() => server.database);

  /** Resolves with the schema versions under which the late writes were made, if both were. */
  async function writeLate(delay: number): Promise<number[]> {
    const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'plan', kind: 'text' }] });
    const submit = (email: string, plan: string) => servers.slow.client.submit(sourceAppId, { email, data: { plan } });
    for (const email of ['old@x.org', 'a@x.org', 'b@x.org', 'c@x.org']) await submit(email, 'Early').expect(200);
    // A lease that begins now covers the late writes.
    await sleep(LEASE_MS);
    await submit('c@x.org', 'Early').expect(200);
    servers.proxy.stall();
    const late = ['old@x.org', 'new@x.org'].map((email) => submit(email, 'Late').then(({ status }) => status));
    await sleep(50); // the writes are on their way
    await server.admin.putSchema(sourceAppId, { fields: [PLAN] }).expect(200);
    await untilReady(servers.builder, sourceAppId, ['plan']);
    await sleep(delay);
    servers.proxy.restore();
    for (const status of await Promise.all(late)) expect([200, 503]).toContain(status);
    await sleep(500);
    const records = await server.db.collection('users').find({ sourceAppId, 'data.plan': 'Late' }).toArray();
    if (records.length < 2) return [];
    const found = () => emailsBySlot(server, sourceAppId, 'plan', 'late');
    await expect.poll(found, POLL).toEqual(['new@x.org', 'old@x.org']);
    expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(5);
    return records.map(({ schemaVersion }) => schemaVersion);
  }

  // Within the time limit of a write, and after its server has given it up.
  it.each([0, 4_000])(
    'gets its slot when it is delayed by %i ms beyond the build',
    async (delay) => {
      // The lease may end between the stall and the submission, which then waits for a new one.
      const isLate = async () => String(await writeLate(delay)) === '2,2';
      for (let attempt = 0; attempt < 8; attempt += 1) if (await isLate()) return;
      expect.fail('no write was late');
    },
    BUILD_TIMEOUT_MS,
  );
});
