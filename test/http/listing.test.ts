import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const MANY = 210;

let server: TestServer;
let many: TestApp;
let few: TestApp;
beforeAll(async () => {
  server = await startServer();
  [many, few] = [await server.admin.buildApp(), await server.admin.buildApp()];
  // Sequential, so that the order of creation is known.
  for (let index = 0; index < MANY; index += 1) await submit(many, `m${index}@x.org`);
  for (let index = 0; index < 3; index += 1) await submit(few, `f${index}@x.org`);
});

afterAll(() => server.close());

const submit = ({ sourceAppId }: TestApp, email: string) =>
  server.client.submit(sourceAppId, { email, data: { name: email } }).expect(200);
const emailsOf = (users: { email: string }[]) => users.map(({ email }) => email);
const newestFirst = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${count - 1 - index}@x.org`);

describe('GET /auth/users (spec 4.3)', () => {
  it("spec 4.3: returns only the users of the session's app, newest first, with all record properties", async () => {
    const client = await new Client(server.client.url).logIn(few.sourceAppId, few.password);
    const { body, headers } = await client.get('/auth/users').expect(200);
    expect(Object.keys(body)).toEqual(['users']);
    expect(emailsOf(body.users)).toEqual(newestFirst('f', 3));
    expect(body.users[0]).toEqual({
      id: expect.any(String),
      email: 'f2@x.org',
      data: { name: 'f2@x.org' },
      schemaVersion: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('spec 4.3: sorts by creation, not by update, and returns all users without paging', async () => {
    await submit(many, 'm0@x.org');
    const client = await new Client(server.client.url).logIn(many.sourceAppId, many.password);
    const { body } = await client.get('/auth/users').expect(200);
    expect(emailsOf(body.users)).toEqual(newestFirst('m', MANY));
  });

  it('spec 4.3: returns an empty list for an app without users', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const client = await new Client(server.client.url).logIn(sourceAppId, password);
    expect((await client.get('/auth/users').expect(200)).body).toEqual({ users: [] });
  });

  it('spec 4.3: returns only the users of the admin app for an admin session', async () => {
    expect((await server.admin.get('/auth/users').expect(200)).body).toEqual({ users: [] });
  });

  it('spec 7, no session: responds with 401', async () => {
    const { body } = await new Client(server.client.url).get('/auth/users').expect(401);
    expect(body).toEqual({ message: 'Not authenticated', code: 'notAuthenticated' });
  });
});

describe('GET /auth/admin/users (spec 4.4)', () => {
  const page = (query = '') => server.admin.get(`/auth/admin/users${query}`);

  it('spec 4.4: returns the users of all apps, newest first, each with its sourceAppId', async () => {
    const { body } = await page().expect(200);
    expect(Object.keys(body).sort()).toEqual(['limit', 'skip', 'users']);
    expect(emailsOf(body.users)).toEqual([...newestFirst('f', 3), ...newestFirst('m', MANY).slice(0, 47)]);
    expect(body.users[0]).toEqual({
      id: expect.any(String),
      sourceAppId: few.sourceAppId,
      email: 'f2@x.org',
      data: { name: 'f2@x.org' },
      schemaVersion: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  it('spec 4.4: filters by sourceAppId', async () => {
    const { body } = await page(`?sourceAppId=${few.sourceAppId}`).expect(200);
    expect(emailsOf(body.users)).toEqual(newestFirst('f', 3));
    expect((await page('?sourceAppId=no-such-app').expect(200)).body).toEqual({ users: [], limit: 50, skip: 0 });
  });

  it('spec 8, limit and skip: defaults to 50 and 0', async () => {
    const { body } = await page().expect(200);
    expect(body).toMatchObject({ limit: 50, skip: 0 });
    expect(body.users).toHaveLength(50);
  });

  it('spec 8, limit: returns up to 200 users', async () => {
    const { body } = await page('?limit=200').expect(200);
    expect(body.limit).toBe(200);
    expect(body.users).toHaveLength(200);
  });

  it.each(['201', '99999', '10000000000000000000'])('spec 8, `limit`: treats %s as 200', async (limit) => {
    const { body } = await page(`?limit=${limit}`).expect(200);
    expect(body.limit).toBe(200);
    expect(body.users).toHaveLength(200);
  });

  it('spec 4.4: returns consecutive pages without gap or overlap', async () => {
    const emails: string[] = [];
    for (let skip = 0; skip < MANY; skip += 60) {
      const { body } = await page(`?sourceAppId=${many.sourceAppId}&limit=60&skip=${skip}`).expect(200);
      expect(body).toMatchObject({ limit: 60, skip });
      emails.push(...emailsOf(body.users));
    }
    expect(emails).toEqual(newestFirst('m', MANY));
  });

  it.each(['100000', '999999999999999'])(
    'spec 8, `skip`: returns an empty page for %s, beyond the end',
    async (skip) => {
      expect((await page(`?skip=${skip}`).expect(200)).body).toEqual({ users: [], limit: 50, skip: Number(skip) });
    },
  );

  it.each([
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=1e2',
    'limit=ten',
    'limit=',
    'limit=%2010',
    'limit=1&limit=2',
    'limit[]=1',
    'limit[$gt]=1',
    'skip=-1',
    'skip=0.5',
    'skip=none',
    'skip=1&skip=1',
    'skip=9999999999999999999',
    'sourceAppId=a&sourceAppId=b',
    'sourceAppId[$ne]=a',
    'sourceAppId=a%20b',
    'page=2',
    '__proto__=1',
  ])('spec 8, `limit`, `skip`: responds to ?%s with 400', async (query) => {
    const { body } = await page(`?${query}`).expect(400);
    expect(body.message).toBe('Invalid query parameters');
    expect(body.errors).toHaveLength(1);
    expect(body).not.toHaveProperty('users');
  });
});
