import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { joinApp } from '../support/server/accounts.ts';
import { Client } from '../support/server/client.ts';
import { runImport } from '../support/server/imports.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text', required: true, maxLength: 20 },
  { key: 'age', kind: 'number' },
  { key: 'visits', kind: 'array' },
];

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer({}, undefined, { retentionEveryMs: 100, pollEveryMs: 100 });
  b = await startServer({}, a.database, { retentionEveryMs: 100, pollEveryMs: 100 });
});
afterAll(async () => {
  await b.close();
  await a.close();
});

interface Entry {
  revision: number;
  at: string;
  by: Record<string, unknown>;
  changes: { path: string; before?: unknown; after?: unknown }[];
}

/** All pages of the history of a record. */
async function historyOf(client: Client, path: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await client.get(`${path}/history${cursor}`).expect(200);
    entries.push(...body.entries);
    if (!body.next) return entries;
    cursor = `?cursor=${body.next}`;
  }
}

/** A record of a new app, with a session of its operator on the second server. */
async function person(data: object = { name: 'Ada' }, settings?: object) {
  const { sourceAppId, password } = await a.admin.buildApp({ fields: FIELDS });
  if (settings) await a.admin.put(`/auth/apps/${sourceAppId}/history`, settings).expect(200);
  const submit = (more: object, server = a) => server.client.submit(sourceAppId, { email: 'ada@x.org', data: more });
  const { body } = await submit(data).expect(200);
  const operator = await new Client(b.client.url).logIn(sourceAppId, password);
  const path = `/auth/users/${body.id}`;
  return {
    sourceAppId,
    id: body.id as string,
    path,
    operator,
    submit,
    get: async () => (await operator.get(path).expect(200)).body,
    edit: (set: object, unset: string[] = []) => operator.patch(path, { set, unset }).expect(200),
    revert: (revision: number, more: object = {}) => operator.post(`${path}/revert`, { revision, ...more }),
    history: () => historyOf(operator, path),
    stored: async () => {
      const record = await a.db.collection('users').findOne({ sourceAppId, email: 'ada@x.org' });
      if (!record) throw new Error('the record is gone');
      return record;
    },
  };
}

const moved = (appId: unknown) => a.db.collection('history').countDocuments({ appId: appId as never });

describe('GET /auth/users/:id/history', () => {
  it('has the values before and after each edit, newest first, and who made it', { tags: 'long' }, async () => {
    const { sourceAppId, edit, history, operator, path, get } = await person({ name: 'Ada', visits: ['one', 'two'] });
    expect(await history()).toEqual([]);
    await edit({ name: 'Eve', age: 3 });
    await edit({}, ['age']);
    const [first] = (await get()).data.visits;
    await operator.patch(path, { removeItems: [{ key: 'visits', timestamp: first.timestamp }] }).expect(200);
    const { client, id: account } = await joinApp(a, sourceAppId, 'editor');
    await client.patch(path, { set: { name: 'Kim' } }).expect(200);
    const entries = await history();
    expect(entries.map(({ revision, by, changes }) => ({ revision, by, changes }))).toEqual([
      {
        revision: 4,
        by: { kind: 'edit', account, name: expect.stringContaining('Member') },
        changes: [{ path: 'data.name', before: 'Eve', after: 'Kim' }],
      },
      {
        revision: 3,
        by: { kind: 'edit' },
        changes: [{ path: 'data.visits[]', before: expect.arrayContaining([first]) }],
      },
      { revision: 2, by: { kind: 'edit' }, changes: [{ path: 'data.age', before: 3 }] },
      {
        revision: 1,
        by: { kind: 'edit' },
        changes: [
          { path: 'data.name', before: 'Ada', after: 'Eve' },
          { path: 'data.age', after: 3 },
        ],
      },
    ]);
    expect(entries[0]?.at).toBe((await get()).updatedAt);
  });

  it('is of one app: 404 for others, 403 without the scope, 400 for a cursor of another record', {
    tags: 'long',
  }, async () => {
    const one = await person();
    const two = await person();
    for (let n = 0; n < 25; n += 1) await one.edit({ age: n });
    await two.operator.get(`${one.path}/history`).expect(404);
    await a.client.get(`${one.path}/history`).expect(401);
    const { body } = await one.operator.get(`${one.path}/history`).expect(200);
    expect(body.entries).toHaveLength(20);
    await two.operator.get(`${two.path}/history?cursor=${body.next}`).expect(400);
    const { body: key } = await one.operator.post('/auth/keys', { name: 'k', scopes: ['users:write'] }).expect(200);
    const program = new Client(a.client.url);
    await program.get(`${one.path}/history`).set('Authorization', `Bearer ${key.key}`).expect(403);
    await program
      .patch(one.path, { set: { age: 99 } })
      .set('Authorization', `Bearer ${key.key}`)
      .expect(200);
    expect((await one.history())[0]?.by).toEqual({ kind: 'edit', key: key.id, name: 'k' });
    await one.operator.delete(`/auth/keys/${key.id}`).expect(200);
    expect((await one.history())[0]?.by).toEqual({ kind: 'edit', key: key.id });
  });

  it('has each entry once, in order, while two servers edit, submit and read', { tags: 'long' }, async () => {
    const { path, operator, submit, history, stored } = await person({ name: 'Ada' }, { submissions: true });
    const rounds = Array.from({ length: 30 }, (_, n) => n);
    const read = async () => {
      for (let n = 0; n < 10; n += 1) {
        const revisions = (await historyOf(operator, path)).map(({ revision }) => revision);
        expect(revisions).toEqual(Array.from({ length: revisions.length }, (_, at) => (revisions[0] ?? 0) - at));
      }
    };
    // An edit gives up after some concurrent changes of its record, so not all are sent at once.
    const edit = async (lane: number) => {
      for (const n of rounds.filter((one) => one % 3 === lane))
        await operator.patch(path, { set: { age: n } }).expect(200);
    };
    const submissions = async (lane: number) => {
      for (const n of rounds.filter((one) => one % 5 === lane))
        await submit({ name: `s${n}`, visits: [n] }, n % 2 ? a : b).expect(200);
    };
    await Promise.all([...[0, 1, 2].map(edit), ...[0, 1, 2, 3, 4].map(submissions), read()]);
    const entries = await history();
    expect(entries.map(({ revision }) => revision)).toEqual(Array.from({ length: 61 }, (_, at) => 61 - at));
    const values = (at: string) => entries.flatMap(({ changes }) => changes.filter(({ path: one }) => one === at));
    expect(
      values('data.age')
        .map(({ after }) => after)
        .sort((x, y) => Number(x) - Number(y)),
    ).toEqual(rounds);
    expect(values('data.visits[]')).toHaveLength(30);
    // Each edit has the value that the one before it left.
    const ages = values('data.age').reverse();
    expect(ages.map(({ before }) => before)).toEqual([undefined, ...ages.slice(0, -1).map(({ after }) => after)]);
    const record = await stored();
    expect(record.history.length).toBeLessThanOrEqual(16);
    expect(await moved(record.appId)).toBeGreaterThan(1);
  });

  it('ends a page after large entries', { tags: 'long' }, async () => {
    const { edit, operator, path } = await person();
    for (const key of ['a', 'b', 'c', 'd']) await edit({ [key]: 'x'.repeat(90_000) });
    await edit({ age: 1 }, ['a', 'b', 'c', 'd']);
    const pages: number[][] = [];
    let cursor = '';
    do {
      const { body } = await operator.get(`${path}/history${cursor}`).expect(200);
      pages.push(body.entries.map(({ revision }: Entry) => revision));
      cursor = body.next ? `?cursor=${body.next}` : '';
    } while (cursor);
    expect(pages).toEqual([[5], [4, 3, 2], [1]]);
  });

  it('tells of lines of imports, with the values before', { tags: 'long' }, async () => {
    const { history, operator } = await person({ name: 'Ada', age: 1 });
    const lines = 'email,data.name,data.age,data.visits\nada@x.org,Ada,7,x\neve@x.org,Eve,1,y\n';
    const imported = await runImport(operator, undefined, lines, { mode: 'upsert' });
    expect(imported).toMatchObject({ created: 1, updated: 1 });
    expect(await history()).toMatchObject([
      {
        revision: 1,
        by: { kind: 'import', import: imported.id },
        changes: [
          { path: 'data.age', before: 1, after: 7 },
          { path: 'data.visits[]', after: [{ value: 'x' }] },
        ],
      },
    ]);
  });

  it('has submissions only when the app keeps them, at once on every server', { tags: 'long' }, async () => {
    const { sourceAppId, submit, history, operator } = await person();
    const settings = `/auth/apps/${sourceAppId}/history`;
    expect((await operator.get(settings).expect(200)).body).toEqual({ submissions: false, days: 90 });
    await submit({ name: 'one' }).expect(200);
    await operator.put(settings, { submissions: true, days: 5 }).expect(200);
    await submit({ name: 'two', visits: [1] }, a).expect(200);
    await submit({ name: 'two' }, b).expect(200);
    await operator.put(settings, {}).expect(200);
    await submit({ name: 'three' }).expect(200);
    expect(await history()).toMatchObject([
      { revision: 2, by: { kind: 'submission' }, changes: [{ path: 'data.name', after: 'two' }] },
      {
        revision: 1,
        changes: [
          { path: 'data.name', after: 'two' },
          { path: 'data.visits[]', after: [{ value: 1 }] },
        ],
      },
    ]);
    await operator.put(settings, { days: 0 }).expect(400);
    await operator.put(settings, { other: 1 }).expect(400);
    const { client } = await joinApp(a, sourceAppId, 'editor');
    await client.put(settings, { submissions: true }).expect(403);
  });

  it('keeps the newest thousand submissions of strangers, and every edit', { tags: 'long' }, async () => {
    const { submit, edit, history, stored } = await person({ name: 'Ada' }, { submissions: true });
    await edit({ age: 1 });
    const record = await stored();
    const documents = Array.from({ length: 80 }, (_, n) => fakeMove(record as never, n + 1));
    await a.db.collection('history').insertMany(documents as never[]);
    await a.db
      .collection('users')
      .updateOne({ _id: record._id }, { $inc: { revision: 1_000 }, $set: { movedHistory: true } });
    for (let n = 0; n < 20; n += 1) await submit({ name: `n${n}` }).expect(200);
    expect(await moved(record.appId)).toBe(65);
    const entries = await history();
    expect(entries.filter(({ by }) => by.kind === 'edit')).toHaveLength(1);
  });

  it('names the present key of a renamed field, and undoes under it', async () => {
    const { sourceAppId, edit, history, revert, get } = await person();
    await edit({ age: 5 });
    const fields = FIELDS.map((field) => (field.key === 'age' ? { ...field, key: 'years' } : field));
    const renamed = { rejectUnknown: false, fields, renames: [{ from: 'age', to: 'years' }] };
    await a.admin.put(`/auth/apps/${sourceAppId}/schema`, renamed).expect(200);
    expect((await history())[0]?.changes).toEqual([{ path: 'data.years', after: 5 }]);
    await revert(1).expect(200);
    expect((await get()).data).toEqual({ name: 'Ada' });
  });
});

/** A document of moved entries of one submission, as a move stores it. */
function fakeMove({ _id, appId }: { _id: { buffer: Uint8Array }; appId: { id: Uint8Array } }, revision: number) {
  const id = Buffer.alloc(33);
  id.set(appId.id, 0);
  id.set(_id.buffer, 12);
  id.writeUInt32BE(revision, 29);
  const at = new Date();
  const entry = { at, by: { kind: 'submission' }, version: 1, changes: [], revision };
  return { _id: id, appId, newestAt: at, entries: [entry] };
}

describe('POST /auth/users/:id/revert', () => {
  it('restores the values before an edit, and can be undone itself', async () => {
    const { edit, revert, get, history } = await person({ name: 'Ada', age: 1 });
    await edit({ name: 'Eve', note: { x: [1] } }, ['age']);
    const { body, headers } = await revert(1).expect(200);
    expect(body.data).toEqual({ name: 'Ada', age: 1 });
    expect(headers.etag).toContain(body.updatedAt);
    expect((await history())[0]).toMatchObject({ revision: 2, by: { kind: 'revert', reverted: 1 } });
    await revert(2).expect(200);
    expect((await get()).data).toEqual({ name: 'Eve', note: { x: [1] } });
  });

  it('answers 409 with the paths that changed since; others can be undone alone', async () => {
    const { edit, revert, get } = await person({ name: 'Ada', age: 1 });
    await edit({ name: 'Eve', age: 2 });
    await edit({ age: 3 });
    const { body } = await revert(1).expect(409);
    expect(body.errors).toEqual([{ path: 'data.age', message: 'was changed since', code: 'changedSince' }]);
    await revert(1, { paths: ['data.name'] }).expect(200);
    expect((await get()).data).toEqual({ name: 'Ada', age: 3 });
    await revert(1, { paths: ['data.other'] }).expect(400);
  });

  it('puts removed items back in their order; later items stay', async () => {
    const { operator, path, revert, get, submit, stored } = await person({ name: 'Ada', visits: ['one'] });
    await submit({ name: 'Ada', visits: ['two'] }).expect(200);
    const before = (await get()).data.visits;
    await operator.patch(path, { removeItems: [{ key: 'visits', timestamp: before[0].timestamp }] }).expect(200);
    await submit({ name: 'Ada', visits: ['three'] }).expect(200);
    await revert(1).expect(200);
    expect((await get()).data.visits.map(({ value }: { value: string }) => value)).toEqual(['one', 'two', 'three']);
    expect((await stored()).arraySizes).toEqual({ visits: 3 });
    await revert(1).expect(409);
  });

  it('is checked by the newest schema and by If-Match', { tags: 'long' }, async () => {
    const { sourceAppId, edit, revert, submit } = await person({ name: 'A long name for Ada' });
    await edit({ name: 'Ada' });
    await revert(1).set('If-Match', '"another"').expect(412);
    const fields = FIELDS.map((field) => (field.key === 'name' ? { ...field, maxLength: 5 } : field));
    await a.admin.putSchema(sourceAppId, { fields: fields as FieldDefinitionInput[] }).expect(200);
    const { body } = await revert(1).expect(400);
    expect(body.errors[0].path).toBe('data.name');
    await revert(7).expect(404);
    await revert(0).expect(400);
    await a.admin.put(`/auth/apps/${sourceAppId}/history`, { submissions: true }).expect(200);
    await submit({ name: 'Eve' }).expect(200);
    await revert(2).expect(409);
  });

  it('needs the role of an editor, and is an event of the audit log without values', { tags: 'long' }, async () => {
    const { sourceAppId, edit, revert, path, id } = await person();
    await edit({ name: 'Secret' });
    const { client } = await joinApp(a, sourceAppId, 'viewer');
    await client.get(`${path}/history`).expect(200);
    await client.post(`${path}/revert`, { revision: 1 }).expect(403);
    await revert(1).expect(200);
    const { body } = await a.admin.get(`/auth/audit?sourceAppId=${sourceAppId}&action=user.reverted`).expect(200);
    expect(body.events).toMatchObject([{ action: 'user.reverted', target: id, detail: {} }]);
  });

  it('undoes an edit of 200 kB, and of one whose entry was moved', async () => {
    const { edit, revert, get, stored } = await person({ name: 'Ada' });
    const long = 'x'.repeat(90_000);
    await edit({ note: long });
    await edit({ note: 'short' });
    await expect.poll(async () => (await stored()).historyBytes).toBe(0);
    await revert(2).expect(200);
    expect((await get()).data.note).toBe(long);
    expect((await stored()).sizeBound).toBeLessThan(200_000);
  });
});

describe('the end of entries', () => {
  it('entries of an age are shown no more and are removed, in records and out of them', { tags: 'long' }, async () => {
    const { sourceAppId, edit, history, stored, operator } = await person();
    for (let n = 0; n < 20; n += 1) await edit({ age: n });
    const record = await stored();
    const old = new Date(Date.now() - 10 * 86_400_000);
    await a.db
      .collection('history')
      .updateMany({ appId: record.appId }, { $set: { newestAt: old, 'entries.$[].at': old } });
    await a.db
      .collection('users')
      .updateOne({ _id: record._id }, { $set: { 'history.0.at': old, 'history.1.at': old } });
    await operator.put(`/auth/apps/${sourceAppId}/history`, { days: 9 }).expect(200);
    expect((await history()).map(({ revision }) => revision)).toEqual([20, 19]);
    await expect.poll(async () => (await stored()).history.length, { timeout: 20_000 }).toBe(2);
    await expect.poll(() => moved(record.appId), { timeout: 20_000 }).toBe(0);
    await edit({ age: 100 });
    expect((await history()).map(({ revision }) => revision)).toEqual([21, 20, 19]);
  });

  it('an erasure of the person, of the record and of the app leaves nothing', { tags: 'long' }, async () => {
    const one = await person({ name: 'Lovelace' });
    for (let n = 0; n < 20; n += 1) await one.edit({ name: `Lovelace ${n}` });
    const { appId } = await one.stored();
    expect(await moved(appId)).toBe(1);
    const { body } = await one.operator.post('/auth/people/export', { email: 'ada@x.org' }).expect(200);
    expect(body.entries.filter(({ kind }: { kind: string }) => kind === 'history')).toHaveLength(20);
    const erased = await one.operator.post('/auth/people/erase', { email: 'ada@x.org' }).expect(200);
    expect(erased.body.erased).toMatchObject({ history: 1, records: 1 });
    expect(await moved(appId)).toBe(0);
    const { body: again } = await one.submit({ name: 'Lovelace' }).expect(200);
    for (let n = 0; n < 20; n += 1)
      await one.operator.patch(`/auth/users/${again.id}`, { set: { age: n } }).expect(200);
    expect(await moved(appId)).toBe(1);
    await one.operator.delete(`/auth/users/${again.id}`).expect(200);
    expect(await moved(appId)).toBe(0);
    const { body: third } = await one.submit({ name: 'Lovelace' }).expect(200);
    for (let n = 0; n < 20; n += 1)
      await one.operator.patch(`/auth/users/${third.id}`, { set: { age: n } }).expect(200);
    await a.admin.delete(`/auth/apps/${one.sourceAppId}`).expect(200);
    expect(await moved(appId)).toBe(0);
  });
});
