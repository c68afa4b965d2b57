// @module-tag long
// @module-tag fault

import { ObjectId } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { Client } from '../support/server/client.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

// On a standalone mongod the driver does not retry writes, so the service sees each lost answer.
let proxy: TcpProxy;
let server: TestServer;
let other: TestServer;
beforeAll(async () => {
  ({ proxy, slow: server } = await startSlow({}, undefined, FULL_LEASES));
  other = await startServer({}, server.database, FULL_LEASES);
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await other.close();
  await server.close();
});

let created = 0;
const newId = () => {
  created += 1;
  return `made-${created}`;
};

/** Expects a complete app: it has a schema, accepts submissions and its password logs in. */
async function expectUsable(sourceAppId: string, password: string) {
  await other.admin.get(`/auth/apps/${sourceAppId}/schema`).expect(200);
  await other.client.submit(sourceAppId, { email: 'ada@example.org', data: { name: 'Ada' } }).expect(200);
  await new Client(other.client.url).logIn(sourceAppId, password);
  const stored = await other.db.collection('apps').findOne({ sourceAppId });
  expect(Object.keys(stored ?? {})).not.toEqual(expect.arrayContaining(['creating']));
  expect(await other.db.collection('schema_versions').countDocuments({ appId: stored?._id })).toBe(1);
}

/** Expects that the app is neither listed nor usable. */
async function expectNoApp(sourceAppId: string) {
  const { body } = await other.admin.get('/auth/apps').expect(200);
  expect(body.apps.map((app: { sourceAppId: string }) => app.sourceAppId)).not.toContain(sourceAppId);
  await other.admin.get(`/auth/apps/${sourceAppId}/schema`).expect(404);
  await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(404);
  await other.client.submit(sourceAppId, { email: 'ada@example.org' }).expect(400);
}

/** Inserts the app document of a creation that a server abandoned `age` ms ago. */
async function leaveUnconfirmed(sourceAppId: string, age: number, role = 'user') {
  const startedAt = new Date(Date.now() - age);
  const app = { _id: new ObjectId(), sourceAppId, role, passwordHash: 'x', credentialId: 'of the dead' };
  await other.db
    .collection('apps')
    .insertOne({ ...app, createdAt: startedAt, deletingSince: startedAt, creating: true });
  return app._id;
}

describe('the creation of an app is atomic (decision 14)', () => {
  it.each([
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 0],
    [1, 1],
    [2, 1],
    [1, 2],
    [2, 2],
    [1_000, 2],
  ])('returns 200 and a usable app when %i answers of the database are lost after %i writes', async (times, after) => {
    const sourceAppId = newId();
    proxy.withholdAnswers('cut', times, after);
    const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
    await expectUsable(sourceAppId, body.password);
  });

  it.each([0, 1, 2])(
    'returns 200 and a usable app when a connection stops answering after %i writes',
    async (after) => {
      const sourceAppId = newId();
      proxy.withholdAnswers('silent', 1, after);
      const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
      await expectUsable(sourceAppId, body.password);
    },
  );

  it.each([0, 1])(
    'returns 503 and creates no app when all answers are lost after %i writes, and a repeat creates it',
    async (after) => {
      const sourceAppId = newId();
      proxy.withholdAnswers('cut', 1_000, after);
      const first = await server.admin.post('/auth/apps', { sourceAppId });
      proxy.restore();
      expect(first.status).toBe(503);
      await expectNoApp(sourceAppId);
      const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
      await expectUsable(sourceAppId, body.password);
    },
  );

  it.each([0, 60_000])(
    'treats a creation that a server abandoned %i ms ago as no app, and the next creation replaces it',
    async (age) => {
      const sourceAppId = newId();
      await leaveUnconfirmed(sourceAppId, age);
      await expectNoApp(sourceAppId);
      const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
      await expectUsable(sourceAppId, body.password);
    },
  );

  it('removes an abandoned creation in the next sweep, but not one in progress', async () => {
    const [old, young] = [newId(), newId()];
    const appId = await leaveUnconfirmed(old, 120_000);
    await other.db.collection('schema_versions').insertOne({ appId, version: 1 });
    await leaveUnconfirmed(young, 0);
    await (await startServer({}, server.database, FULL_LEASES)).close();
    const left = other.db.collection('apps').find({ sourceAppId: { $in: [old, young] } });
    expect((await left.toArray()).map(({ sourceAppId }) => sourceAppId)).toEqual([young]);
    expect(await other.db.collection('schema_versions').countDocuments({ appId })).toBe(0);
  });

  it('accepts one of four concurrent creations on two servers, and only its password logs in', async () => {
    for (let round = 0; round < 5; round += 1) {
      const sourceAppId = newId();
      const answers = await Promise.all(
        [server, other, server, other].map(({ admin }) => admin.post('/auth/apps', { sourceAppId })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      await expectUsable(sourceAppId, answers.find(({ status }) => status === 200)?.body.password);
    }
  });

  it.each([
    [1, 0],
    [3, 0],
    [1, 1],
    [1, 2],
  ])('creates a usable admin app when %i answers are lost after %i writes', async (times, after) => {
    const { apps } = other.services;
    await other.db.collection('apps').deleteMany({ role: 'admin' });
    await leaveUnconfirmed(`another-${created}`, 0, 'admin');
    const sourceAppId = newId();
    proxy.withholdAnswers('cut', times, after);
    const admin = await server.services.apps.ensureAdmin(sourceAppId);
    expect(admin?.app).toMatchObject({ sourceAppId, role: 'admin' });
    const waiter = { network: '127.0.0.1', known: true, leftMs: () => 30_000 };
    expect(await apps.checkPassword(sourceAppId, admin?.password ?? '', waiter)).toMatchObject({ role: 'admin' });
    expect(await apps.ensureAdmin(sourceAppId)).toBeUndefined();
  });
});
