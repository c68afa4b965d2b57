import { ObjectId } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import type { UserDocument } from '../../src/core/users/users.model.ts';
import { plainPage } from '../../src/features/search/users.service.ts';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { createQueries } from '../support/database/query-records.ts';
import { Client } from '../support/server/client.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
/** Has a session of an app with the five records below, created in this order. */
let operator: Client;
let sourceAppId: string;

const people = [
  { email: 'ada@example.com', data: { name: 'Ada', age: 36, plan: 'pro' } },
  { email: 'Bob+news@Example.org', data: { name: 'Bob', age: 20, plan: 'free', agreed: true } },
  { email: 'carol@example.com', data: { name: 'carol', age: 36, plan: 'true' } },
  { email: 'dan@sample.net', data: { plan: 'pro', code: '36', mixed: ['pro', 'free'] } },
  { email: 'eve.x@example.com', data: { name: 'Eve', mixed: 'pro' } },
];

beforeAll(async () => {
  server = await sharedServer();
  const app = await server.admin.buildApp();
  sourceAppId = app.sourceAppId;
  for (const person of people) await server.client.submit(sourceAppId, person).expect(200);
  operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
  const other = await server.admin.buildApp();
  await server.client.submit(other.sourceAppId, { email: 'ada@example.com', data: { plan: 'pro' } }).expect(200);
});

async function page(parameters: Record<string, string>) {
  const { body } = await operator.get(`/auth/users?${new URLSearchParams(parameters)}`).expect(200);
  return body as {
    users: { id: string; email: string; data: Record<string, unknown> }[];
    total: number;
    limit: number;
    skip: number;
  };
}

async function emails(parameters: Record<string, string>) {
  return (await page(parameters)).users.map(({ email }) => email[0]).join('');
}

describe('GET /auth/users with parameters', () => {
  it('returns all users and no other property without parameters (spec 4.3)', async () => {
    const { body } = await operator.get('/auth/users').expect(200);
    expect(Object.keys(body)).toEqual(['users']);
    expect(body.users.map(({ email }: { email: string }) => email[0]).join('')).toBe('edcba');
  });

  it('returns a page and the total number of matches', async () => {
    const { users, ...rest } = await page({ limit: '2', skip: '1' });
    expect(users.map(({ email }) => email)).toEqual(['dan@sample.net', 'carol@example.com']);
    expect(rest).toEqual({ total: 5, limit: 2, skip: 1 });
    expect(Object.keys(users[0] ?? {})).toEqual(['id', 'email', 'data', 'schemaVersion', 'createdAt', 'updatedAt']);
  });

  it('defaults to a limit of 50 and caps it at 200', async () => {
    expect(await page({ skip: '0' })).toMatchObject({ total: 5, limit: 50, skip: 0 });
    expect(await page({ limit: '100000' })).toMatchObject({ total: 5, limit: 200 });
    expect(await page({ skip: '900' })).toMatchObject({ users: [], total: 5, skip: 900 });
  });

  it.each([
    ['EXAMPLE.com', 'eca'],
    ['+NEWS', 'b'],
    ['a.', ''],
    ['e.x', 'e'],
    ['.*', ''],
    ['\0', ''],
    ['ö', ''],
    ['\\', ''],
  ])('searches for %j as literal text in the email', async (text, found) => {
    const where = `email:contains:${text}`;
    expect(await emails({ where })).toBe(found);
    expect((await page({ where, limit: '1' })).total).toBe(found.length);
  });

  it.each([
    [{ sort: 'createdAt' }, 'edcba'],
    [{ sort: 'createdAt', order: 'asc' }, 'abcde'],
    [{ order: 'asc' }, 'abcde'],
    [{ sort: 'email' }, 'abcde'],
    [{ sort: 'email', order: 'desc' }, 'edcba'],
    // Equal values and absent ones by id; absent ones last.
    [{ sort: 'data.age' }, 'bacde'],
    [{ sort: 'data.age', order: 'desc' }, 'cabed'],
    [{ sort: 'data.name' }, 'abced'],
  ])('sorts by %j', async (parameters, order) => {
    expect(await emails({ ...parameters })).toBe(order);
    const one = await page({ ...parameters, limit: '2', skip: '2' });
    expect(one.users.map(({ email }) => email[0]).join('')).toBe(order.slice(2, 4));
  });

  it('sorts by the time of the last update', async () => {
    const app = await server.admin.buildApp();
    for (const name of ['a', 'b', 'c', 'a']) await server.client.submit(app.sourceAppId, { email: `${name}@x.org` });
    // Submissions may share a millisecond, so the test sets a distinct time.
    await server.db
      .collection('users')
      .updateOne({ email: 'a@x.org', sourceAppId: app.sourceAppId }, { $set: { updatedAt: new Date('2999-01-01') } });
    const own = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
    const { body } = await own.get('/auth/users?sort=updatedAt&limit=1').expect(200);
    expect(body.users[0].email).toBe('a@x.org');
    const { body: oldest } = await own.get('/auth/users?sort=updatedAt&order=asc').expect(200);
    expect(oldest.users[2].email).toBe('a@x.org');
  });

  it.each([
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=1&limit=2',
    'skip=-1',
    'skip=1.5',
    'search=a',
    'sort=',
    'sort=id',
    'sort=data.',
    'sort=data.a.b',
    'sort=data.$where',
    'sort=email%00',
    'order=up',
    'field=plan&value=pro',
    'page=1',
    'sort[x]=1',
    '__proto__=1',
  ])('refuses %s', async (query) => {
    const { body } = await operator.get(`/auth/users?${query}`).expect(400);
    expect(body.message).toBe('Invalid query parameters');
  });

  it('responds with 503 to a search that exceeds its time limit', async () => {
    const appId = new ObjectId();
    const users = server.db.collection<UserDocument>('users');
    const newId = createOrderedIds();
    const stored = Array.from({ length: 20_000 }, (_, number) => {
      const now = new Date();
      const email = `u${number}@example.com`;
      const data = { name: 'x'.repeat(100) };
      return {
        _id: newId(now),
        appId,
        sourceAppId: 'busy',
        email,
        data,
        schemaVersion: 1,
        createdAt: now,
        updatedAt: now,
      };
    });
    await users.insertMany(stored);
    const { query } = createQueries(users, { plainBudgetMs: 0 });
    const page = { limit: 1, skip: 0 };
    const app = { id: appId, schema: { fields: [], rejectUnknown: false }, slotOf: () => undefined };
    const refused = { status: 503, message: 'This search takes too long; narrow it down' };
    await expect(plainPage(query, app, { ...page, sort: 'updatedAt' })).rejects.toMatchObject(refused);
    await expect(plainPage(query, app, { ...page, sort: 'data.name' })).rejects.toMatchObject(refused);
    await users.deleteMany({ appId });
  });

  it('requires a session', async () => {
    await server.client.get('/auth/users?limit=1').expect(401);
  });
});

describe('GET and DELETE /auth/users/:id', () => {
  it('returns one record without internal fields', async () => {
    const [ada] = (await page({ where: 'email:prefix:ada@' })).users;
    const { body } = await operator.get(`/auth/users/${ada?.id}`).expect(200);
    expect(body).toEqual(ada);
    expect(Object.keys(body)).toEqual(['id', 'email', 'data', 'schemaVersion', 'createdAt', 'updatedAt']);
  });

  it('responds with 404 for a record of another app and for a malformed id', async () => {
    const theirs = { email: 'ada@example.com', sourceAppId: { $ne: sourceAppId } };
    const foreign = await server.db.collection('users').findOne(theirs);
    const ids = [String(foreign?._id), '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57', '1', '%00', 'x'.repeat(500), '[object]'];
    for (const id of ids) {
      for (const answer of [await operator.get(`/auth/users/${id}`), await operator.delete(`/auth/users/${id}`)]) {
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual({ message: 'User not found', code: 'userNotFound' });
      }
    }
    expect(foreign).not.toBeNull();
    expect(await server.db.collection('users').findOne(theirs)).toEqual(foreign);
  });

  it('erases one record; a later submission creates a new one', async () => {
    const app = await server.admin.buildApp();
    const submit = (email: string) => server.client.submit(app.sourceAppId, { email }).set('Idempotency-Key', email);
    const { body: first } = await submit('ada@example.com').expect(200);
    await submit('bob@example.com').expect(200);
    const own = await new Client(server.client.url).logIn(app.sourceAppId, app.password);

    expect((await own.delete(`/auth/users/${first.id}`).expect(200)).body).toEqual({ ok: true });
    await own.get(`/auth/users/${first.id}`).expect(404);
    await own.delete(`/auth/users/${first.id}`).expect(404);
    const stored = await server.db.collection('users').find({ sourceAppId: app.sourceAppId }).toArray();
    expect(stored.map(({ email }) => email)).toEqual(['bob@example.com']);

    const { body: second } = await submit('ada@example.com').expect(200);
    expect(second.id).not.toBe(first.id);
    await own.get(`/auth/users/${second.id}`).expect(200);
  });

  it('leaves one complete record or none when submissions for that person are in flight', {
    tags: 'long',
  }, async () => {
    const app = await server.admin.buildApp();
    const own = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
    const submit = () => server.client.submit(app.sourceAppId, { email: 'ada@example.com', data: { name: 'Ada' } });
    for (let round = 0; round < 10; round += 1) {
      const { body } = await submit().expect(200);
      const erase = async () => own.delete(`/auth/users/${body.id}`).expect(200);
      const [one, two, , three] = await Promise.all([submit(), submit(), erase(), submit()]);
      // 503: the record was erased before the service read it; the client must send the submission
      // again.
      for (const { status } of [one, two, three]) expect([200, 503]).toContain(status);
      const stored = await server.db
        .collection('users')
        .find({ email: 'ada@example.com', sourceAppId: app.sourceAppId });
      const remaining = await stored.toArray();
      expect(remaining.length).toBeLessThanOrEqual(1);
      for (const record of remaining) expect(record.data).toEqual({ name: 'Ada' });
    }
  });

  it('requires a session', async () => {
    await server.client.get('/auth/users/1').expect(401);
    await server.client.delete('/auth/users/1').expect(401);
  });
});
