// @module-tag long

import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { untilDatabaseTime } from '../support/clock/database-time.ts';
import { randomName } from '../support/database/databases.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { Client } from '../support/server/client.ts';
import { databaseUri, Leftovers, ServerProcess } from '../support/server/process.ts';
import { ADMIN_PASSWORD, FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const POLL = { timeout: 30_000, interval: 50 };
const SHORT = { retentionEveryMs: 300 };
const newId = createOrderedIds();

const running: TestServer[] = [];
const leftovers = new Leftovers();
afterAll(() => leftovers.clear());
afterEach(async () => {
  for (const server of running.splice(0).reverse()) await server.close();
});

async function start(database: string, options = SHORT): Promise<TestServer> {
  const server = await startServer({}, database, { ...FULL_LEASES, ...options });
  running.push(server);
  return server;
}

/** Stores records that were created and updated so many days ago. */
async function store(server: TestServer, sourceAppId: string, count: number, created: number, updated = created) {
  const { _id } = await appDocument(server, sourceAppId);
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
  const records = Array.from({ length: count }, (_, n) => ({
    _id: newId(ago(created)),
    appId: _id,
    sourceAppId,
    email: `u${created}-${updated}-${n}@x.org`,
    data: {},
    schemaVersion: 1,
    createdAt: ago(created),
    updatedAt: ago(updated),
  }));
  await server.db.collection<(typeof records)[number]>('users').insertMany(records);
}

const count = (server: TestServer, sourceAppId: string) =>
  server.db.collection('users').countDocuments({ sourceAppId });

/** The number of records that the servers say that they erased. */
function erasedBy(servers: TestServer[]): number {
  const lines = servers.flatMap((server) => server.log().split('\n'));
  return lines
    .filter((line) => line.includes('erased records for their age'))
    .reduce((sum, line) => sum + JSON.parse(line).records, 0);
}

describe('The retention of an app', () => {
  it('erases older records, each once over two servers, and no other', async () => {
    const database = randomName();
    const [a, b] = [await start(database), await start(database)];
    const byUpdate = (await a.admin.buildApp()).sourceAppId;
    const byCreation = (await a.admin.buildApp()).sourceAppId;
    const kept = (await a.admin.buildApp()).sourceAppId;
    for (const app of [byUpdate, byCreation, kept]) {
      await store(a, app, 2_300, 40);
      await store(a, app, 1_200, 40, 5);
      await store(a, app, 200, 29);
    }
    await a.client.submit(byUpdate, { email: 'u40-40-7@x.org' }).expect(200);
    await a.admin.put(`/auth/apps/${byUpdate}/retention`, { days: 30, basis: 'updatedAt' }).expect(200);
    await b.admin.put(`/auth/apps/${byCreation}/retention`, { days: 30, basis: 'createdAt' }).expect(200);
    await expect.poll(() => count(a, byUpdate), POLL).toBe(1_401);
    await expect.poll(() => count(a, byCreation), POLL).toBe(200);
    expect(await count(a, kept)).toBe(3_700);
    const left = await a.db
      .collection('users')
      .find({ sourceAppId: byUpdate, email: /^u40-40/ })
      .toArray();
    expect(left.map(({ email }) => email)).toEqual(['u40-40-7@x.org']);
    await expect.poll(() => erasedBy([a, b]), POLL).toBe(2_299 + 3_500);
    // It continues: a record grows old.
    await store(b, byCreation, 3, 31);
    await expect.poll(() => count(a, byCreation), POLL).toBe(200);
    await b.admin.put(`/auth/apps/${byCreation}/retention`).send('null').type('json').expect(200);
    const done = a.services.jobs.states().concat(b.services.jobs.states());
    expect(done.filter(({ name, failures }) => name === 'retention' && failures > 0)).toEqual([]);
  });

  it('continues after a restart, and on another server', async () => {
    const database = randomName();
    const first = await start(database, { retentionEveryMs: 3_600_000 });
    const { sourceAppId } = await first.admin.buildApp();
    await first.admin.put(`/auth/apps/${sourceAppId}/retention`, { days: 1, basis: 'createdAt' }).expect(200);
    await store(first, sourceAppId, 6_000, 2);
    first.services.jobs.wake('retention');
    await expect.poll(() => count(first, sourceAppId), { ...POLL, interval: 2 }).toBeLessThan(6_000);
    await first.close();
    running.splice(0);
    const second = await start(database);
    second.services.jobs.wake('retention');
    await expect.poll(() => count(second, sourceAppId), POLL).toBe(0);
  });

  it('erases nothing while the clock of the server is wrong, which says so in its log, /ready and metrics', async () => {
    const database = randomName();
    const server = await start(database, { retentionEveryMs: 3_600_000 });
    await server.services.jobs.stop();
    const { sourceAppId } = await server.admin.buildApp();
    await store(server, sourceAppId, 50, 0);
    await store(server, sourceAppId, 3, 40);
    await server.admin.put(`/auth/apps/${sourceAppId}/retention`, { days: 30, basis: 'createdAt' }).expect(200);
    await server.db.collection('jobs').deleteOne({ _id: 'retention' as never });
    const ahead = leftovers.keep(
      new ServerProcess(
        {
          MONGODB_URI: databaseUri(database),
          SESSION_SECRET: 'a secret of the tests',
          ADMIN_PASSWORD,
          METRICS_TOKEN: 'a-token-of-the-metrics',
          CLOCK_SHIFT_MS: String(400 * DAY_MS),
        },
        [process.execPath, '--import', './test/support/clock/shifted-clock.mjs', 'dist/server.js'],
      ),
    );
    const url = await ahead.url();
    const ran = () => server.db.collection('jobs').findOne({ _id: 'retention' as never, owner: '' });
    await expect.poll(ran, POLL).not.toBeNull();
    expect(await count(server, sourceAppId)).toBe(53);
    // A server writes its log once a second.
    await expect.poll(() => ahead.stdout, POLL).toContain('no records are erased for their age');
    const ready = await fetch(`${url}/ready`);
    expect(ready.status).toBe(200);
    const text = `The clock of this server is ${400 * 24 * 3_600} seconds ahead of the clock of the database.`;
    expect(((await ready.json()) as { warnings: string[] }).warnings).toEqual([expect.stringContaining(text)]);
    const headers = { authorization: 'Bearer a-token-of-the-metrics' };
    const metrics = await (await fetch(`${url}/metrics`, { headers })).text();
    expect(metrics).toMatch(/^clock_difference_seconds 345(60|59)\d/m);
    await ahead.end();
    // A server whose clock is right continues.
    expect((await server.client.get('/ready').expect(200)).body).toEqual({ status: 'ready' });
    const right = await start(database);
    right.services.jobs.wake('retention');
    await expect.poll(() => count(server, sourceAppId), POLL).toBe(50);
  }, 60_000);

  it('erases nothing by a statement that arrives long after the setting was read', async () => {
    const database = randomName();
    const other = await start(database, { retentionEveryMs: 3_600_000 });
    const { proxy, slow } = await startSlow({}, database, { retentionEveryMs: 3_600_000 });
    try {
      const { sourceAppId } = await other.admin.buildApp();
      await store(other, sourceAppId, 20, 40);
      const path = `/auth/apps/${sourceAppId}/retention`;
      await other.admin.put(path, { days: 30, basis: 'updatedAt' }).expect(200);
      const held = proxy.holdNext('delete', 'users');
      slow.services.jobs.wake('retention');
      const forward = await held;
      await other.admin.put(path).send('null').type('json').expect(200);
      // A step that came too late fails, and is repeated.
      const failures = () => slow.services.jobs.states().find(({ name }) => name === 'retention')?.failures;
      expect(failures()).toBe(0);
      await untilDatabaseTime(other, Date.now() + 11_000);
      await forward();
      await expect.poll(failures, POLL).toBe(1);
      expect(await count(other, sourceAppId)).toBe(20);
    } finally {
      await slow.close();
    }
  });

  it('is not replaced by an update that arrives after a later one', async () => {
    const database = randomName();
    const other = await start(database, { retentionEveryMs: 3_600_000 });
    const { proxy, slow } = await startSlow({}, database, { retentionEveryMs: 3_600_000 });
    try {
      const { sourceAppId } = await other.admin.buildApp();
      const path = `/auth/apps/${sourceAppId}/retention`;
      const held = proxy.holdNext('update', 'apps');
      const late = slow.admin.put(path, { days: 1, basis: 'createdAt' }).then(({ status }) => status);
      const forward = await held;
      await other.admin.put(path, { days: 900, basis: 'createdAt' }).expect(200);
      await forward();
      expect([409, 503]).toContain(await late);
      expect((await other.admin.get(path).expect(200)).body).toEqual({ days: 900, basis: 'createdAt' });
    } finally {
      await slow.close();
    }
  });

  it('is set by the operators of the app and by admins', async () => {
    const server = await start(randomName());
    const own = await server.admin.buildApp();
    const other = await server.admin.buildApp();
    const path = `/auth/apps/${own.sourceAppId}/retention`;
    const operator = await new Client(server.client.url).logIn(own.sourceAppId, own.password);
    const foreign = await new Client(server.client.url).logIn(other.sourceAppId, other.password);
    const retention = { days: 365, basis: 'updatedAt' };
    expect((await operator.get(path).expect(200)).body).toBeNull();
    expect((await operator.put(path, retention).expect(200)).body).toEqual(retention);
    expect((await server.admin.get(path).expect(200)).body).toEqual(retention);
    for (const client of [foreign, server.client]) {
      const status = client === foreign ? 403 : 401;
      await client.get(path).expect(status);
      await client.put(path, retention).expect(status);
    }
    for (const wrong of [{ days: 0, basis: 'createdAt' }, { days: 1.5, basis: 'createdAt' }, { days: 1 }, {}, [], 5]) {
      await operator.put(path).send(JSON.stringify(wrong)).type('json').expect(400);
    }
    await operator.put(path, { days: 1, basis: 'email' }).expect(400);
    await server.admin.get('/auth/apps/no-such-app/retention').expect(404);
    await server.admin.put('/auth/apps/no-such-app/retention', retention).expect(404);
    expect((await operator.put(path).send('null').type('json').expect(200)).body).toBeNull();
    expect((await appDocument(server, own.sourceAppId)).retention).toBeUndefined();
  });
});
