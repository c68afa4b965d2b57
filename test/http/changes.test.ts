import { UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { createRecordEraser } from '../../src/features/records/erasure.ts';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { appDocument, expectSlotsOfRecords, untilReady } from '../support/database/index-slots.ts';
import { joinApp } from '../support/server/accounts.ts';
import { beginChange, untilChange } from '../support/server/changes.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { storePeople } from '../support/server/stored-people.ts';

const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text', required: true, maxLength: 20 },
  { key: 'plan', kind: 'select', enum: ['free', 'pro'], indexed: true },
  { key: 'age', kind: 'number' },
];

let a: TestServer;
let b: TestServer;
/** Runs no jobs. */
let idle: TestServer;
beforeAll(async () => {
  a = await startServer({}, undefined, { pollEveryMs: 100, writesEndMs: 300 });
  b = await startServer({}, a.database, { pollEveryMs: 100, writesEndMs: 300 });
  idle = await startServer();
  await idle.services.jobs.stop();
});
afterAll(async () => {
  await idle.close();
  await b.close();
  await a.close();
});

/** An app with so many records, `p0@x.org` and so on. */
async function people(count: number, server = a) {
  const { sourceAppId, password } = await server.admin.buildApp({ fields: FIELDS });
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const data = { name: `P${n}`, plan: 'free', age: n, ...(n % 2 && { extra: 'x' }) };
    const { body } = await server.client.submit(sourceAppId, { email: `p${n}@x.org`, data }).expect(200);
    ids.push(body.id);
  }
  const operator = await new Client(server === a ? b.client.url : server.client.url).logIn(sourceAppId, password);
  const path = (n: number) => `/auth/users/${ids[n]}`;
  return {
    sourceAppId,
    operator,
    ids,
    path,
    begin: (confirm: number, change: object, where?: string) =>
      beginChange(operator, sourceAppId, confirm, change, where),
    until: (id: string) => untilChange(operator, sourceAppId, id),
    data: async (n: number) => (await operator.get(path(n)).expect(200)).body.data,
    history: async (n: number) => (await operator.get(`${path(n)}/history`).expect(200)).body.entries,
  };
}

describe('PATCH /auth/users', () => {
  it('changes each matching user once, with an entry of the history, and leaves the others', {
    tags: 'long',
  }, async () => {
    const { sourceAppId, begin, until, data, history, operator } = await people(7);
    await untilReady(a, sourceAppId, ['plan']);
    const id = await begin(4, { set: { plan: 'pro', note: [1] }, unset: ['extra', 'absent'] }, 'data.age:lt:4');
    const ended = await until(id);
    expect(ended).toMatchObject({ id, state: 'completed', total: 4, done: 4, changed: 4, refused: 0, errors: [] });
    expect(await data(1)).toEqual({ name: 'P1', plan: 'pro', age: 1, note: [1] });
    expect(await data(4)).toEqual({ name: 'P4', plan: 'free', age: 4 });
    expect(await history(1)).toMatchObject([
      {
        revision: 1,
        by: { kind: 'edit', change: id },
        changes: [
          { path: 'data.plan', before: 'free', after: 'pro' },
          { path: 'data.note', after: [1] },
          { path: 'data.extra', before: 'x' },
        ],
      },
    ]);
    expect(await expectSlotsOfRecords(a, sourceAppId)).toBe(7);
    const { body } = await operator.get('/auth/users?where=data.plan:eq:pro&total=exact').expect(200);
    expect(body.total).toBe(4);
    expect((await operator.get('/auth/changes').expect(200)).body.changes).toEqual([ended]);
  });

  it('keeps the words of searches and the order of choices', { tags: 'long' }, async () => {
    const fields: FieldDefinitionInput[] = [
      ...FIELDS,
      { key: 'days', kind: 'multiselect', enum: ['mon', 'tue', 'wed'] },
    ];
    const { sourceAppId, password } = await a.admin.buildApp({ fields });
    for (const name of ['Ada', 'Eve']) {
      await a.client.submit(sourceAppId, { email: `${name}@x.org`, data: { name, note: 'Sévigné' } }).expect(200);
    }
    const operator = await new Client(b.client.url).logIn(sourceAppId, password);
    await a.admin.put(`/auth/apps/${sourceAppId}/search`, { enabled: true }).expect(200);
    const state = async () => (await a.admin.get(`/auth/apps/${sourceAppId}/search`).expect(200)).body.state;
    await expect.poll(state).toBe('ready');
    const id = await beginChange(
      operator,
      sourceAppId,
      1,
      { set: { name: 'Zoë', days: ['wed', 'mon'] } },
      'data.name:eq:Ada',
    );
    await untilChange(operator, sourceAppId, id);
    const found = async (q: string) => {
      const { body } = await operator.get(`/auth/users?limit=5&q=${encodeURIComponent(q)}`).expect(200);
      return body.users.map((one: { data: object }) => one.data);
    };
    expect(await found('zoe')).toEqual([{ name: 'Zoë', note: 'Sévigné', days: ['mon', 'wed'] }]);
    expect(await found('sevig zoe')).toHaveLength(1);
    expect(await found('sevig')).toHaveLength(2);
    expect(await found('ada')).toHaveLength(1); // the email
  });

  it('tells the true count when it differs, refuses what the schema refuses, and begins nothing', async () => {
    const { operator, begin, data } = await people(3);
    const patch = (query: string, body: object) => operator.patch(`/auth/users?${query}`, body);
    const { body } = await patch('where=data.age:lt:2&confirm=3', { set: { age: 9 } }).expect(409);
    expect(body).toEqual({
      message: '2 records match; nothing was changed',
      code: 'otherCountChanged',
      params: { count: 2 },
      errors: [{ path: 'confirm', message: 'must be 2', code: 'notCount', params: { count: 2 } }],
    });
    await patch('where=data.age:lt:2&confirm=2', { set: { age: 'x' } }).expect(400);
    await patch('where=data.age:lt:2&confirm=2', { unset: ['name'] }).expect(400);
    await patch('where=data.age:lt:2&confirm=2', {}).expect(400);
    await patch('where=data.age:lt:2&confirm=2', { set: { age: 1 }, unset: ['age'] }).expect(400);
    await patch('confirm=3', { set: { age: 1 } }).expect(400);
    expect((await operator.get('/auth/changes').expect(200)).body.changes).toEqual([]);
    expect((await data(0)).age).toBe(0);
    expect(await begin(0, { set: { age: 1 } }, 'data.age:gt:100')).toBeTruthy();
  });

  it('changes users that are named by their ids', { tags: 'long' }, async () => {
    const { operator, ids, data, until } = await people(3);
    const patch = (query: string, named: unknown[]) =>
      operator.patch(`/auth/users?${query}`, { set: { age: 50 }, ids: named });
    await patch('confirm=1', ids.slice(0, 2)).expect(409);
    await patch('confirm=2&where=data.age:gt:0', ids.slice(0, 2)).expect(400);
    await patch('confirm=1', ['nonsense']).expect(400);
    const other = await people(1);
    const { body } = await patch('confirm=3', [...ids.slice(0, 2), ids[0], other.ids[0]]).expect(200);
    expect(await until(body.id)).toMatchObject({ total: 3, changed: 2, refused: 1 });
    expect([await data(0), await data(1), await data(2)].map(({ age }) => age)).toEqual([50, 50, 2]);
    expect((await other.data(0)).age).toBe(0);
  });

  it('is for editors of the app; others see its progress or nothing', { tags: 'long' }, async () => {
    const { sourceAppId, until } = await people(1);
    const { client: viewer } = await joinApp(a, sourceAppId, 'viewer');
    const { client: editor, id: account } = await joinApp(a, sourceAppId, 'editor');
    await viewer.patch('/auth/users?where=data.age:eq:0&confirm=1', { set: { age: 1 } }).expect(403);
    const { body } = await editor.patch('/auth/users?where=data.age:eq:0&confirm=1', { set: { age: 1 } }).expect(200);
    await until(body.id);
    await viewer.get(`/auth/changes/${body.id}`).expect(200);
    await viewer.post(`/auth/changes/${body.id}/undo`).expect(403);
    await viewer.delete(`/auth/changes/${body.id}`).expect(403);
    const other = await people(1);
    await other.operator.get(`/auth/changes/${body.id}`).expect(404);
    await other.operator.post(`/auth/changes/${body.id}/undo`).expect(404);
    await other.operator.delete(`/auth/changes/${body.id}`).expect(404);
    await other.operator.get('/auth/changes/nonsense').expect(404);
    const { body: log } = await a.admin.get(`/auth/audit?sourceAppId=${sourceAppId}&action=users.changed`).expect(200);
    expect(log.events).toMatchObject([{ target: body.id, actor: { id: account }, detail: { users: 1 } }]);
  });

  it('waits for its turn: at most five of an app, and changes nobody who was erased meanwhile', {
    tags: 'long',
  }, async () => {
    const { sourceAppId, begin, operator, path } = await people(3, idle);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await begin(3, { set: { age: 100 + n } }));
    await operator.patch('/auth/users?where=data.age:lt:9&confirm=3', { set: { age: 1 } }).expect(409);
    await operator.post(`/auth/changes/${ids[0]}/undo`).expect(409);
    await operator.delete(path(1)).expect(200);
    const runner = await startServer({}, idle.database, { pollEveryMs: 100 });
    try {
      const last = await untilChange(operator, sourceAppId, ids[4] as string);
      expect(last).toMatchObject({ changed: 2, refused: 1, errors: [{ message: 'was erased' }] });
      // In the order of their creation.
      expect((await operator.get(path(0)).expect(200)).body.data.age).toBe(104);
      const { body } = await operator.get(`${path(0)}/history`).expect(200);
      expect(body.entries.map(({ by }: { by: { change: string } }) => by.change)).toEqual(ids.toReversed());
    } finally {
      await runner.close();
    }
  });

  it('stops, and a stopped one can be undone', { tags: 'long' }, async () => {
    const { sourceAppId, begin, operator, data } = await people(3, idle);
    const id = await begin(3, { set: { age: 50 } });
    await operator.delete(`/auth/changes/${id}`).expect(200);
    const runner = await startServer({}, idle.database, { pollEveryMs: 100 });
    try {
      expect(await untilChange(operator, sourceAppId, id)).toMatchObject({ state: 'stopped', done: 0 });
      expect((await data(0)).age).toBe(0);
      await operator.delete(`/auth/changes/${id}`).expect(200);
      await operator.post(`/auth/changes/${id}/undo`).expect(200);
      expect(await untilChange(operator, sourceAppId, id)).toMatchObject({ state: 'undone', undo: { done: 0 } });
    } finally {
      await runner.close();
    }
  });

  it('is deleted with its app, and of 50 older ones only the newest are kept', { tags: 'long' }, async () => {
    const { sourceAppId, begin, until } = await people(1);
    const { _id: appId } = await appDocument(a, sourceAppId);
    const changes = a.db.collection('changes');
    const id = await begin(1, { set: { age: 5 } });
    await until(id);
    const one = await changes.findOne({ appId });
    const { _id: _, ...rest } = one ?? {};
    await changes.insertMany(Array.from({ length: 60 }, () => ({ ...rest })));
    await until(await begin(1, { set: { age: 6 } }));
    expect(await changes.countDocuments({ appId })).toBe(50);
    await a.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    expect(await changes.countDocuments({ appId })).toBe(0);
    expect(await a.db.collection('change_records').countDocuments({ appId })).toBe(0);
  });

  it('passes thousands of records, while they are submitted and edited', { tags: 'long' }, async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: FIELDS });
    const { _id: appId } = await appDocument(a, sourceAppId);
    await storePeople(a, sourceAppId, 600, (n) => ({ name: 'P', age: n }));
    const users = a.db.collection('users');
    const first = await users.findOne({ appId, email: 'p0@x.org' });
    const id = await beginChange(a.admin, sourceAppId, 600, { set: { plan: 'pro' } });
    const racing = Array.from({ length: 40 }, (__, n) =>
      a.client.submit(sourceAppId, { email: `p${n * 14 + 1}@x.org`, data: { name: `new ${n}`, age: n } }).expect(200),
    );
    const path = `/auth/users/${first?._id}?sourceAppId=${sourceAppId}`;
    for (let n = 0; n < 10; n += 1) await b.admin.patch(path, { set: { age: n } }).expect(200);
    await Promise.all(racing);
    const ended = await untilChange(a.admin, sourceAppId, id);
    expect(ended).toMatchObject({ state: 'completed', done: 600, changed: 600, refused: 0 });
    expect(await users.countDocuments({ appId, 'data.plan': 'pro', 'change.id': { $exists: true } })).toBe(600);
    await a.admin.post(`/auth/changes/${id}/undo?sourceAppId=${sourceAppId}`).expect(200);
    const undone = await untilChange(a.admin, sourceAppId, id, ({ state }) => state === 'undone');
    expect(undone.undo).toMatchObject({ done: 600, changed: 600, refused: 0, errors: [] });
    expect(await users.countDocuments({ appId, 'data.plan': { $exists: true } })).toBe(0);
    expect(await users.countDocuments({ appId, 'data.age': 39 })).toBeGreaterThan(0);
  });
});

describe('POST /auth/changes/:id/undo', () => {
  it('restores what the change set where it is still stored, and says what it left', async () => {
    const { begin, until, operator, path, data, history, ids } = await people(4);
    await operator.patch(path(3), { set: { age: 77 } }).expect(200);
    const id = await begin(4, { set: { age: 77, plan: 'pro' } });
    expect(await until(id)).toMatchObject({ changed: 4 });
    await operator.patch(path(0), { set: { age: 5 } }).expect(200);
    await operator.patch(path(1), { set: { age: 6, plan: 'free' } }).expect(200);
    await operator.patch(path(2), { set: { name: 'Other' } }).expect(200);
    await operator.post(`/auth/changes/${id}/undo`).expect(200);
    const ended = await until(id);
    expect(ended).toMatchObject({ state: 'undone', changed: 4, undo: { done: 4, changed: 3, refused: 1 } });
    expect(ended.undo?.errors).toEqual(
      expect.arrayContaining([
        { id: ids[0], message: 'changed since: data.age' },
        { id: ids[1], message: 'changed since: data.age, data.plan' },
      ]),
    );
    expect(await data(0)).toMatchObject({ age: 5, plan: 'free' });
    expect(await data(1)).toMatchObject({ age: 6, plan: 'free' });
    expect(await data(2)).toMatchObject({ name: 'Other', age: 2, plan: 'free' });
    expect(await data(3)).toMatchObject({ age: 77, plan: 'free' });
    expect((await history(2))[0]).toMatchObject({ by: { kind: 'revert', change: id } });
    await operator.post(`/auth/changes/${id}/undo`).expect(409);
  });

  it('finds what was moved out of records, under the new key of a renamed field', { tags: 'long' }, async () => {
    const { sourceAppId, begin, until, operator, path, data } = await people(2);
    const id = await begin(2, { set: { age: 70 } });
    await until(id);
    for (let n = 0; n < 20; n += 1) await operator.patch(path(0), { set: { name: `N${n}` } }).expect(200);
    const fields = FIELDS.map((field) => (field.key === 'age' ? { ...field, key: 'years' } : field));
    const renamed = { rejectUnknown: false, fields, renames: [{ from: 'age', to: 'years' }] };
    await a.admin.put(`/auth/apps/${sourceAppId}/schema`, renamed).expect(200);
    await operator.post(`/auth/changes/${id}/undo`).expect(200);
    expect(await until(id)).toMatchObject({ state: 'undone', undo: { changed: 2, refused: 0 } });
    expect(await data(0)).toMatchObject({ years: 0, name: 'N19' });
    expect(await data(1)).toMatchObject({ years: 1 });
  });
});

describe('a change whose records are erased', () => {
  type People = Awaited<ReturnType<typeof people>>;
  const ofOne = (n: number) => `email:eq:p${n}@x.org`;
  const dumpOf = async (server: TestServer) =>
    JSON.stringify(
      await Promise.all(['changes', 'change_records'].map((name) => server.db.collection(name).find().toArray())),
    );

  it.each<[string, (of: People) => PromiseLike<unknown>]>([
    ['one by one', ({ operator, path }) => operator.delete(path(0)).expect(200)],
    ['by a query', ({ operator }) => operator.delete(`/auth/users?where=${ofOne(0)}&confirm=1`).expect(200)],
    [
      'by a server that stops after it has deleted them',
      async ({ sourceAppId, ids: [id = ''] }) => {
        const { _id: appId } = await appDocument(a, sourceAppId);
        const killed = new Error('the process ends');
        const erase = createRecordEraser({
          users: a.db.collection('users') as never,
          erasures: a.db.collection('erasures') as never,
          newId: createOrderedIds(),
          hasConsumers: async () => false,
          traces: [{ exist: async () => true, remove: () => Promise.reject(killed) }],
          guardOfErased: () => async () => new Date(),
          onEvents: () => undefined,
        });
        await expect(erase(appId, [new UUID(id)])).rejects.toBe(killed);
      },
    ],
  ])('is removed with the last of them: %s', { tags: 'long' }, async (_, erase) => {
    const app = await people(2);
    const { begin, until, operator } = app;
    const secret = `secret-${app.sourceAppId}`.slice(0, 20);
    const [one, both] = [await begin(1, { set: { name: secret } }, ofOne(0)), await begin(2, { set: { age: 5 } })];
    for (const id of [one, both]) await until(id);
    expect(await dumpOf(a)).toContain(secret);
    await erase(app);
    await expect.poll(async () => (await operator.get(`/auth/changes/${one}`)).status).toBe(404);
    expect(await dumpOf(a)).not.toContain(secret);
    await operator.get(`/auth/changes/${both}`).expect(200);
    await operator.delete(app.path(1)).expect(200);
    await operator.get(`/auth/changes/${both}`).expect(404);
    const { _id: appId } = await appDocument(a, app.sourceAppId);
    expect(await a.db.collection('change_records').countDocuments({ appId })).toBe(0);
  });

  it('is removed when it runs, if their erasure ended before it was stored', async () => {
    const { begin, operator, ids } = await people(1, idle);
    const id = await begin(1, { set: { name: 'secret' } });
    await idle.db.collection<{ _id: UUID }>('users').deleteOne({ _id: new UUID(ids[0]) });
    await operator.get(`/auth/changes/${id}`).expect(200);
    const running = await startServer({}, idle.database, { pollEveryMs: 100 });
    await expect.poll(async () => (await operator.get(`/auth/changes/${id}`)).status).toBe(404);
    await running.close();
  });
});
