import { Types } from 'mongoose';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { Client } from '../support/client.ts';
import { startProxy, type TcpProxy } from '../support/proxy.ts';
import { startServer, type TestServer } from '../support/server.ts';

// On a standalone mongod the driver repeats no write, so each lost answer reaches the service.
let proxy: TcpProxy;
let server: TestServer;
let other: TestServer;
beforeAll(async () => {
  const uri = new URL(inject('mongodbUri'));
  proxy = await startProxy(new URL(uri));
  uri.port = String(proxy.port);
  server = await startServer({ MONGODB_URI: uri.href });
  other = await startServer({}, server.database);
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await other.close();
  await server.close();
  await proxy.close();
});

let made = 0;
const newId = () => {
  made += 1;
  return `made-${made}`;
};

/** The app is complete: its schema is there, it takes submissions, and its password logs in. */
async function expectUsable(sourceAppId: string, password: string) {
  await other.admin.get(`/auth/apps/${sourceAppId}/schema`).expect(200);
  await other.client.submit(sourceAppId, { email: 'ada@example.org', data: { name: 'Ada' } }).expect(200);
  await new Client(other.client.url).logIn(sourceAppId, password);
  const stored = await other.db.collection('apps').findOne({ sourceAppId });
  expect(Object.keys(stored ?? {})).not.toEqual(expect.arrayContaining(['creating']));
  expect(await other.db.collection('schema_versions').countDocuments({ appId: stored?._id })).toBe(1);
}

/** Nobody can use the app, or see it. */
async function expectNone(sourceAppId: string) {
  const { body } = await other.admin.get('/auth/apps').expect(200);
  expect(body.apps.map((app: { sourceAppId: string }) => app.sourceAppId)).not.toContain(sourceAppId);
  await other.admin.get(`/auth/apps/${sourceAppId}/schema`).expect(404);
  await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(404);
  await other.client.submit(sourceAppId, { email: 'ada@example.org' }).expect(400);
}

/** What a server leaves that dies between the steps of a creation. */
async function leaveUnconfirmed(sourceAppId: string, age: number, role = 'user') {
  const begun = new Date(Date.now() - age);
  const app = { _id: new Types.ObjectId(), sourceAppId, role, passwordHash: 'x', credentialId: 'of the dead' };
  await other.db.collection('apps').insertOne({ ...app, createdAt: begun, deletingSince: begun, creating: true });
  return app._id;
}

describe('hardening, item 3: an app is created completely or not at all', () => {
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
  ])('when %i answers are lost after %i writes, the answer is 200 and the app is usable', async (times, after) => {
    const sourceAppId = newId();
    proxy.withholdAnswers('cut', times, after);
    const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
    await expectUsable(sourceAppId, body.password);
  });

  it.each([0, 1, 2])('when a connection falls silent after %i writes, the answer is 200', async (after) => {
    const sourceAppId = newId();
    proxy.withholdAnswers('silent', 1, after);
    const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
    await expectUsable(sourceAppId, body.password);
  });

  it.each([0, 1])(
    'when all answers are lost after %i writes: 503, nothing usable, and a repeat gives a usable app',
    async (after) => {
      const sourceAppId = newId();
      proxy.withholdAnswers('cut', 1_000, after);
      const first = await server.admin.post('/auth/apps', { sourceAppId });
      proxy.restore();
      expect(first.status).toBe(503);
      await expectNone(sourceAppId);
      const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
      await expectUsable(sourceAppId, body.password);
    },
  );

  it.each([0, 60_000])(
    'what a server left that died %i ms ago counts as no app, and the next creation takes it over',
    async (age) => {
      const sourceAppId = newId();
      await leaveUnconfirmed(sourceAppId, age);
      await expectNone(sourceAppId);
      const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
      await expectUsable(sourceAppId, body.password);
    },
  );

  it('what a server left is removed by a sweep, a creation that is under way is not', async () => {
    const [old, young] = [newId(), newId()];
    const appId = await leaveUnconfirmed(old, 120_000);
    await other.db.collection('schema_versions').insertOne({ appId, version: 1 });
    await leaveUnconfirmed(young, 0);
    await (await startServer({}, server.database)).close();
    const left = other.db.collection('apps').find({ sourceAppId: { $in: [old, young] } });
    expect((await left.toArray()).map(({ sourceAppId }) => sourceAppId)).toEqual([young]);
    expect(await other.db.collection('schema_versions').countDocuments({ appId })).toBe(0);
  });

  it('of creations on two servers at the same time one succeeds, and its password is the one that logs in', async () => {
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
  ])('the admin app too, when %i answers are lost after %i writes', async (times, after) => {
    const { apps } = other.services;
    await other.db.collection('apps').deleteMany({ role: 'admin' });
    await leaveUnconfirmed(`another-${made}`, 0, 'admin');
    const sourceAppId = newId();
    proxy.withholdAnswers('cut', times, after);
    const created = await server.services.apps.ensureAdmin(sourceAppId);
    expect(created?.app).toMatchObject({ sourceAppId, role: 'admin' });
    const waiter = { network: '127.0.0.1', known: true, leftMs: () => 30_000 };
    expect(await apps.checkPassword(sourceAppId, created?.password ?? '', waiter)).toMatchObject({ role: 'admin' });
    expect(await apps.ensureAdmin(sourceAppId)).toBeUndefined();
  });
});
