import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** Counts the stored documents of an app by collection. */
async function documentCounts(sourceAppId: string, appId: unknown) {
  const count = (name: string, filter: object) => server.db.collection(name).countDocuments(filter);
  return {
    apps: await count('apps', { sourceAppId }),
    users: await count('users', { $or: [{ appId }, { sourceAppId }] }),
    schemas: await count('schema_versions', { appId }),
    sessions: await count('sessions', { 'session.sourceAppId': sourceAppId }),
  };
}

const NONE = { apps: 0, users: 0, schemas: 0, sessions: 0 };

describe('GET /auth/apps (spec 4.4)', () => {
  it('spec 4.4: returns sourceAppId, role and createdAt of all apps, and no credentials', async () => {
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
  it('spec 4.4: creates an app of role user with the default schema and returns a password that logs in', async () => {
    const { body } = await server.admin.post('/auth/apps', { sourceAppId: 'New.app_1-x' }).expect(200);
    expect(body).toEqual({ sourceAppId: 'New.app_1-x', role: 'user', password: expect.stringMatching(/^[\w-]{24,}$/) });
    await new Client(server.client.url).logIn(body.sourceAppId, body.password);
    const schema = await server.client.get('/v1/schema').set('x-app-id', 'New.app_1-x').expect(200);
    expect(schema.body.version).toBe(1);
  });

  it.each(['', 'a b', 'a/b', 'ä', 'a\n', '$ne', 'x'.repeat(81), 7, null, { $gt: '' }, ['a'], undefined])(
    'spec 7, invalid sourceAppId format on app creation: responds to %j with 400',
    async (sourceAppId) => {
      const before = await server.db.collection('apps').countDocuments();
      const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(400);
      expect(body).toEqual({
        message: 'Invalid sourceAppId',
        code: 'invalidAppName',
        errors: [expect.objectContaining({ path: 'sourceAppId', code: expect.any(String) })],
      });
      expect(await server.db.collection('apps').countDocuments()).toBe(before);
    },
  );

  it.each(['.', '..'])(
    'refuses %j, which clients remove from URL paths, and returns the reason',
    async (sourceAppId) => {
      const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(400);
      expect(body).toEqual({
        message: 'Invalid sourceAppId',
        code: 'invalidAppName',
        errors: [{ path: 'sourceAppId', message: expect.stringContaining('URL'), code: 'unreachableAppId' }],
      });
      await expect(server.services.apps.create(sourceAppId)).rejects.toThrow('Invalid sourceAppId: must not be "."');
      expect(await server.db.collection('apps').countDocuments({ sourceAppId })).toBe(0);
    },
  );

  it('accepts other ids that contain dots', async () => {
    for (const sourceAppId of ['...', '.a', 'a..', '._']) {
      await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
    }
  });

  it('spec 8, sourceAppId length: accepts 80 characters', async () => {
    await server.admin.post('/auth/apps', { sourceAppId: 'l'.repeat(80) }).expect(200);
  });

  it('responds to a `role` in the body with 400', async () => {
    const { body } = await server.admin.post('/auth/apps', { sourceAppId: 'sneaky', role: 'admin' }).expect(400);
    expect(body.errors).toEqual([{ path: 'role', message: 'is not a known property', code: 'unknownProperty' }]);
  });

  it('spec 7, app exists: responds with 409 and keeps the app and its password', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const { body } = await server.admin.post('/auth/apps', { sourceAppId }).expect(409);
    expect(body).toEqual({ message: 'An app with this sourceAppId already exists', code: 'appExists' });
    await new Client(server.client.url).logIn(sourceAppId, password);
  });

  it('spec 7, app exists: lets one of several concurrent creations succeed and stores nothing of the others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => server.admin.post('/auth/apps', { sourceAppId: 'contended' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const apps = await server.db.collection('apps').distinct('_id');
    expect(await server.db.collection('schema_versions').countDocuments({ appId: { $nin: apps } })).toBe(0);
  });

  it('treats ids as case-sensitive', async () => {
    await server.admin.post('/auth/apps', { sourceAppId: 'Case' }).expect(200);
    await server.admin.post('/auth/apps', { sourceAppId: 'case' }).expect(200);
  });
});

describe('DELETE /auth/apps/:sourceAppId (spec 4.4)', () => {
  it('spec 4.4, delete app: deletes its users, schema versions and sessions, and none of other apps', async () => {
    const [deleted, kept] = [await server.admin.buildApp({ fields: [] }), await server.admin.buildApp({ fields: [] })];
    for (const { sourceAppId, password } of [deleted, kept]) {
      for (const email of ['a@x.org', 'b@x.org']) await server.client.submit(sourceAppId, { email }).expect(200);
      await new Client(server.client.url).logIn(sourceAppId, password);
    }
    const apps = server.db.collection('apps');
    const [deletedId, keptId] = [
      (await apps.findOne({ sourceAppId: deleted.sourceAppId }))?._id,
      (await apps.findOne({ sourceAppId: kept.sourceAppId }))?._id,
    ];
    const { body } = await server.admin.delete(`/auth/apps/${deleted.sourceAppId}`).expect(200);
    expect(body).toEqual({ ok: true, deletedUsers: 2 });
    expect(await documentCounts(deleted.sourceAppId, deletedId)).toEqual(NONE);
    expect(await documentCounts(kept.sourceAppId, keptId)).toEqual({ apps: 1, users: 2, schemas: 2, sessions: 1 });
    await server.client.submit(deleted.sourceAppId, { email: 'a@x.org' }).expect(400);
    await server.client.get('/v1/schema').set('x-app-id', deleted.sourceAppId).expect(400);
    await server.admin.get(`/auth/apps/${deleted.sourceAppId}/schema`).expect(404);
  });

  it('spec 7, deleting an admin app: responds with 400 and keeps the app', async () => {
    const { body } = await server.admin.delete('/auth/apps/admin').expect(400);
    expect(body).toEqual({ message: 'Admin apps cannot be deleted', code: 'adminAppStays' });
    await server.admin.get('/auth/session').expect(200);
  });

  it.each(['no-such-app', 'not%20an%20id', '%24ne'])('spec 7, app not found: responds to %s with 404', async (id) => {
    const { body } = await server.admin.delete(`/auth/apps/${id}`).expect(404);
    expect(body).toEqual({ message: 'App not found', code: 'appNotFound' });
  });

  it('responds to a second DELETE with 404', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    await server.admin.delete(`/auth/apps/${sourceAppId}`).expect(404);
  });

  it('spec 3, delete app: completes an interrupted deletion at the next start', { tags: 'long' }, async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'a@x.org' }).expect(200);
    const apps = server.db.collection('apps');
    const app = await apps.findOneAndUpdate({ sourceAppId }, { $set: { deletingSince: new Date() } });
    const next = await startServer({}, server.database);
    try {
      expect(await documentCounts(sourceAppId, app?._id)).toEqual(NONE);
      await next.client.submit(sourceAppId, { email: 'a@x.org' }).expect(400);
      await next.admin.post('/auth/apps', { sourceAppId }).expect(200);
    } finally {
      await next.close();
    }
  });

  it('invariant 5: removes a write that a stalled database applied after the app was deleted', {
    tags: 'long',
  }, async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'a@x.org' }).expect(200);
    const late = await server.db.collection('users').findOne({ sourceAppId });
    await server.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    if (late) await server.db.collection('users').insertOne(late);
    // The first sweep only records the orphan: it may belong to a restore in progress.
    const next = await startServer({}, server.database);
    await next.close();
    expect((await documentCounts(sourceAppId, late?.appId)).users).toBe(1);
    const sweeping = await startServer({}, server.database, { sweepEveryMs: 100 });
    await expect.poll(() => documentCounts(sourceAppId, late?.appId)).toEqual(NONE);
    await sweeping.close();
  });
});

describe('spec 7, admin role required', () => {
  const adminRequests = (client: Client): [name: string, send: () => ReturnType<Client['get']>][] => [
    ['GET /auth/apps', () => client.get('/auth/apps')],
    ['POST /auth/apps', () => client.post('/auth/apps', { sourceAppId: 'by-a-user' })],
    ['DELETE /auth/apps/:sourceAppId', () => client.delete('/auth/apps/app-1')],
    ['GET /auth/admin/users', () => client.get('/auth/admin/users')],
    ['GET /auth/apps/:sourceAppId/schema', () => client.get('/auth/apps/app-1/schema')],
    ['PUT /auth/apps/:sourceAppId/schema', () => client.putSchema('app-1', { fields: [] })],
  ];

  it('responds with 403 to a session of role user on every admin endpoint, and with 401 without a session', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const user = await new Client(server.client.url).logIn(sourceAppId, password);
    for (const [name, send] of adminRequests(user)) {
      const { status, body } = await send();
      expect
        .soft({ name, status, body })
        .toEqual({ name, status: 403, body: { message: 'Admin role required', code: 'adminRequired' } });
    }
    await user.get(`/auth/apps/${sourceAppId}/schema`).expect(403);
    await user.delete(`/auth/apps/${sourceAppId}`).expect(403);
    for (const [name, send] of adminRequests(new Client(server.client.url))) {
      const { status, body } = await send();
      expect
        .soft({ name, status, body })
        .toEqual({ name, status: 401, body: { message: 'Not authenticated', code: 'notAuthenticated' } });
    }
    expect(await server.db.collection('apps').countDocuments({ sourceAppId: 'by-a-user' })).toBe(0);
  });
});
