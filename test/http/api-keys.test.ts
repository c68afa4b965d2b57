import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/core/api/principal.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { createKey, withKey } from '../support/server/keys.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let app: TestApp;
let operator: Client;
beforeAll(async () => {
  server = await startServer({ TRUST_PROXY: 'loopback', RATE_LIMIT_LOGIN: '0' });
});
afterAll(() => server.close());

async function buildApp(): Promise<void> {
  app = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
}
beforeAll(buildApp);

const person = { email: 'ada@example.com', data: { name: 'Ada' } };

describe('a key (spec 4.8)', () => {
  it('is shown once, stored as a hash, and listed with its settings', async () => {
    await buildApp();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const settings = {
      name: ' Nightly ',
      scopes: ['export', 'export'],
      expiresAt,
      cidrs: ['10.1.2.3/8', '2001:db8::1'],
    };
    const { body: created } = await operator.post('/auth/keys', settings).expect(200);
    expect(Object.keys(created).sort()).toEqual(['id', 'key']);
    const { body } = await operator.get('/auth/keys').expect(200);
    expect(body.keys).toEqual([
      {
        id: created.id,
        name: 'Nightly',
        scopes: ['export'],
        expiresAt,
        lastUsedAt: null,
        lastUsedFrom: null,
        cidrs: ['10.0.0.0/8', '2001:db8::1/128'],
        createdAt: expect.any(String),
      },
    ]);
    const [stored] = await server.db.collection('api_keys').find({ name: 'Nightly' }).toArray();
    expect(JSON.stringify(stored)).not.toContain(created.key.slice(4));
  });

  it.each([
    ['no name', { scopes: ['export'] }, 'name'],
    ['an empty name', { name: ' ', scopes: ['export'] }, 'name'],
    ['no scopes', { name: 'a', scopes: [] }, 'scopes'],
    ['an unknown scope', { name: 'a', scopes: ['all'] }, 'scopes.0'],
    ['an end in the past', { name: 'a', scopes: ['export'], expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    [
      'an end after the year 9999',
      { name: 'a', scopes: ['export'], expiresAt: '9999-12-31T23:59:59-05:00' },
      'expiresAt',
    ],
    ['an end without a zone', { name: 'a', scopes: ['export'], expiresAt: '2090-01-01T00:00:00' }, 'expiresAt'],
    ['a malformed network', { name: 'a', scopes: ['export'], cidrs: ['10.1/8'] }, 'cidrs.0'],
    ['another property', { name: 'a', scopes: ['export'], role: 'admin' }, 'role'],
  ])('with %s is 400', async (_name, settings, path) => {
    const { body } = await operator.post('/auth/keys', settings).expect(400);
    expect(body.errors.map((issue: { path: string }) => issue.path)).toEqual([path]);
  });

  it('that could write schemas is created by admins only', async () => {
    const settings = { name: 'CI', scopes: ['export', 'schema:write'] };
    expect((await operator.post('/auth/keys', settings).expect(403)).body.message).toContain('schema:write');
  });

  it('belongs to its app: operators see and delete their own, admins those of the app they name', async () => {
    await buildApp();
    const { id } = await createKey(server, operator, ['export']);
    const other = await server.admin.buildApp();
    const stranger = await new Client(server.listener.url).logIn(other.sourceAppId, other.password);
    expect((await stranger.get('/auth/keys').expect(200)).body.keys).toEqual([]);
    await stranger.get(`/auth/keys?sourceAppId=${app.sourceAppId}`).expect(403);
    await stranger.post(`/auth/keys?sourceAppId=${app.sourceAppId}`, { name: 'a', scopes: ['export'] }).expect(403);
    await stranger.delete(`/auth/keys/${id}`).expect(404);
    await server.admin.delete(`/auth/keys/${id}`).expect(404);
    await server.admin.get('/auth/keys?sourceAppId=none-such').expect(404);
    expect((await server.admin.get(`/auth/keys?sourceAppId=${app.sourceAppId}`).expect(200)).body.keys).toHaveLength(1);
    await server.admin.delete(`/auth/keys/${id}?sourceAppId=${app.sourceAppId}`).expect(200);
    await operator.delete(`/auth/keys/${id}`).expect(404);
    await operator.delete('/auth/keys/none').expect(404);
  });

  it('is noted when it is used, at most once a minute', async () => {
    await buildApp();
    const { send } = await createKey(server, operator, ['users:read']);
    const lastUse = async () => {
      const [key] = (await operator.get('/auth/keys').expect(200)).body.keys;
      return [key.lastUsedAt, key.lastUsedFrom];
    };
    await send('get', '/auth/users').set('X-Forwarded-For', '203.0.113.7').expect(200);
    await expect.poll(lastUse).toEqual([expect.any(String), '203.0.113.7']);
    const first = await lastUse();
    await send('get', '/auth/users').set('X-Forwarded-For', '203.0.113.8').expect(200);
    expect(await lastUse()).toEqual(first);
    const earlier = new Date(Date.now() - 61_000);
    await server.db.collection('api_keys').updateMany({}, { $set: { lastUsedAt: earlier } });
    await send('get', '/auth/users').set('X-Forwarded-For', '203.0.113.9').expect(200);
    await expect.poll(lastUse).toEqual([expect.any(String), '203.0.113.9']);
  });

  it('is one of at most 50 of its app, also when two servers create keys at the same time', {
    tags: 'long',
  }, async () => {
    const second = await startServer({}, server.database);
    try {
      await buildApp();
      const other = await new Client(second.listener.url).logIn(app.sourceAppId, app.password);
      const create = (client: Client) => client.post('/auth/keys', { name: 'a', scopes: ['export'] }).ok(() => true);
      const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => create(n % 2 ? operator : other)));
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(50);
      expect(statuses.filter((status) => status === 409)).toHaveLength(10);
      expect((await operator.get('/auth/keys').expect(200)).body.keys).toHaveLength(50);
      await operator.delete(`/auth/keys/${answers.find(({ status }) => status === 200)?.body.id}`).expect(200);
      await create(other).expect(200);
    } finally {
      await second.close();
    }
  });

  it('is deleted with its app, and a later app of the same name has none', { tags: 'long' }, async () => {
    await buildApp();
    const { id, send } = await createKey(server, operator, ['users:read']);
    const _id = new ObjectId(id);
    expect(await server.db.collection('api_keys').countDocuments({ _id })).toBe(1);
    await server.admin.delete(`/auth/apps/${app.sourceAppId}`).expect(200);
    await send('get', '/auth/users').expect(401);
    expect(await server.db.collection('api_keys').countDocuments({ _id })).toBe(0);
    const { body } = await server.admin.post('/auth/apps', { sourceAppId: app.sourceAppId }).expect(200);
    await send('get', '/auth/users').expect(401);
    const again = await new Client(server.listener.url).logIn(body.sourceAppId, body.password);
    expect((await again.get('/auth/keys').expect(200)).body.keys).toEqual([]);
  });
});

describe('a scope', () => {
  beforeAll(buildApp);
  const calls: [Scope, 'get' | 'post' | 'put' | 'patch' | 'delete', string, object | undefined, number][] = [
    ['users:read', 'get', '/auth/users', undefined, 200],
    ['users:read', 'get', '/auth/users/none', undefined, 404],
    ['users:read', 'get', '/auth/stats', undefined, 200],
    ['users:read', 'get', '/auth/schema', undefined, 200],
    ['users:read', 'get', '/auth/held', undefined, 200],
    ['users:read', 'get', '/auth/held/counts', undefined, 200],
    ['users:read', 'get', '/auth/apps/APP/indexes', undefined, 200],
    ['users:write', 'patch', '/auth/users/none', { set: { name: 'B' } }, 404],
    ['users:write', 'delete', '/auth/users/none', undefined, 404],
    ['users:write', 'delete', '/auth/users?q=nobody&confirm=0', undefined, 200],
    ['users:write', 'post', '/auth/people/erase', { email: 'nobody@example.com' }, 200],
    ['users:write', 'post', '/auth/held/none/release', undefined, 404],
    ['users:write', 'delete', '/auth/held/none', undefined, 404],
    ['users:write', 'patch', '/auth/submissions/none', { done: true }, 409],
    ['export', 'get', '/auth/users/export', undefined, 200],
    ['export', 'post', '/auth/people/export', { email: 'nobody@example.com' }, 200],
    ['webhooks', 'get', '/auth/webhooks', undefined, 200],
    ['webhooks', 'delete', '/auth/webhooks/none', undefined, 404],
    ['submit', 'post', '/v1/users', person, 200],
    ['submit', 'post', '/v1/forms/APP', person, 200],
  ];

  it.each(calls)('%s is needed for %s %s', async (scope, method, path, body, status) => {
    const target = path.replace('APP', app.sourceAppId);
    const right = await createKey(server, operator, [scope]);
    await right.send(method, target, body).expect(status);
    const wrong = await createKey(server, operator, [scope === 'webhooks' ? 'import' : 'webhooks']);
    const refused = await wrong.send(method, target, body).expect(403);
    expect(refused.body).toEqual({
      message: `The scope ${scope} is required`,
      code: 'scopeRequired',
      params: { scope },
    });
    for (const { id } of [right, wrong]) await operator.delete(`/auth/keys/${id}`).expect(200);
  });

  it('schema:write is for the schema of the own app', { tags: 'long' }, async () => {
    await buildApp();
    const other = await server.admin.buildApp();
    const { send } = await createKey(server, server.admin, ['schema:write'], {
      sourceAppId: app.sourceAppId,
    });
    const schema = { rejectUnknown: true, fields: [{ key: 'city', kind: 'text' }] };
    const own = `/auth/apps/${app.sourceAppId}/schema`;
    expect((await send('put', own, schema).expect(200)).body.version).toBe(3);
    await send('get', own).expect(200);
    await send('get', `${own}/versions`).expect(200);
    await send('post', `${own}/check`, schema).expect(200);
    await send('put', `/auth/apps/${other.sourceAppId}/schema`, schema).expect(403);
    const reader = await createKey(server, operator, ['users:read']);
    const { body } = await reader.send('put', own, schema).expect(403);
    expect(body).toEqual({
      message: 'The scope schema:write is required',
      code: 'scopeRequired',
      params: { scope: 'schema:write' },
    });
  });

  it('is all that a key of an admin app has: within it the key acts as an admin', async () => {
    const { send } = await createKey(server, server.admin, ['users:read', 'schema:write']);
    await send('get', '/auth/admin/users').expect(200);
    await send('get', '/auth/admin/stats').expect(200);
    await send('get', `/auth/users?sourceAppId=${app.sourceAppId}`).expect(200);
    await send('put', `/auth/apps/${app.sourceAppId}/schema`, { rejectUnknown: false, fields: [] }).expect(200);
    await send('get', `/auth/users/export?sourceAppId=${app.sourceAppId}`).expect(403);
    const ofApp = await createKey(server, operator, ['users:read', 'export']);
    await ofApp.send('get', '/auth/admin/users').expect(403);
    await ofApp.send('get', '/auth/users?sourceAppId=admin').expect(403);
  });

  it('does not open endpoints that are for sessions only', async () => {
    const { send } = await createKey(server, server.admin, ['users:read', 'users:write', 'schema:write']);
    const own = `/auth/apps/${app.sourceAppId}`;
    for (const [caller, method, path, body] of [
      ...([
        ['operator', 'get', '/auth/session'],
        ['admin', 'get', '/auth/apps'],
        ['admin', 'post', '/auth/apps', { sourceAppId: 'x' }],
      ] as const),
      ...([
        ['admin', 'delete', own],
        ['admin', 'post', `${own}/password`],
        ['operator', 'get', `${own}/form`],
        ['manager', 'get', `${own}/retention`],
      ] as const),
      ...([
        ['manager', 'get', '/auth/keys'],
        ['manager', 'post', '/auth/keys', {}],
        ['manager', 'delete', '/auth/keys/x'],
      ] as const),
      ...([
        ['operator', 'post', '/auth/login', app],
        ['operator', 'post', '/auth/logout'],
      ] as const),
    ] as const) {
      const answer = await send(method, path, body).expect(403);
      expect(answer.body).toEqual({
        message: `This endpoint takes no API keys; log in instead, as ${caller}`,
        code: 'noKeysTaken',
        params: { caller },
      });
      expect(answer.headers).not.toHaveProperty('set-cookie');
    }
  });
});

describe('a submission with a key', () => {
  it('needs no x-app-id; one that names another app is 403, a malformed one 400', async () => {
    await buildApp();
    const other = await server.admin.buildApp();
    const { send } = await createKey(server, operator, ['submit']);
    const { body } = await send('post', '/v1/users', person).expect(200);
    const [record] = (await operator.get('/auth/users').expect(200)).body.users;
    expect(record).toMatchObject({ id: body.id, email: 'ada@example.com' });
    await send('post', '/v1/users', person).set('x-app-id', app.sourceAppId).expect(200);
    expect((await send('get', '/v1/schema').expect(200)).body.version).toBe(2);
    for (const call of [
      send('post', '/v1/users', person).set('x-app-id', other.sourceAppId),
      send('get', '/v1/schema').set('x-app-id', other.sourceAppId),
      send('post', `/v1/forms/${other.sourceAppId}`, person),
    ]) {
      expect((await call.expect(403)).body.message).toBe('The API key is for another app');
    }
    await send('post', '/v1/users', person).set('x-app-id', 'no id').expect(400);
    expect(await server.db.collection('users').countDocuments({ sourceAppId: other.sourceAppId })).toBe(0);
  });

  it('needs no proof of work and is not held; the closing time stays in force', { tags: 'long' }, async () => {
    await buildApp();
    const { send } = await createKey(server, operator, ['submit']);
    const settings = (more: object) => server.admin.put(`/auth/apps/${app.sourceAppId}/form`, more).expect(200);
    await settings({ botProtection: 'proof-of-work' });
    await server.client.submit(app.sourceAppId, person).expect(403);
    await send('post', '/v1/users', person).expect(200);
    const form = 'email=grace%40example.com&_gotcha=filled';
    await send('post', `/v1/forms/${app.sourceAppId}`, form).set('Accept', 'application/json').expect(200);
    expect((await operator.get('/auth/held').expect(200)).body.held).toEqual([]);
    expect((await operator.get('/auth/users').expect(200)).body.users).toHaveLength(2);
    await settings({ closesAt: '2020-01-01T00:00:00Z' });
    await send('post', '/v1/users', person).expect(403);
  });

  it('is stored in the incarnation of its key only', { tags: 'long' }, async () => {
    await buildApp();
    const { send } = await createKey(server, operator, ['submit']);
    await send('post', '/v1/users', person).expect(200);
    await server.admin.delete(`/auth/apps/${app.sourceAppId}`).expect(200);
    await server.admin.post('/auth/apps', { sourceAppId: app.sourceAppId }).expect(200);
    await send('post', '/v1/users', person).expect(401);
    await send('post', `/v1/forms/${app.sourceAppId}`, person).expect(401);
  });
});

describe('two servers', () => {
  it('refuse a key from the moment in which its deletion was answered', { tags: 'long' }, async () => {
    const second = await startServer({}, server.database);
    try {
      await buildApp();
      for (let round = 0; round < 10; round += 1) {
        const { id, key, send } = await createKey(server, operator, ['users:read', 'submit']);
        const there = withKey(second, key);
        await Promise.all([send('get', '/auth/users').expect(200), there('post', '/v1/users', person).expect(200)]);
        await operator.delete(`/auth/keys/${id}`).expect(200);
        await Promise.all([there('get', '/auth/users').expect(401), there('post', '/v1/users', person).expect(401)]);
      }
    } finally {
      await second.close();
    }
  });
});
