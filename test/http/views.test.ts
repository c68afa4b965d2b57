import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../support/run/rounds.ts';
import { joinApp, logIn } from '../support/server/accounts.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { createKey } from '../support/server/keys.ts';
import { rename, untilRenamed } from '../support/server/renames.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

const VIEW = {
  name: 'Paying',
  query: 'q=ada&where=data.plan%3Aeq%3Apro',
  columns: ['email', 'data.plan'],
  sort: 'data.plan:desc',
  shared: false,
};
const FIELDS = [{ key: 'plan', kind: 'select' as const, enum: ['free', 'pro'] }];

let a: TestServer;
let b: TestServer;
let app: TestApp;
let operator: Client;
beforeAll(async () => {
  // The move of a renamed field waits for late writes.
  const times = { writesEndMs: 300 };
  a = await startServer({ RATE_LIMIT_LOGIN: '0' }, undefined, times);
  b = await startServer({ RATE_LIMIT_LOGIN: '0' }, a.database, times);
  app = await a.admin.buildApp({ fields: FIELDS, rejectUnknown: true });
  operator = await logInTo(app);
});
afterAll(async () => {
  await b.close();
  await a.close();
});

const logInTo = ({ sourceAppId, password }: TestApp, server = a) =>
  new Client(server.client.url).logIn(sourceAppId, password);
const join = (role: string) => joinApp(a, app.sourceAppId, role);
const create = async (client: Client, view: object = {}) =>
  (await client.post('/auth/views', { ...VIEW, ...view }).expect(200)).body;
const namesOf = async (client: Client): Promise<string[]> =>
  (await client.get('/auth/views').expect(200)).body.views.map(({ name }: { name: string }) => name);
const stored = (filter: object) => a.db.collection('views').countDocuments(filter);

describe('a view (spec 4.3.4)', () => {
  it('is kept as it was saved, changed in part, and deleted', async () => {
    const own = await logInTo(await a.admin.buildApp({ fields: FIELDS, rejectUnknown: true }));
    const { body: view, headers } = await own.post('/auth/views', VIEW).expect(200);
    const { id, revision } = view;
    const details = { id, revision, updatedAt: expect.any(String), missing: [] };
    expect(view).toEqual({ ...VIEW, ...details });
    expect(headers.etag).toBe(`"${revision}"`);
    expect((await own.get('/auth/views').expect(200)).body).toEqual({ views: [view] });
    const { body: changed } = await own
      .patch(`/auth/views/${id}`, { name: `Renamed${' '.repeat(60)}`, sort: '' })
      .expect(200);
    expect(changed).toMatchObject({ ...VIEW, name: 'Renamed', sort: '' });
    expect(changed.revision).not.toBe(revision);
    await own.delete(`/auth/views/${id}`).expect(200, { ok: true });
    await own.delete(`/auth/views/${id}`).expect(404);
    await own.patch(`/auth/views/${id}`, { name: 'x' }).expect(404);
    expect((await own.get('/auth/views')).body).toEqual({ views: [] });
  });

  it('has defaults for all but its name', async () => {
    const { body } = await operator.post('/auth/views', { name: 'All' }).expect(200);
    expect(body).toMatchObject({ name: 'All', query: '', columns: [], sort: '', shared: false, missing: [] });
    await operator.delete(`/auth/views/${body.id}`).expect(200);
  });

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['an empty name', { name: ' ' }, 'name'],
    ['a long name', { name: 'x'.repeat(61) }, 'name'],
    ['a long query', { query: 'x'.repeat(8_001) }, 'query'],
    ['columns that are a text', { columns: 'email' }, 'columns'],
    ['too many columns', { columns: Array(301).fill('email') }, 'columns'],
    ['a long column', { columns: ['x'.repeat(61)] }, 'columns.0'],
    ['a long order', { sort: 'x'.repeat(101) }, 'sort'],
    ['shared as a text', { shared: 'yes' }, 'shared'],
    ['another member', { owner: 'shared' }, 'owner'],
  ])('with %s is 400', async (_, part, path) => {
    const { body } = await operator.post('/auth/views', { ...VIEW, ...part }).expect(400);
    expect(body.errors.map((issue: { path: string }) => issue.path)).toEqual([path]);
  });

  it('names what the newest schema does not have', async () => {
    const own = await a.admin.buildApp({ fields: [...FIELDS, { key: 'age', kind: 'number' }], rejectUnknown: true });
    const client = await logInTo(own);
    const where = ['data.plan:eq:pro', 'data.age:gte:18', 'email:prefix:a'];
    const query = new URLSearchParams(where.map((one): [string, string] => ['where', one])).toString();
    await create(client, { query, columns: ['email', 'data.age', 'updatedAt'], sort: 'data.age:asc' });
    const missing = async () => (await client.get('/auth/views').expect(200)).body.views[0].missing;
    expect(await missing()).toEqual([]);
    await a.admin.putSchema(own.sourceAppId, { fields: FIELDS, rejectUnknown: true }).expect(200);
    expect(await missing()).toEqual([
      { part: 'where', value: 'data.age:gte:18' },
      { part: 'columns', value: 'data.age' },
      { part: 'sort', value: 'data.age:asc' },
    ]);
    // As a text the field is there again, without that comparison.
    const fields = [...FIELDS, { key: 'age', kind: 'text' as const }];
    await a.admin.putSchema(own.sourceAppId, { fields, rejectUnknown: true }).expect(200);
    expect(await missing()).toEqual([{ part: 'where', value: 'data.age:gte:18' }]);
  });

  it('follows the renames of fields, also to the former key of another', { tags: 'long' }, async () => {
    const kinds = { a: 'text', b: 'text', c: 'number' } as const;
    const fieldsOf = (keys: readonly string[]) =>
      keys.map((key, at) => ({ key, kind: Object.values(kinds)[at] ?? 'text' }));
    const own = await a.admin.buildApp({ fields: fieldsOf(['a', 'b', 'c']), rejectUnknown: true });
    const client = await logInTo(own);
    const where = ['data.a:eq:data.b:c', 'email:prefix:a', 'data.c:gte:1'];
    const query = new URLSearchParams([...where.map((one): [string, string] => ['where', one]), ['by', 'data.b']]);
    const view = { name: 'Own', query: `${query}`, columns: ['email', 'data.b', 'data.a'], sort: 'data.c:desc' };
    const { id } = (await client.post('/auth/views', view).expect(200)).body;
    const steps = [
      {
        keys: ['x', 'b', 'd'],
        renames: [
          { from: 'a', to: 'x' },
          { from: 'c', to: 'd' },
        ],
      },
      { keys: ['x', 'a', 'd'], renames: [{ from: 'b', to: 'a' }] },
    ];
    for (const { keys, renames } of steps) {
      await rename(a.admin, own.sourceAppId, { fields: fieldsOf(keys), renames }).expect(200);
      await untilRenamed(a, own.sourceAppId);
    }
    const expected = {
      name: 'Own',
      columns: ['email', 'data.a', 'data.x'],
      sort: 'data.d:desc',
      missing: [],
      query: 'where=data.x%3Aeq%3Adata.b%3Ac&where=email%3Aprefix%3Aa&where=data.d%3Agte%3A1&by=data.a',
    };
    for (const server of [a, b]) {
      const { views } = (await (await logInTo(own, server)).get('/auth/views').expect(200)).body;
      expect(views).toEqual([expect.objectContaining(expected)]);
    }
    // A change of its name stores it under the present keys, once.
    const { body: changed } = await client.patch(`/auth/views/${id}`, { name: 'Renamed' }).expect(200);
    expect(changed).toMatchObject({ ...expected, name: 'Renamed' });
    expect((await client.get('/auth/views').expect(200)).body.views).toEqual([changed]);
  });
});

describe('who sees and changes views', () => {
  it('everybody of the app sees shared ones, and managers and admins change them', async () => {
    const [manager, editor, viewer] = await Promise.all(['manager', 'editor', 'viewer'].map(join));
    if (!manager || !editor || !viewer) throw new Error('not joined');
    for (const { client } of [editor, viewer]) {
      await client.post('/auth/views', { ...VIEW, shared: true }).expect(403);
    }
    const { id } = await create(manager.client, { name: 'Team', shared: true });
    for (const client of [viewer.client, operator, a.admin]) {
      const query = client === a.admin ? `?sourceAppId=${app.sourceAppId}` : '';
      const { body } = await client.get(`/auth/views${query}`).expect(200);
      expect(body.views).toMatchObject([{ id, name: 'Team', shared: true }]);
    }
    for (const { client } of [editor, viewer]) {
      await client.patch(`/auth/views/${id}`, { name: 'x' }).expect(403);
      await client.delete(`/auth/views/${id}`).expect(403);
    }
    await a.admin.patch(`/auth/views/${id}?sourceAppId=${app.sourceAppId}`, { name: 'Of the team' }).expect(200);
    await operator.delete(`/auth/views/${id}`).expect(200);
  });

  it('own ones are seen by their account alone, until a manager shares them', async () => {
    const [manager, viewer] = await Promise.all(['manager', 'viewer'].map(join));
    if (!manager || !viewer) throw new Error('not joined');
    const { id } = await create(viewer.client, { name: 'Mine' });
    const own = await create(manager.client, { name: 'Draft' });
    expect(await namesOf(viewer.client)).toEqual(['Mine']);
    expect(await namesOf(manager.client)).toEqual(['Draft']);
    for (const client of [operator, manager.client]) {
      await client.patch(`/auth/views/${id}`, { name: 'x' }).expect(404);
      await client.delete(`/auth/views/${id}`).expect(404);
    }
    await viewer.client.patch(`/auth/views/${id}`, { shared: true }).expect(403);
    await manager.client.patch(`/auth/views/${own.id}`, { shared: true }).expect(200);
    expect(await namesOf(viewer.client)).toEqual(['Draft', 'Mine']);
    expect(await stored({ _id: new ObjectId(own.id as string), accountId: { $exists: true } })).toBe(0);
    await manager.client.patch(`/auth/views/${own.id}`, { shared: false }).expect(200);
    expect(await namesOf(viewer.client)).toEqual(['Mine']);
    await viewer.client.delete(`/auth/views/${id}`).expect(200);
  });

  it('an admin with an account, who works on every app, has own ones and saves shared ones', async () => {
    const { id: accountId, email } = await join('viewer');
    await a.admin.patch(`/auth/accounts/${accountId}`, { admin: true }).expect(200);
    const admin = new Client(a.client.url);
    await logIn(admin, email).expect(200);
    const query = `?sourceAppId=${app.sourceAppId}`;
    const own = await admin.post(`/auth/views${query}`, { ...VIEW, name: 'Mine' }).expect(200);
    const shared = await admin.post(`/auth/views${query}`, { ...VIEW, name: 'Ours', shared: true }).expect(200);
    const { body } = await admin.get(`/auth/views${query}`).expect(200);
    expect(body.views).toMatchObject([{ name: 'Mine' }, { name: 'Ours', shared: true }]);
    expect(await namesOf(operator)).toEqual(['Ours']);
    for (const one of [own, shared]) await admin.delete(`/auth/views/${one.body.id}${query}`).expect(200);
  });

  it('without an account they belong to all who log in with the password of the app', async () => {
    const { id } = await create(operator, { name: 'At the desk' });
    expect(await namesOf(await logInTo(app, b))).toEqual(['At the desk']);
    expect(await namesOf((await join('manager')).client)).toEqual([]);
    const asAdmin = await a.admin.get(`/auth/views?sourceAppId=${app.sourceAppId}`).expect(200);
    expect(asAdmin.body.views).toEqual([]);
    await operator.delete(`/auth/views/${id}`).expect(200);
  });

  it('no app, no key and nobody without a session reaches those of another app', async () => {
    const { id } = await create(operator, { shared: true });
    const other = await logInTo(await a.admin.buildApp());
    await other.patch(`/auth/views/${id}`, { name: 'x' }).expect(404);
    await other.get(`/auth/views?sourceAppId=${app.sourceAppId}`).expect(403);
    await new Client(a.client.url).get('/auth/views').expect(401);
    const key = await createKey(a, operator, ['users:read', 'users:write']);
    await key.send('get', '/auth/views').expect(403);
    await operator.delete(`/auth/views/${id}`).expect(200);
  });
});

describe('views at the same time, on two servers', () => {
  it('of two changes of one state, one takes place and the other is 412', { tags: 'long' }, async () => {
    const first = await join('manager');
    const second = await logInTo(app, b);
    const { id } = await create(first.client, { shared: true });
    for (let round = 0; round < rounds(30, 6); round += 1) {
      const { body } = await first.client.get('/auth/views').expect(200);
      const [view] = body.views;
      const tag = `"${view.revision}"`;
      const answers = await Promise.all(
        [first.client, second].map((client, index) =>
          client.patch(`/auth/views/${id}`, { name: `${round} ${index}` }).set('If-Match', tag),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
      const winner = answers.findIndex(({ status }) => status === 200);
      expect(await namesOf(first.client)).toEqual([`${round} ${winner}`]);
    }
    await first.client.delete(`/auth/views/${id}`).expect(200);
  });

  it('are at most 50 shared ones and 50 of each account, however many are saved at once', {
    tags: 'long',
  }, async () => {
    const own = await a.admin.buildApp();
    const clients = [await logInTo(own), await logInTo(own, b)];
    const save = (client: Client, shared: boolean, index: number) =>
      client.post('/auth/views', { name: `View ${index}`, shared });
    const saved = await Promise.all(
      Array.from({ length: 60 }, (_, index) => save(clients[index % 2] as Client, true, index)),
    );
    const statuses = saved.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 409]));
    const { body } = await (clients[0] as Client).get('/auth/views').expect(200);
    expect(body.views).toHaveLength(statuses.filter((status) => status === 200).length);
    for (let index = body.views.length; index < 50; index += 1)
      await save(clients[0] as Client, true, index).expect(200);
    await save(clients[1] as Client, true, 50).expect(409);
    await save(clients[1] as Client, false, 51).expect(200);
    // There is no room for one that becomes shared either.
    const { body: mine } = await save(clients[1] as Client, false, 52).expect(200);
    await (clients[1] as Client).patch(`/auth/views/${mine.id}`, { shared: true }).expect(409);
    await (clients[1] as Client).patch(`/auth/views/${mine.id}`, { name: 'Still mine' }).expect(200);
  });

  it('are removed with their account, also those that it saves meanwhile', { tags: 'long' }, async () => {
    for (let round = 0; round < rounds(15, 4); round += 1) {
      const { client, id } = await join('viewer');
      await create(client);
      const late = Array.from({ length: 5 }, () => client.post('/auth/views', VIEW));
      const [erased] = await Promise.all([b.admin.delete(`/auth/accounts/${id}`), ...late]);
      expect(erased.status).toBe(200);
      expect(await stored({ accountId: new ObjectId(id) })).toBe(0);
    }
  });

  it('are not stored when the statement of an erased account arrives late', async () => {
    const { proxy, slow } = await startSlow({ RATE_LIMIT_LOGIN: '0' }, a.database);
    try {
      const { email, id } = await join('viewer');
      const client = new Client(slow.client.url);
      await logIn(client, email).expect(200);
      const held = proxy.holdNext('aggregate', 'accounts');
      const saving = client.post('/auth/views', VIEW).then(({ status }) => status);
      const release = await held;
      await a.admin.delete(`/auth/accounts/${id}`).expect(200);
      await release();
      expect(await saving).toBe(401);
      expect(await stored({ accountId: new ObjectId(id) })).toBe(0);
    } finally {
      await slow.close();
    }
  });

  it('have the present keys after a change by a server that has read an older schema', { tags: 'long' }, async () => {
    const { proxy, slow } = await startSlow({ RATE_LIMIT_LOGIN: '0' }, a.database);
    try {
      const text = (key: string) => ({ key, kind: 'text' as const });
      const own = await a.admin.buildApp({ fields: [text('a'), text('b')], rejectUnknown: true });
      const [client, late] = [await logInTo(own), await logInTo(own, slow)];
      const { id } = await create(client, { query: 'where=data.a%3Aeq%3A1', columns: ['data.a', 'data.b'], sort: '' });
      const held = proxy.holdNext('find', 'views');
      const changing = late.patch(`/auth/views/${id}`, { columns: ['data.b'], sort: 'data.b:asc' }).expect(200);
      const answered = changing.then(({ body }) => body);
      const release = await held;
      const renames = [
        { from: 'a', to: 'x' },
        { from: 'b', to: 'y' },
      ];
      await rename(a.admin, own.sourceAppId, { fields: [text('x'), text('y')], renames }).expect(200);
      await client.patch(`/auth/views/${id}`, { name: 'Moved' }).expect(200);
      await release();
      const expected = { name: 'Moved', query: 'where=data.x%3Aeq%3A1', columns: ['data.y'], sort: 'data.y:asc' };
      expect(await answered).toMatchObject(expected);
      expect((await client.get('/auth/views').expect(200)).body.views).toMatchObject([expected]);
    } finally {
      await slow.close();
    }
  });

  it('are removed with their app', async () => {
    const own = await a.admin.buildApp();
    const { id } = await create(await logInTo(own), { shared: true });
    expect(await stored({ _id: new ObjectId(id as string) })).toBe(1);
    await b.admin.delete(`/auth/apps/${own.sourceAppId}`).expect(200);
    expect(await stored({ _id: new ObjectId(id as string) })).toBe(0);
  });
});
