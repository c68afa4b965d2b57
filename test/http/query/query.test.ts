import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type TestApp } from '../../support/server/client.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

let server: TestServer;
let app: TestApp;
let operator: Client;
let other: Client;

const fields = [
  { key: 'name', kind: 'text' as const, label: 'Full name' },
  { key: 'age', kind: 'number' as const },
  { key: 'born', kind: 'date' as const },
  { key: 'agreed', kind: 'checkbox' as const },
  { key: 'plan', kind: 'select' as const, enum: ['pro', 'free'] },
  { key: 'visits', kind: 'array' as const },
];
const people = [
  { email: 'ada@example.com', data: { name: 'Ada Lovelace', age: 36, born: '1815-12-10', plan: 'pro', visits: ['x'] } },
  { email: 'bob@example.org', data: { name: 'bob', age: 20, born: '2026-01-31T23:30:00-01:00', agreed: true } },
  { email: 'carol@example.com', data: { name: 'Carol (CEO)', born: '2026-01-31', plan: 'free', extra: 'deep' } },
];

beforeAll(async () => {
  server = await startServer();
  app = await server.admin.buildApp({ fields });
  for (const person of people) await server.client.submit(app.sourceAppId, person).expect(200);
  operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
  const foreign = await server.admin.buildApp({ rejectUnknown: true, fields: [{ key: 'name', kind: 'text' }] });
  await server.client.submit(foreign.sourceAppId, { email: 'ada@example.com', data: { name: 'Ada' } }).expect(200);
  other = await new Client(server.client.url).logIn(foreign.sourceAppId, foreign.password);
});
afterAll(() => server.close());

type Parameters = [string, string][];

async function ask(parameters: Parameters, client = operator, path = '/auth/users') {
  const { body } = await client.get(`${path}?${new URLSearchParams(parameters)}`).expect(200);
  return body as { users: { email: string }[]; total?: number; totalIs?: string; next?: string; complete: boolean };
}

const initials = async (...where: string[]) =>
  (await ask(where.map((one) => ['where', one]))).users.map(({ email }) => email[0]).join('');

describe('GET /auth/users with where', () => {
  it('answers the page with its total and whether it is complete', async () => {
    const { users, ...rest } = await ask([['where', 'data.age:gte:18']]);
    expect(users.map(({ email }) => email)).toEqual(['bob@example.org', 'ada@example.com']);
    expect(rest).toEqual({ total: 2, totalIs: 'exact', complete: true });
    expect(Object.keys(users[0] ?? {})).toEqual(['id', 'email', 'data', 'schemaVersion', 'createdAt', 'updatedAt']);
  });

  it.each([
    [['email:eq:ADA@example.com'], 'a'],
    [['email:prefix:b'], 'b'],
    [['email:in:ada@example.com,bob@example.org,none'], 'ba'],
    [['data.name:eq:bob'], 'b'],
    [['data.name:eq:Bob'], ''],
    [['data.name:prefix:ADA'], 'a'],
    [['data.name:contains:love'], 'a'],
    [['data.name:contains:(ceo)'], 'c'],
    [['data.name:contains:.*'], ''],
    [['data.age:gt:20', 'data.age:lte:36'], 'a'],
    [['data.age:ne:20'], 'ca'],
    [['data.age:exists:false'], 'c'],
    [['data.plan:in:free,pro'], 'ca'],
    [['data.agreed:eq:true'], 'b'],
    // 23:30 at an hour west of Greenwich is the next day in UTC.
    [['data.born:eq:2026-01-31'], 'c'],
    [['data.born:gt:2026-01-31'], 'b'],
    [['data.born:lt:2026-02-01T00:30:00.001Z'], 'cba'],
    [['data.born:lt:2026-02-01T00:30:00Z'], 'ca'],
    [['data.visits:contains:x'], 'a'],
    [['data.visits:empty:true'], 'cb'],
    [['data.extra:eq:deep'], 'c'],
    [['createdAt:lt:2000-01-01'], ''],
    [['schemaVersion:eq:2'], 'cba'],
  ])('%j finds %j', async (where, found) => {
    expect(await initials(...where)).toBe(found);
  });

  it.each([
    'name:eq:a',
    'data.name:like:a',
    'data.name',
    'data.name:',
    ':eq:a',
    'data.:eq:a',
    'data.a.b:eq:1',
    'data.$where:eq:1',
    'data.age:eq:1,5',
    'data.age:eq:',
    'data.age:gt:0x10',
    'data.age:prefix:1',
    'data.age:eq:1e999',
    'data.born:gte:03/04/2025',
    'data.born:eq:2026-02-30',
    'data.born:eq:2026-01-31T08:30',
    'data.agreed:eq:yes',
    'data.agreed:gt:true',
    'data.visits:eq:x',
    'data.name:gte:a',
    'data.name:exists:1',
    'appId:eq:1',
    '__proto__:eq:1',
    'email:constructor:a',
    `data.name:eq:${'x'.repeat(1_001)}`,
    `data.age:in:${'1,'.repeat(100)}1`,
  ])('refuses %s', async (where) => {
    const { body } = await operator.get(`/auth/users?${new URLSearchParams({ where })}`).expect(400);
    expect(body).toEqual({
      message: 'Invalid query parameters',
      code: 'invalidQuery',
      errors: [expect.objectContaining({ path: 'where.0', message: expect.any(String), code: expect.any(String) })],
    });
    expect(JSON.stringify(body)).not.toContain('xxx');
  });

  it('takes commas and backslashes in the values of in, also in saved views and exports', async () => {
    const choices = ['a,b', 'b', 'c\\d'];
    const listed = await server.admin.buildApp({
      fields: [
        { key: 'one', kind: 'select', enum: choices },
        { key: 'many', kind: 'multiselect', enum: choices },
      ],
    });
    for (const [index, choice] of choices.entries()) {
      const data = { one: choice, many: [choice] };
      await server.client.submit(listed.sourceAppId, { email: `${index}@example.com`, data }).expect(200);
    }
    const client = await new Client(server.client.url).logIn(listed.sourceAppId, listed.password);
    const found = async (where: string) =>
      (await ask([['where', where]], client)).users.map(({ email }) => email[0]).join('');
    for (const field of ['data.one', 'data.many']) {
      expect(await found(`${field}:in:a\\,b`)).toBe('0');
      expect(await found(`${field}:in:a,b`)).toBe('1');
      expect(await found(`${field}:in:c\\\\d,a\\,b`)).toBe('20');
      // A backslash before anything else stays.
      expect(await found(`${field}:in:c\\d`)).toBe('2');
    }
    const query = new URLSearchParams({ where: 'data.one:in:a\\,b' }).toString();
    const { body: view } = await client.post('/auth/views').send({ name: 'Comma', query }).expect(200);
    expect(view).toMatchObject({ query, missing: [] });
    const exported = await client.get(`/auth/users/export?format=csv&${query}`).expect(200);
    expect(exported.text.trim().split('\r\n')).toHaveLength(2);
  });

  it('refuses a path that the app does not have', async () => {
    await other.get('/auth/users?where=data.plan:eq:pro').expect(400);
    await other.get('/auth/users?sort=data.plan&total=none').expect(400);
    await other.get('/auth/users?where=data.name:eq:Ada').expect(200);
  });

  it.each([
    Array.from({ length: 21 }, () => 'where=email:eq:a').join('&'),
    'total=all',
    'total=',
    'total=exact&total=none',
    'q=',
    `q=${'x'.repeat(101)}`,
    'q=a&q=b',
    'confirm=1',
    'cursor=',
    'cursor=AAAA',
    `cursor=${'A'.repeat(9_000)}`,
  ])('refuses %s', async (query) => {
    await operator.get(`/auth/users?${query}`).expect(400);
  });

  it('refuses a text that names no app, and to operators every other app', async () => {
    await server.admin.get('/auth/users?sourceAppId=a%20b').expect(400);
    await operator.get('/auth/users?sourceAppId=a%20b').expect(403);
  });
});

describe('a cursor', () => {
  const first = async (parameters: Parameters = []) =>
    (await ask([['limit', '1'], ['total', 'none'], ...parameters])).next ?? '';

  it('leads through all pages, also with other limits', async () => {
    const next = await first();
    const page = await ask([
      ['limit', '5'],
      ['cursor', next],
    ]);
    expect(page.users.map(({ email }) => email[0]).join('')).toBe('ba');
    expect(page).not.toHaveProperty('total');
    expect(page).not.toHaveProperty('next');
    const counted = await ask([
      ['cursor', next],
      ['total', 'exact'],
    ]);
    expect(counted).toMatchObject({ total: 3, totalIs: 'exact' });
  });

  it('is refused when it was changed, belongs to another query or app, or comes with skip', async () => {
    const next = await first();
    const bytes = Buffer.from(next, 'base64url');
    const refused = async (cursor: string, query = '', client = operator) => {
      const { body } = await client.get(`/auth/users?cursor=${cursor}${query}`).expect(400);
      expect(body.message).toBe('Invalid query parameters');
    };
    for (const at of [0, 15, 16, bytes.length - 2]) {
      const forged = Buffer.from(bytes);
      forged[at] = (forged[at] ?? 0) ^ 1;
      await refused(forged.toString('base64url'));
    }
    for (const length of [1, 20, next.length - 1]) await refused(next.slice(0, length));
    await refused(`${next}=`);
    await refused(next, '&where=data.age:gt:1');
    await refused(next, '&order=asc');
    await refused(next, '&skip=1');
    await refused(next, '', other);
    const apps = await server.admin.get('/auth/apps?limit=1').expect(200);
    await refused(apps.body.next);
  });

  it('is accepted by another server', async () => {
    const second = await startServer({}, server.database);
    try {
      const client = await new Client(second.client.url).logIn(app.sourceAppId, app.password);
      expect((await ask([['cursor', await first()]], client)).users).toHaveLength(2);
    } finally {
      await second.close();
    }
  });
});

describe('q and parameters of pages', () => {
  it('q finds beginnings of words of emails and of texts in data', async () => {
    const found = async (q: string) => (await ask([['q', q]])).users.map(({ email }) => email[0]).join('');
    expect([await found('LOVELACE'), await found('@example.com'), await found('DEEP')]).toEqual(['a', 'ca', 'c']);
    expect([await found('love AD'), await found('"lovelace ada"'), await found('velace')]).toEqual(['a', '', '']);
    expect([await found('.*'), await found('(ceo)'), await found('nobody')]).toEqual(['', 'c', '']);
  });

  it('skip and total work together with where, and without conditions', async () => {
    const both = await ask([
      ['where', 'data.age:gt:1'],
      ['where', 'email:contains:EXAMPLE.com'],
      ['where', 'data.plan:eq:pro'],
    ]);
    expect(both.users.map(({ email }) => email)).toEqual(['ada@example.com']);
    expect(
      await ask([
        ['total', 'capped'],
        ['skip', '2'],
      ]),
    ).toMatchObject({ total: 3, users: [{ email: 'ada@example.com' }] });
  });
});

describe('sourceAppId', () => {
  it('lets admins work on any app, and others on none but their own', async () => {
    const own: Parameters = [['sourceAppId', app.sourceAppId]];
    expect((await ask([...own, ['where', 'data.age:gt:1']], server.admin)).users).toHaveLength(2);
    expect((await ask(own)).users).toHaveLength(3);
    const [{ id }] = (await ask(own, server.admin)).users as unknown as [{ id: string }];
    await server.admin.get(`/auth/users/${id}`).expect(404);
    await server.admin.get(`/auth/users/${id}?sourceAppId=${app.sourceAppId}`).expect(200);
    const { text } = await server.admin
      .get(`/auth/users/export?columns=email&sourceAppId=${app.sourceAppId}`)
      .expect(200);
    expect(text).toBe('email\r\ncarol@example.com\r\nbob@example.org\r\nada@example.com\r\n');
    for (const path of ['', '/export', `/${id}`]) {
      await other.get(`/auth/users${path}?sourceAppId=${app.sourceAppId}`).expect(403);
      await server.admin.get(`/auth/users${path}?sourceAppId=nobody`).expect(404);
    }
    await other.delete(`/auth/users/${id}?sourceAppId=${app.sourceAppId}`).expect(403);
    await other.delete(`/auth/users?where=data.name:eq:a&confirm=0&sourceAppId=${app.sourceAppId}`).expect(403);
  });
});

describe('GET /auth/users/export', () => {
  const exported = async (query: string) => (await operator.get(`/auth/users/export?${query}`).expect(200)).text;

  it('takes the parameters of queries, columns and labels', async () => {
    expect(await exported('where=data.age:gte:18&columns=email,data.name&headers=labels&sort=email&order=desc')).toBe(
      'email,Full name\r\nbob@example.org,bob\r\nada@example.com,Ada Lovelace\r\n',
    );
    expect(await exported('q=lovelace&columns=data.age')).toBe('data.age\r\n36\r\n');
    expect(await exported('columns=other&where=email:eq:carol@example.com')).toBe(
      'other\r\n"{""extra"":""deep""}"\r\n',
    );
    expect(await exported('headers=paths&where=email:eq:none')).toBe(
      'id,email,schemaVersion,createdAt,updatedAt,data.name,data.age,data.born,data.agreed,data.plan,data.visits,other\r\n',
    );
    expect(
      JSON.parse(await exported('format=json&sort=data.age')).map(({ email }: { email: string }) => email[0]),
    ).toEqual(['b', 'a', 'c']);
  });

  it.each([
    'columns=',
    'columns=email,email',
    'columns=data.',
    'columns=appId',
    'headers=',
    'format=json&columns=email',
    'format=ndjson&headers=labels',
    'total=exact',
    'cursor=AAAA',
    'where=data.age:eq:x',
  ])('refuses %s', async (query) => {
    await operator.get(`/auth/users/export?${query}`).expect(400);
  });
});

describe('DELETE /auth/users', () => {
  it('erases the records that were counted, and only with their number', async () => {
    const own = await server.admin.buildApp({ fields });
    const client = await new Client(server.client.url).logIn(own.sourceAppId, own.password);
    for (let at = 0; at < 12; at += 1) {
      const submission = server.client.submit(own.sourceAppId, { email: `u${at}@x.org`, data: { age: at } });
      await submission.set('Idempotency-Key', `k${at}`).expect(200);
    }
    const path = '/auth/users?where=data.age:gte:4&where=data.age:lt:9';
    const { body } = await client.delete(`${path}&confirm=4`).expect(409);
    expect(body).toEqual({
      message: '5 records match; nothing was erased',
      code: 'otherCountErased',
      params: { count: 5 },
      errors: [{ path: 'confirm', message: 'must be 5', code: 'notCount', params: { count: 5 } }],
    });
    expect((await client.get('/auth/users?total=exact').expect(200)).body.total).toBe(12);
    expect((await client.delete(`${path}&confirm=5`).expect(200)).body).toEqual({ ok: true, deletedUsers: 5 });
    const left = (await client.get('/auth/users').expect(200)).body.users as { data: { age: number } }[];
    expect(left.map(({ data }) => data.age)).toEqual([11, 10, 9, 3, 2, 1, 0]);
    await client.delete(`${path}&confirm=0`).expect(200);
    const erasedByAdmin = `/auth/users?q=u11&confirm=1&sourceAppId=${own.sourceAppId}`;
    expect((await server.admin.delete(erasedByAdmin).expect(200)).body.deletedUsers).toBe(1);
  });

  // One kind at a time: a record that came and one that left would leave the count as confirmed.
  it.each([
    ['stop to match before they are deleted', (at: number) => `u${at}@x.org`, 2, 20],
    ['begin to match meanwhile', (at: number) => `new${at}@x.org`, 1, 20],
  ])('leaves records that %s', { tags: 'long' }, async (_name, email, age, kept) => {
    const own = await server.admin.buildApp({ fields });
    const client = await new Client(server.client.url).logIn(own.sourceAppId, own.password);
    const submit = (to: string, value: number) =>
      server.client.submit(own.sourceAppId, { email: to, data: { age: value } }).expect(200);
    const count = 400;
    for (let from = 0; from < count; from += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, at) => submit(`u${from + at}@x.org`, 1)));
    }
    const [{ body, status }] = await Promise.all([
      client.delete(`/auth/users?where=data.age:eq:1&confirm=${count}`),
      ...Array.from({ length: kept }, (_, at) => submit(email(at), age)),
    ]);
    const left = (await client.get('/auth/users').expect(200)).body.users as { email: string; data: { age: number } }[];
    const ages = new Map(left.map((user) => [user.email, user.data.age]));
    for (let at = 0; at < kept; at += 1) expect(ages.get(email(at))).toBe(age);
    // A count that a submission changed refuses the whole.
    expect([200, 409]).toContain(status);
    if (status === 200) expect(left).toHaveLength(kept);
    else expect(body.message).toMatch(/nothing was erased$/);
  });

  it.each([
    'confirm=1',
    'where=data.age:gt:1',
    'where=data.age:gt:1&confirm=-1',
    'where=data.age:gt:1&confirm=1&limit=1',
  ])('refuses %s', async (query) => {
    await operator.delete(`/auth/users?${query}`).expect(400);
  });
});

describe('GET /auth/admin/users and GET /auth/apps', () => {
  it('finds a person across apps, page by page', async () => {
    const found = async (parameters: Parameters) => {
      const all: [string, string][] = [];
      let cursor: string | undefined;
      do {
        const asked: Parameters = [
          ...parameters,
          ['limit', '1'],
          ...(cursor ? [['cursor', cursor] as [string, string]] : []),
        ];
        const page = await ask(asked, server.admin, '/auth/admin/users');
        const users = page.users as unknown as { email: string; sourceAppId: string }[];
        all.push(...users.map(({ email, sourceAppId }): [string, string] => [sourceAppId, email]));
        cursor = page.next;
      } while (cursor);
      return all;
    };
    const everywhere = await found([['where', 'email:eq:ADA@example.com']]);
    expect(everywhere).toHaveLength(2);
    expect(new Set(everywhere.map(([id]) => id)).size).toBe(2);
    expect(await found([['q', 'ada@']])).toEqual(everywhere);
    expect(await found([['q', 'lovelace']])).toEqual([[app.sourceAppId, 'ada@example.com']]);
    expect(
      await found([
        ['where', 'email:prefix:ca'],
        ['sourceAppId', app.sourceAppId],
      ]),
    ).toHaveLength(1);
    expect(
      await found([
        ['q', 'x'],
        ['sourceAppId', 'nobody'],
      ]),
    ).toEqual([]);
    await server.admin.get('/auth/admin/users?where=data.name:eq:a').expect(400);
    await server.admin.get('/auth/admin/users?where=createdAt:gt:2020-01-01').expect(400);
    await server.admin.get('/auth/admin/users?q=a&skip=1').expect(400);
    await operator.get('/auth/admin/users?q=a').expect(403);
  });

  it('lists apps page by page, by a part of their id', async () => {
    const { body: all } = await server.admin.get('/auth/apps').expect(200);
    const ids: string[] = [];
    let cursor = '';
    do {
      const { body } = await server.admin.get(`/auth/apps?limit=1&q=APP${cursor}`).expect(200);
      ids.push(...body.apps.map(({ sourceAppId }: { sourceAppId: string }) => sourceAppId));
      cursor = body.next ? `&cursor=${body.next}` : '';
    } while (cursor);
    const named = all.apps.filter(({ sourceAppId }: { sourceAppId: string }) => sourceAppId.includes('app'));
    expect(ids).toEqual(named.map(({ sourceAppId }: { sourceAppId: string }) => sourceAppId));
    expect((await server.admin.get('/auth/apps?q=.*').expect(200)).body).toEqual({ apps: [] });
    const { body } = await server.admin.get('/auth/apps?limit=1').expect(200);
    await server.admin.get(`/auth/apps?limit=1&q=a&cursor=${body.next}`).expect(400);
    await server.admin.get('/auth/apps?limit=0').expect(400);
  });

  it('lists apps by their times, page by page, each once', async () => {
    const names = ['never-1', 'old', 'new', 'never-2', 'same-1', 'same-2'].map((name) => `sorted-${name}`);
    for (const name of names) await server.services.apps.create(name, 'user');
    const times = { old: '2026-01-01', new: '2026-01-03', 'same-1': '2026-01-02', 'same-2': '2026-01-02' };
    for (const [name, at] of Object.entries(times)) {
      const update = { $set: { lastSubmissionAt: new Date(at) } };
      await server.db.collection('apps').updateOne({ sourceAppId: `sorted-${name}` }, update);
    }
    const pages = async (query: string) => {
      const found: string[] = [];
      let cursor = '';
      do {
        const { body } = await server.admin.get(`/auth/apps?q=sorted-&${query}${cursor}`).expect(200);
        found.push(...body.apps.map((app: { sourceAppId: string }) => app.sourceAppId.slice('sorted-'.length)));
        cursor = body.next ? `&cursor=${body.next}` : '';
      } while (cursor);
      return found;
    };
    const bySubmission = ['never-1', 'never-2', 'old', 'same-1', 'same-2', 'new'];
    for (const limit of [1, 2, 4, 50]) {
      expect(await pages(`sort=lastSubmissionAt&order=asc&limit=${limit}`)).toEqual(bySubmission);
      expect(await pages(`sort=lastSubmissionAt&limit=${limit}`)).toEqual([...bySubmission].reverse());
      expect(await pages(`sort=createdAt&order=asc&limit=${limit}`)).toEqual(names.map((name) => name.slice(7)));
      expect(await pages(`sort=sourceAppId&order=desc&limit=${limit}`)).toEqual(
        names
          .map((name) => name.slice(7))
          .sort()
          .reverse(),
      );
    }
    const { body } = await server.admin.get('/auth/apps?limit=1&sort=createdAt').expect(200);
    await server.admin.get(`/auth/apps?limit=1&cursor=${body.next}`).expect(400);
    await server.admin.get('/auth/apps?sort=role').expect(400);
  });
});
