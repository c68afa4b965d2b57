import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/server/client.ts';
import { startCore } from '../support/server/core.ts';

let server: Awaited<ReturnType<typeof startCore>>;
beforeAll(async () => {
  server = await startCore();
});
afterAll(() => server.close());

let count = 0;
/** Creates an app with these fields; resolves with its id, its password, and a session. */
async function newApp(fields: object[] = [], rejectUnknown = true) {
  count += 1;
  const { body } = await server.admin.post('/auth/apps', { sourceAppId: `app-${count}` }).expect(200);
  const { sourceAppId, password } = body;
  if (fields.length > 0) await putSchema(sourceAppId, fields, rejectUnknown).expect(200);
  const operator = await new Client(server.client.url).logIn(sourceAppId, password);
  return { sourceAppId, password, operator };
}

const putSchema = (sourceAppId: string, fields: object[], rejectUnknown = true) =>
  server.admin.put(`/auth/apps/${sourceAppId}/schema`, { rejectUnknown, fields });

const submit = (sourceAppId: string, email: string, data: object = {}) =>
  server.client.submit(sourceAppId, { email, data });

const usersOf = async ({ operator }: Awaited<ReturnType<typeof newApp>>) =>
  (await operator.get('/auth/users').expect(200)).body.users;

const ID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('the core alone: public endpoints (spec 4.1)', () => {
  it('GET /health', async () => {
    expect((await server.client.get('/health').expect(200)).body).toEqual({ status: 'ok' });
  });

  it('POST /v1/users creates a user, and updates the one of the same normalized email', async () => {
    const app = await newApp([
      { key: 'plan', kind: 'text' },
      { key: 'visits', kind: 'array' },
    ]);
    const { body: created } = await submit(app.sourceAppId, ' Ada@X.org ', { plan: 'a', visits: [1, {}] }).expect(200);
    expect(created).toEqual({ id: ID, createdAt: TIME, updatedAt: created.createdAt });
    const { body: updated } = await submit(app.sourceAppId, 'ada@x.ORG', { visits: [{ at: 'home' }] }).expect(200);
    expect(updated).toMatchObject({ id: created.id, createdAt: created.createdAt });
    expect(await usersOf(app)).toEqual([
      {
        id: created.id,
        email: 'ada@x.org',
        data: {
          plan: 'a',
          visits: [{ value: 1, timestamp: TIME }, { timestamp: TIME }, { at: 'home', timestamp: TIME }],
        },
        schemaVersion: 2,
        createdAt: created.createdAt,
        updatedAt: updated.updatedAt,
      },
    ]);
  });

  it('POST /v1/users creates one record of concurrent submissions, with the items of all', async () => {
    const app = await newApp([{ key: 'visits', kind: 'array' }]);
    const sent = Array.from({ length: 8 }, (_, n) => submit(app.sourceAppId, 'ada@x.org', { visits: [n] }));
    expect(new Set((await Promise.all(sent)).map(({ body }) => body.id)).size).toBe(1);
    const [{ data }] = await usersOf(app);
    expect(data.visits.map(({ value }: { value: number }) => value).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it.each([
    ['text', { minLength: 2 }, 'a', 'ab'],
    ['checkbox', { required: true }, false, true],
    ['select', { enum: ['a'] }, 'b', 'a'],
    ['number', { min: 1 }, 0, 1],
    ['date', {}, '2026-02-30', '2026-02-28'],
    ['array', {}, 'a', ['a']],
  ])('POST /v1/users checks a %s', async (kind, options, wrong, right) => {
    const { sourceAppId } = await newApp([{ key: 'field', kind, ...options }]);
    const { body } = await submit(sourceAppId, 'ada@x.org', { field: wrong }).expect(400);
    expect(body.errors.map(({ path }: { path: string }) => path.split('.').slice(0, 2).join('.'))).toEqual([
      'data.field',
    ]);
    await submit(sourceAppId, 'ada@x.org', { field: right }).expect(200);
  });

  it('POST /v1/users refuses an invalid body, an unknown key, and an app that does not exist', async () => {
    const { sourceAppId } = await newApp([{ key: 'plan', kind: 'text', required: true }]);
    await submit(sourceAppId, 'nobody', { plan: 'a' }).expect(400);
    await submit(sourceAppId, 'ada@x.org').expect(400);
    await submit(sourceAppId, 'ada@x.org', { plan: 'a', other: 1 }).expect(400);
    await server.client.submit(sourceAppId, '{').set('content-type', 'application/json').expect(400);
    expect((await submit('none', 'ada@x.org').expect(400)).body.message).toBe('Invalid x-app-id header');
    const { body } = await server.client.post('/v1/users', { email: 'ada@x.org' }).expect(400);
    expect(body.message).toBe('Missing x-app-id header');
  });

  it('GET /v1/schema', async () => {
    const { sourceAppId } = await newApp([{ key: 'plan', kind: 'text' }]);
    const read = (id: string) => server.client.get('/v1/schema').set('x-app-id', id);
    expect((await read(sourceAppId).expect(200)).body).toEqual({
      version: 2,
      rejectUnknown: true,
      fields: [{ key: 'plan', label: 'plan', kind: 'text', required: false }],
    });
    await read('none').expect(400);
    await read('a b').expect(400);
    await server.client.get('/v1/schema').expect(400);
  });
});

describe('the core alone: sessions (spec 4.2)', () => {
  it('POST /auth/login, GET /auth/session, POST /auth/logout', async () => {
    const { sourceAppId, password } = await newApp();
    const client = new Client(server.client.url);
    const { body } = await client.get('/auth/session').expect(401);
    expect(body).toEqual({ message: 'Not authenticated' });
    const logIn = await client.post('/auth/login', { sourceAppId, password }).expect(200);
    expect(logIn.body).toEqual({ ok: true, sourceAppId, role: 'user' });
    expect(logIn.headers['set-cookie']?.[0]).toMatch(/^sid=.*; HttpOnly; SameSite=Lax$/);
    expect((await client.get('/auth/session').expect(200)).body).toEqual({ sourceAppId, role: 'user' });
    expect((await client.post('/auth/logout').expect(200)).body).toEqual({ ok: true });
    await client.get('/auth/users').expect(401);
    expect((await client.post('/auth/logout').expect(200)).body).toEqual({ ok: true });
  });

  it('refuse wrong credentials, and a body without them', async () => {
    const { sourceAppId } = await newApp();
    for (const wrong of [sourceAppId, 'none']) {
      await server.client.post('/auth/login', { sourceAppId: wrong, password: 'wrong' }).expect(401);
    }
    for (const wrong of [{}, { sourceAppId }, { password: 'a' }, { sourceAppId: 1, password: 'a' }]) {
      await server.client.post('/auth/login', wrong).expect(400);
    }
  });

  it('an Authorization header is no key: there are none', async () => {
    const { sourceAppId, operator } = await newApp();
    await server.client.submit(sourceAppId, { email: 'ada@x.org' }).set('authorization', 'Bearer none').expect(200);
    await operator.get('/auth/users').set('authorization', 'Bearer none').expect(200);
    await new Client(server.client.url).get('/auth/users').set('authorization', 'Bearer none').expect(401);
  });
});

describe('the core alone: lists of users (spec 4.3 and 4.4)', () => {
  it('GET /auth/users: all of the own app, newest first, in pages of limited size', async () => {
    const app = await newApp([{ key: 'text', kind: 'text' }]);
    const emails = Array.from({ length: 30 }, (_, n) => `p${n}@x.org`);
    for (const email of emails) await submit(app.sourceAppId, email, { text: 'x'.repeat(20_000) }).expect(200);
    await submit((await newApp()).sourceAppId, 'other@x.org').expect(200);
    expect((await usersOf(app)).map(({ email }: { email: string }) => email)).toEqual(emails.toReversed());
  });

  it('GET /auth/admin/users: of all apps or of one, with limit and skip', async () => {
    const { sourceAppId, operator } = await newApp();
    for (const n of [1, 2, 3]) await submit(sourceAppId, `p${n}@x.org`).expect(200);
    const list = (query: string) => server.admin.get(`/auth/admin/users?${query}`);
    const { body } = await list(`sourceAppId=${sourceAppId}&limit=1&skip=1`).expect(200);
    expect(body).toMatchObject({ limit: 1, skip: 1, users: [{ sourceAppId, email: 'p2@x.org' }] });
    expect((await list('limit=3').expect(200)).body.users.map(({ email }: { email: string }) => email)).toEqual([
      'p3@x.org',
      'p2@x.org',
      'p1@x.org',
    ]);
    expect((await list('limit=500').expect(200)).body).toMatchObject({ limit: 200, skip: 0 });
    expect((await list('sourceAppId=none').expect(200)).body).toEqual({ users: [], limit: 50, skip: 0 });
    for (const wrong of ['limit=0', 'skip=-1', 'limit=a', 'other=1']) await list(wrong).expect(400);
    await operator.get('/auth/admin/users').expect(403);
  });
});

describe('the core alone: apps (spec 4.4)', () => {
  it('POST and GET /auth/apps', async () => {
    const { sourceAppId, operator } = await newApp();
    const { body } = await server.admin.get('/auth/apps').expect(200);
    expect(body.apps).toContainEqual({ sourceAppId: 'admin', role: 'admin', createdAt: TIME });
    expect(body.apps).toContainEqual({ sourceAppId, role: 'user', createdAt: TIME });
    await server.admin.post('/auth/apps', { sourceAppId }).expect(409);
    for (const wrong of ['', 'a b', 'a'.repeat(81), 1]) {
      await server.admin.post('/auth/apps', { sourceAppId: wrong }).expect(400);
    }
    await operator.get('/auth/apps').expect(403);
    await operator.post('/auth/apps', { sourceAppId: 'other' }).expect(403);
    await server.client.get('/auth/apps').expect(401);
  });

  it('DELETE /auth/apps/:sourceAppId removes its users, schema and sessions', async () => {
    const { sourceAppId, operator } = await newApp();
    for (const n of [1, 2, 3]) await submit(sourceAppId, `p${n}@x.org`).expect(200);
    await operator.delete(`/auth/apps/${sourceAppId}`).expect(403);
    const { body } = await server.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    expect(body).toEqual({ ok: true, deletedUsers: 3 });
    expect(await server.db.collection('users').countDocuments({ sourceAppId })).toBe(0);
    await submit(sourceAppId, 'ada@x.org').expect(400);
    await operator.get('/auth/users').expect(401);
    await server.admin.delete(`/auth/apps/${sourceAppId}`).expect(404);
    await server.admin.delete('/auth/apps/admin').expect(400);
    await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
    await submit(sourceAppId, 'ada@x.org').expect(200);
  });

  it('GET and PUT /auth/apps/:sourceAppId/schema', async () => {
    const { sourceAppId, operator } = await newApp();
    const path = `/auth/apps/${sourceAppId}/schema`;
    expect((await server.admin.get(path).expect(200)).body).toMatchObject({ version: 1, rejectUnknown: false });
    const { body } = await putSchema(sourceAppId, [{ key: 'age', kind: 'number', label: 'Age' }]).expect(200);
    expect(body).toEqual({
      version: 2,
      rejectUnknown: true,
      fields: [{ key: 'age', kind: 'number', label: 'Age', required: false }],
    });
    await submit(sourceAppId, 'ada@x.org', { age: 'a' }).expect(400);
    await submit(sourceAppId, 'ada@x.org', { age: 7 }).expect(200);
    for (const wrong of [[{ key: '1', kind: 'text' }], [{ key: 'a', kind: 'other' }]]) {
      await putSchema(sourceAppId, wrong).expect(400);
    }
    const many = Array.from({ length: 101 }, (_, n) => ({ key: `f${n}`, kind: 'text' }));
    await putSchema(sourceAppId, many).expect(400);
    await operator.put(path, { rejectUnknown: true, fields: [] }).expect(403);
    await operator.get(path).expect(403);
    await putSchema('none', []).expect(404);
    await server.admin.get('/auth/apps/none/schema').expect(404);
  });
});

describe('the core alone: CORS (spec 5.3)', () => {
  it('refuses pages of other sites', async () => {
    await server.client.get('/health').set('origin', 'https://other.example').expect(403);
    const { sourceAppId } = await newApp();
    const sent = server.client.submit(sourceAppId, { email: 'ada@x.org' });
    await sent.set('origin', 'https://other.example').expect(403);
  });
});

it('the core alone stores only the members of the specification', async () => {
  const { sourceAppId } = await newApp([{ key: 'visits', kind: 'array' }]);
  await submit(sourceAppId, 'ada@x.org', { visits: [1] }).expect(200);
  const record = await server.db.collection('users').findOne({ sourceAppId });
  expect(Object.keys(record ?? {}).toSorted()).toEqual(
    [
      '_id',
      'appId',
      'arraySizes',
      'createdAt',
      'data',
      'email',
      'schemaVersion',
      'sizeBound',
      'sourceAppId',
      'updatedAt',
    ].toSorted(),
  );
  const app = await server.db.collection('apps').findOne({ sourceAppId });
  expect(Object.keys(app ?? {}).toSorted()).toEqual([
    '_id',
    'createdAt',
    'credentialId',
    'passwordHash',
    'role',
    'sourceAppId',
  ]);
});
