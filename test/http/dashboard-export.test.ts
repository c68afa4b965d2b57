import { beforeAll, describe, expect, it } from 'vitest';
import type { RecordId } from '../../src/core/users/users.model.ts';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { Client } from '../support/server/client.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let operator: Client;
let sourceAppId: string;
let otherAppId: string;

beforeAll(async () => {
  server = await sharedServer();
  const app = await server.admin.buildApp({ fields: [{ key: 'old', kind: 'text' }] });
  sourceAppId = app.sourceAppId;
  await server.client.submit(sourceAppId, { email: 'ada@example.com', data: { old: 'x', plan: 'pro' } }).expect(200);
  await server.admin.putSchema(sourceAppId, { fields: [{ key: 'plan', kind: 'text' }] }).expect(200);
  await server.client.submit(sourceAppId, { email: 'bob@example.org', data: { plan: 'free, "now"' } }).expect(200);
  operator = await new Client(server.client.url).logIn(sourceAppId, app.password);
  otherAppId = (await server.admin.buildApp()).sourceAppId;
  await server.client.submit(otherAppId, { email: 'foreign@example.com' }).expect(200);
});

/** Downloads a file; `body` is its text as a browser saves it, including a byte order mark. */
const download = (query: string) =>
  operator
    .get(`/auth/users/export${query}`)
    .buffer(true)
    .parse((response, callback) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)));
      response.on('end', () => callback(null, Buffer.concat(chunks).toString()));
    });

describe('GET /auth/users/export', () => {
  it.each([
    ['csv', 'text/csv; charset=utf-8'],
    ['ndjson', 'application/x-ndjson; charset=utf-8'],
    ['json', 'application/json; charset=utf-8'],
  ])('returns %s as an attachment named after the app and the date', async (format, type) => {
    const { headers } = await operator.get(`/auth/users/export?format=${format}`).expect(200);
    expect(headers['content-type']).toBe(type);
    expect(headers['content-disposition']).toMatch(
      new RegExp(`^attachment; filename="${sourceAppId}-\\d{4}-\\d\\d-\\d\\d\\.${format}"$`),
    );
  });

  it('returns CSV with the columns of the newest schema, also without a format', async () => {
    for (const query of ['?format=csv', '']) {
      const { text } = await operator.get(`/auth/users/export${query}`).expect(200);
      const [header, bob, ada] = text.split('\r\n');
      expect(header).toBe('id,email,schemaVersion,createdAt,updatedAt,data.plan,other');
      expect(bob).toMatch(/,bob@example\.org,3,.*,"free, ""now""",$/);
      expect(ada).toMatch(/,ada@example\.com,2,.*,pro,"{""old"":""x""}"$/);
      expect(text).not.toContain('foreign');
    }
  });

  it('starts CSV with the UTF-8 byte order mark if bom=true', async () => {
    for (const filter of ['', '&where=email:eq:nobody@x.org']) {
      const { body: plain } = await download(`?format=csv${filter}`).expect(200);
      const { body: marked } = await download(`?format=csv&bom=true${filter}`).expect(200);
      expect(plain.startsWith('id,email,')).toBe(true);
      expect(marked).toBe(`\uFEFF${plain}`);
    }
    expect((await download('?bom=true').expect(200)).body.startsWith('\uFEFFid,email,')).toBe(true);
  });

  it.each([
    [',', ','],
    ['%3B', ';'],
    ['tab', '\t'],
  ])('separates the cells of CSV by delimiter=%s', async (parameter, separator) => {
    const { text } = await operator
      .get(`/auth/users/export?delimiter=${parameter}&columns=email,data.plan`)
      .expect(200);
    expect(text.split('\r\n')).toEqual([
      `email${separator}data.plan`,
      `bob@example.org${separator}"free, ""now"""`,
      `ada@example.com${separator}pro`,
      '',
    ]);
  });

  it('returns the users of the listing as JSON and NDJSON', async () => {
    const { body: listed } = await operator.get('/auth/users').expect(200);
    const { body: json } = await operator.get('/auth/users/export?format=json').expect(200);
    expect(json).toEqual(listed.users);
    const { body: ndjson } = await download('?format=ndjson').expect(200);
    expect(
      ndjson
        .trimEnd()
        .split('\n')
        .map((line: string) => JSON.parse(line)),
    ).toEqual(listed.users);
  });

  it('accepts the filters of the listing', async () => {
    const found = async (query: string) =>
      (await operator.get(`/auth/users/export?format=json&${query}`).expect(200)).body.map(
        ({ email }: { email: string }) => email,
      );
    expect(await found('where=email:contains:.ORG')).toEqual(['bob@example.org']);
    expect(await found('where=data.plan:eq:pro')).toEqual(['ada@example.com']);
    expect(await found('where=email:contains:org&where=data.plan:eq:pro')).toEqual([]);
  });

  it('returns a valid file if no user matches', async () => {
    expect((await download('?format=ndjson&q=nobody').expect(200)).body).toBe('');
    expect((await operator.get('/auth/users/export?format=json&q=nobody').expect(200)).body).toEqual([]);
    const { text } = await operator.get('/auth/users/export?q=nobody').expect(200);
    expect(text).toBe('id,email,schemaVersion,createdAt,updatedAt,data.plan,other\r\n');
  });

  it('contains every record of a large app exactly once', async () => {
    const app = await server.admin.buildApp();
    await server.client.submit(app.sourceAppId, { email: 'first@example.com' }).expect(200);
    const users = server.db.collection<{ _id: RecordId }>('users');
    const first = await users.findOne({ sourceAppId: app.sourceAppId }, { projection: { _id: 0 } });
    const newId = createOrderedIds();
    const more = Array.from({ length: 3_000 }, (_, number) => ({
      ...first,
      _id: newId(new Date()),
      email: `u${number}@example.com`,
      data: { text: 'x'.repeat(500) },
    }));
    await users.insertMany(more);
    const own = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
    const { text } = await own.get('/auth/users/export?format=csv').expect(200);
    const emails = text
      .split('\r\n')
      .slice(1, -1)
      .map((row) => row.split(',')[1]);
    expect(emails).toHaveLength(3_001);
    expect(new Set(emails).size).toBe(3_001);
  });

  it.each([
    'format=xml',
    'format=',
    'format=csv&format=json',
    'limit=1',
    'field=plan&value=pro',
    'search=a',
    'q=a&q=b',
    'bom=false',
    'bom=',
    'bom=true&bom=true',
    'format=json&bom=true',
    'format=ndjson&bom=true',
    'delimiter=|',
    'delimiter=',
    'format=json&delimiter=tab',
  ])('refuses %s', async (query) => {
    const { body, headers } = await operator.get(`/auth/users/export?${query}`).expect(400);
    expect(body.message).toBe('Invalid query parameters');
    expect(headers['content-disposition']).toBeUndefined();
  });

  it('requires a session', async () => {
    await server.client.get('/auth/users/export').expect(401);
  });
});

describe('POST /auth/users/export', () => {
  /** The id of a record of one app: other files of the server use the emails too. */
  async function idOf(email: string, appId = sourceAppId): Promise<string> {
    const query = { sourceAppId: appId, where: `email:eq:${email}` };
    const { users } = (await server.admin.get('/auth/admin/users').query(query).expect(200)).body;
    return users[0].id;
  }
  const unknown = '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57';

  it('returns the records that are named once each, newest first, without unknown and foreign ones', async () => {
    const [ada, bob, foreign] = await Promise.all([
      idOf('ada@example.com'),
      idOf('bob@example.org'),
      idOf('foreign@example.com', otherAppId),
    ]);
    const ids = [ada, unknown, foreign, bob, ada, bob?.toUpperCase()];
    const { body, headers } = await operator.post('/auth/users/export', { ids, format: 'json' }).expect(200);
    const { body: all } = await operator.get('/auth/users/export?format=json').expect(200);
    expect(body).toEqual(all);
    expect(headers['content-disposition']).toMatch(/^attachment; filename="/);
    const csv = { ids: [ada], columns: 'email,data.plan', bom: true };
    const { text } = await operator.post('/auth/users/export', csv).expect(200);
    expect(text.replace('\uFEFF', '')).toBe('email,data.plan\r\nada@example.com,pro\r\n');
    expect((await operator.post('/auth/users/export', { ids: [foreign], format: 'json' }).expect(200)).body).toEqual(
      [],
    );
  });

  it('returns records of the app that an admin names, and of no other to an operator', async () => {
    const ids = [await idOf('ada@example.com')];
    const path = `/auth/users/export?sourceAppId=${sourceAppId}`;
    expect((await server.admin.post(path, { ids, format: 'json' }).expect(200)).body).toHaveLength(1);
    expect((await server.admin.post('/auth/users/export', { ids, format: 'json' }).expect(200)).body).toEqual([]);
    await operator.post('/auth/users/export?sourceAppId=admin', { ids }).expect(403);
  });

  it('returns 1,000 records and refuses more', async () => {
    const app = await server.admin.buildApp();
    await server.client.submit(app.sourceAppId, { email: 'first@example.com' }).expect(200);
    const users = server.db.collection<{ _id: RecordId }>('users');
    const first = await users.findOne({ sourceAppId: app.sourceAppId }, { projection: { _id: 0 } });
    const newId = createOrderedIds();
    const more = Array.from({ length: 1_001 }, (_, number) => ({
      ...first,
      _id: newId(new Date()),
      email: `u${number}@example.com`,
    }));
    await users.insertMany(more);
    const own = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
    const ids = more.map(({ _id }) => String(_id));
    const { body } = await own.post('/auth/users/export', { ids: ids.slice(1), format: 'json' }).expect(200);
    expect(body.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1).reverse());
    const { body: refusal } = await own.post('/auth/users/export', { ids, format: 'json' }).expect(400);
    expect(refusal.errors).toEqual([
      { path: 'ids', message: 'must be at most 1000', code: 'tooLarge', params: { max: 1000 } },
    ]);
  });

  it.each([
    [{}, 'ids'],
    [{ ids: [] }, 'ids'],
    [{ ids: unknown }, 'ids'],
    [{ ids: ['ada@example.com'] }, 'ids.0'],
    [{ ids: [unknown, 7] }, 'ids.1'],
    [{ ids: [unknown], format: 'xml' }, 'format'],
    [{ ids: [unknown], format: 'json', bom: true }, 'bom'],
    [{ ids: [unknown], bom: false }, 'bom'],
    [{ ids: [unknown], delimiter: ':' }, 'delimiter'],
    [{ ids: [unknown], columns: 'password' }, 'columns'],
    [{ ids: [unknown], where: [] }, 'where'],
  ])('refuses %j', async (body, path) => {
    const { body: refusal } = await operator.post('/auth/users/export', body).expect(400);
    expect(refusal.errors.map((issue: { path: string }) => issue.path)).toEqual([path]);
  });

  it('requires a session', async () => {
    await server.client.post('/auth/users/export', { ids: [unknown] }).expect(401);
  });
});
