import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** How many documents of an app are stored, by collection. */
async function leftOf(sourceAppId: string, appId: unknown) {
  const count = (name: string, filter: object) => server.db.collection(name).countDocuments(filter);
  return {
    apps: await count('apps', { sourceAppId }),
    users: await count('users', { $or: [{ appId }, { sourceAppId }] }),
    schemas: await count('schema_versions', { appId }),
    sessions: await count('sessions', { 'session.sourceAppId': sourceAppId }),
  };
}

const NOTHING = { apps: 0, users: 0, schemas: 0, sessions: 0 };

describe('GET /auth/apps (spec 4.4)', () => {
  it('spec 4.4: answers sourceAppId, role and createdAt of all apps, and no credentials', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const { body, text } = await server.admin.get('/auth/apps').expect(200);
    expect(body.apps).toContainEqual({ sourceAppId: 'admin', role: 'admin', createdAt: expect.any(String) });
    const own = body.apps.find((app: { sourceAppId: string }) => app.sourceAppId === sourceAppId);
    expect(own).toEqual({ sourceAppId, role: 'user', createdAt: expect.any(String) });
    expect(new Date(own.createdAt).toISOString()).toBe(own.createdAt);
    expect(text).not.toContain(password);
    expect(text).not.toMatch(/password|hash|credential|\$2b\$/i);
  });
});

describe('POST /auth/apps (spec 4.4)', () => {
  it('spec 4.4: answers sourceAppId, role user and a password that logs in; the app has the default schema', async () => {
    const { body } = await server.admin.post('/auth/apps', { sourceAppId: 'New.app_1-x' }).expect(200);
    expect(body).toEqual({ sourceAppId: 'New.app_1-x', role: 'user', password: expect.stringMatching(/^[\w-]{24,}$/) });
    await new Client(server.client.url).logIn(body.sourceAppId, body.password);
    const schema = await server.client.get('/v1/schema').set('x-app-id', 'New.app_1-x').expect(200);
    expect(schema.body.version).toBe(1);
  });

  it.each(['', 'a b', 'a/b', 'ä', 'a\n', '$ne', 'x'.repeat(81), 7, null, { $gt: '' }, ['a'], undefined])(
    'spec 7, invalid sourceAppId format on app creation: %j is 400',
    async (sourceAppId) => {
      const before = await server.db.collection('apps').countDocuments();
      const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(400);
      expect(body).toEqual({
        message: 'Invalid sourceAppId',
        errors: [{ path: 'sourceAppId', message: expect.any(String) }],
      });
      expect(await server.db.collection('apps').countDocuments()).toBe(before);
    },
  );

  it.each(['.', '..'])('refuses %j with the reason: clients remove it from URL paths', async (sourceAppId) => {
    const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(400);
    expect(body).toEqual({
      message: 'Invalid sourceAppId',
      errors: [{ path: 'sourceAppId', message: expect.stringContaining('URL') }],
    });
    await expect(server.services.apps.create(sourceAppId)).rejects.toThrow('Invalid sourceAppId: must not be "."');
    expect(await server.db.collection('apps').countDocuments({ sourceAppId })).toBe(0);
  });

  it('takes other ids of dots', async () => {
    for (const sourceAppId of ['...', '.a', 'a..', '._']) {
      await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
    }
  });

  it('an app of the id ".." that an earlier release created goes on', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    await server.db.collection('apps').updateOne({ sourceAppId }, { $set: { sourceAppId: '..' } });
    await new Client(server.client.url).logIn('..', password);
    await server.client.submit('..', { email: 'a@x.org' }).expect(200);
  });

  it('spec 8, sourceAppId length: 80 characters are taken', async () => {
    await server.admin.post('/auth/apps', { sourceAppId: 'l'.repeat(80) }).expect(200);
  });

  it('takes no role and no password from outside: an unknown property is 400', async () => {
    const { body } = await server.admin.post('/auth/apps', { sourceAppId: 'sneaky', role: 'admin' }).expect(400);
    expect(body.errors).toEqual([{ path: 'role', message: 'is not a known property' }]);
  });

  it('spec 7, app exists: 409, and the app and its password stay', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(409);
    expect(body).toEqual({ message: 'An app with this sourceAppId already exists' });
    await new Client(server.client.url).logIn(sourceAppId, password);
  });

  it('spec 7, app exists: of creations at the same time one succeeds, and nothing is left of the others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => server.admin.post('/auth/apps', { sourceAppId: 'contended' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const apps = await server.db.collection('apps').distinct('_id');
    expect(await server.db.collection('schema_versions').countDocuments({ appId: { $nin: apps } })).toBe(0);
  });

  it('ids differ by case', async () => {
    await server.admin.post('/auth/apps', { sourceAppId: 'Case' }).expect(200);
    await server.admin.post('/auth/apps', { sourceAppId: 'case' }).expect(200);
  });
});

describe('DELETE /auth/apps/:sourceAppId (spec 4.4)', () => {
  it('spec 4.4, delete app: its users, schema versions and sessions go, and those of others stay', async () => {
    const [gone, kept] = [await server.admin.buildApp({ fields: [] }), await server.admin.buildApp({ fields: [] })];
    for (const { sourceAppId, password } of [gone, kept]) {
      for (const email of ['a@x.org', 'b@x.org']) await server.client.submit(sourceAppId, { email }).expect(200);
      await new Client(server.client.url).logIn(sourceAppId, password);
    }
    const appsOf = server.db.collection('apps');
    const [goneId, keptId] = [
      (await appsOf.findOne({ sourceAppId: gone.sourceAppId }))?._id,
      (await appsOf.findOne({ sourceAppId: kept.sourceAppId }))?._id,
    ];
    const { body } = await server.admin.delete(`/auth/apps/${gone.sourceAppId}`).expect(200);
    expect(body).toEqual({ ok: true, deletedUsers: 2 });
    expect(await leftOf(gone.sourceAppId, goneId)).toEqual(NOTHING);
    expect(await leftOf(kept.sourceAppId, keptId)).toEqual({ apps: 1, users: 2, schemas: 2, sessions: 1 });
    await server.client.submit(gone.sourceAppId, { email: 'a@x.org' }).expect(400);
    await server.client.get('/v1/schema').set('x-app-id', gone.sourceAppId).expect(400);
    await server.admin.get(`/auth/apps/${gone.sourceAppId}/schema`).expect(404);
  });

  it('spec 7, deleting an admin app: 400, and it stays', async () => {
    const { body } = await server.admin.delete('/auth/apps/admin').expect(400);
    expect(body).toEqual({ message: 'Admin apps cannot be deleted' });
    await server.admin.get('/auth/session').expect(200);
  });

  it.each(['no-such-app', 'not%20an%20id', '%24ne'])('spec 7, app not found: %s is 404', async (id) => {
    const { body } = await server.admin.delete(`/auth/apps/${id}`).expect(404);
    expect(body).toEqual({ message: 'App not found' });
  });

  it('a second DELETE is 404', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    await server.admin.delete(`/auth/apps/${sourceAppId}`).expect(404);
  });

  it('spec 3, delete app: interrupted deletes are finished at the next start', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'a@x.org' }).expect(200);
    const apps = server.db.collection('apps');
    const app = await apps.findOneAndUpdate({ sourceAppId }, { $set: { deletingSince: new Date() } });
    const next = await startServer({}, server.database);
    try {
      expect(await leftOf(sourceAppId, app?._id)).toEqual(NOTHING);
      await next.client.submit(sourceAppId, { email: 'a@x.org' }).expect(400);
      await next.admin.post('/auth/apps', { sourceAppId }).expect(200);
    } finally {
      await next.close();
    }
  });

  it('invariant 5: what a stalled database applied late for a deleted app is removed by the sweeps', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'a@x.org' }).expect(200);
    const late = await server.db.collection('users').findOne({ sourceAppId });
    await server.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    if (late) await server.db.collection('users').insertOne(late);
    // The first sweep only notes it: it might be the beginning of a restore.
    const next = await startServer({}, server.database);
    await next.close();
    expect((await leftOf(sourceAppId, late?.appId)).users).toBe(1);
    const sweeping = await startServer({}, server.database, { sweepEveryMs: 100 });
    await expect.poll(() => leftOf(sourceAppId, late?.appId), { timeout: 10_000 }).toEqual(NOTHING);
    await sweeping.close();
  });
});

describe('spec 7, admin role required: 403', () => {
  const adminRequests = (client: Client): [name: string, send: () => ReturnType<Client['get']>][] => [
    ['GET /auth/apps', () => client.get('/auth/apps')],
    ['POST /auth/apps', () => client.post('/auth/apps', { sourceAppId: 'by-a-user' })],
    ['DELETE /auth/apps/:sourceAppId', () => client.delete('/auth/apps/app-1')],
    ['GET /auth/admin/users', () => client.get('/auth/admin/users')],
    ['GET /auth/apps/:sourceAppId/schema', () => client.get('/auth/apps/app-1/schema')],
    ['PUT /auth/apps/:sourceAppId/schema', () => client.putSchema('app-1', { fields: [] })],
  ];

  it('to every admin endpoint with a session of role user, its own app included, and 401 without a session', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const user = await new Client(server.client.url).logIn(sourceAppId, password);
    for (const [name, send] of adminRequests(user)) {
      const { status, body } = await send();
      expect.soft({ name, status, body }).toEqual({ name, status: 403, body: { message: 'Admin role required' } });
    }
    await user.get(`/auth/apps/${sourceAppId}/schema`).expect(403);
    await user.delete(`/auth/apps/${sourceAppId}`).expect(403);
    for (const [name, send] of adminRequests(new Client(server.client.url))) {
      const { status, body } = await send();
      expect.soft({ name, status, body }).toEqual({ name, status: 401, body: { message: 'Not authenticated' } });
    }
    expect(await server.db.collection('apps').countDocuments({ sourceAppId: 'by-a-user' })).toBe(0);
  });
});
