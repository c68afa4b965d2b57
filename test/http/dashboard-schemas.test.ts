import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserDocument } from '../../src/core/users/users.model.ts';
import { createSchemaCheckService } from '../../src/features/search/schema-check.ts';
import { createQueries } from '../support/database/query-records.ts';
import { joinApp } from '../support/server/accounts.ts';
import { Client } from '../support/server/client.ts';
import { createKey, type KeyClient } from '../support/server/keys.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let second: TestServer;
beforeAll(async () => {
  server = await startServer();
  second = await startServer({}, server.database);
});
afterAll(async () => {
  await second.close();
  await server.close();
});

const textSchema = (key: string) => ({ rejectUnknown: false, fields: [{ key, kind: 'text' as const }] });
const schemaPath = (sourceAppId: string) => `/auth/apps/${sourceAppId}/schema`;

describe('GET /auth/schema', () => {
  it("returns the newest schema of the session's app, or an earlier version", async () => {
    const app = await server.admin.buildApp(textSchema('plan'));
    const operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
    const { body } = await operator.get('/auth/schema').expect(200);
    expect(body).toEqual((await server.admin.get(schemaPath(app.sourceAppId)).expect(200)).body);
    expect(body.version).toBe(2);
    const { body: first } = await operator.get('/auth/schema?version=1').expect(200);
    expect(first).toMatchObject({ version: 1, fields: [{ key: 'name' }] });
    await operator
      .get('/auth/schema?version=3')
      .expect(404, { message: 'Schema version not found', code: 'schemaNotFound' });
    await operator.get('/auth/schema?version=0').expect(400);
    await operator.get('/auth/schema?app=admin').expect(400);
    await server.client.get('/auth/schema').expect(401);
  });
});

describe('GET /auth/apps/:sourceAppId/schema/versions', () => {
  it('returns every version, newest first, with its number of fields', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [] });
    const two = [...textSchema('a').fields, ...textSchema('b').fields];
    await server.admin.putSchema(sourceAppId, { fields: two }).expect(200);
    const { body } = await server.admin.get(`${schemaPath(sourceAppId)}/versions`).expect(200);
    expect(Object.keys(body)).toEqual(['versions']);
    const versions = body.versions as { version: number; createdAt: string; fields: number }[];
    expect(versions.map(({ version, fields }) => [version, fields])).toEqual([
      [3, 2],
      [2, 0],
      [1, 1],
    ]);
    const members = versions.map((version) => Object.keys(version).sort().join());
    expect(members).toEqual([...Array(2).fill('author,createdAt,fields,version'), 'createdAt,fields,version']);
    expect(body.versions[0].author).toBe('admin');
  });

  it('names the account or the key that stored a version, until it is deleted', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const member = await joinApp(server, sourceAppId, 'manager');
    const key = await createKey(server, server.admin, ['schema:write'], { sourceAppId });
    await member.client.putSchema(sourceAppId, textSchema('a')).expect(200);
    await key.send('put', schemaPath(sourceAppId), textSchema('b')).expect(200);
    const newest = async () =>
      (await server.admin.get(`${schemaPath(sourceAppId)}/versions`).expect(200)).body.versions.slice(0, 2);
    const about = { author: sourceAppId, createdAt: expect.any(String), fields: 1 };
    expect(await newest()).toEqual([
      { ...about, version: 3, key: key.id, name: 'test' },
      { ...about, version: 2, account: member.id, name: expect.stringMatching(/^Member \d+$/) },
    ]);
    await server.admin.delete(`/auth/keys/${key.id}?sourceAppId=${sourceAppId}`).expect(200);
    await server.admin.delete(`/auth/accounts/${member.id}`).expect(200);
    expect(await newest()).toEqual([
      { ...about, version: 3, key: key.id },
      { ...about, version: 2, account: member.id },
    ]);
  });

  it('responds with 404 for an unknown app and requires an admin session', async () => {
    await server.admin
      .get(`${schemaPath('no-such-app')}/versions`)
      .expect(404, { message: 'App not found', code: 'appNotFound' });
    const app = await server.admin.buildApp();
    const operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
    await operator.get(`${schemaPath(app.sourceAppId)}/versions`).expect(403);
  });
});

describe('PUT /auth/apps/:sourceAppId/schema with If-Match', () => {
  const put = (target: TestServer, sourceAppId: string, key: string, ifMatch: string) =>
    target.admin.putSchema(sourceAppId, textSchema(key)).set('If-Match', ifMatch);
  const newest = async (sourceAppId: string) => (await server.admin.get(schemaPath(sourceAppId)).expect(200)).body;

  it('replaces the version whose ETag GET returned', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { headers } = await server.admin.get(schemaPath(sourceAppId)).expect(200);
    expect(headers.etag).toBe('"v1"');
    expect((await put(server, sourceAppId, 'a', headers.etag ?? '').expect(200)).body.version).toBe(2);
    expect((await server.admin.get(schemaPath(sourceAppId))).headers.etag).toBe('"v2"');
    expect((await server.admin.get(`${schemaPath(sourceAppId)}?version=1`)).headers.etag).toBe('"v1"');
  });

  it('responds with 412 and stores nothing if another version is the newest', async () => {
    const { sourceAppId } = await server.admin.buildApp(textSchema('kept'));
    for (const tag of ['"v1"', '"v3"', '"v02"', '"2"', 'v2', '"x"']) {
      const { body, status } = await put(server, sourceAppId, 'lost', tag);
      expect([tag, status]).toEqual([tag, 412]);
      expect(body).toEqual({
        message: 'The schema was changed meanwhile: its newest version is 2',
        code: 'schemaChanged',
        params: { version: 2 },
      });
    }
    expect(await server.db.collection('schema_versions').countDocuments({ 'fields.key': 'lost' })).toBe(0);
  });

  it('accepts a list, a weak ETag and *', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await put(server, sourceAppId, 'a', '"v7", "v1"').expect(200);
    await put(server, sourceAppId, 'b', 'W/"v2"').expect(200);
    await put(server, sourceAppId, 'c', '*').expect(200);
    expect(await newest(sourceAppId)).toMatchObject({ version: 4, fields: [{ key: 'c' }] });
  });

  it('accepts one of many concurrent replacements of the same version on two servers', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    for (let version = 1; version <= 3; version += 1) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, number) =>
          put(number % 2 ? server : second, sourceAppId, `k${number}`, `"v${version}"`),
        ),
      );
      const accepted = answers.filter(({ status }) => status === 200);
      expect(accepted).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 412)).toHaveLength(7);
      expect(await newest(sourceAppId)).toEqual(accepted[0]?.body);
    }
    expect((await newest(sourceAppId)).version).toBe(4);
  });

  it('checks 403, 404 and 400 before 412', async () => {
    await put(server, 'no-such-app', 'a', '"v1"').expect(404);
    const app = await server.admin.buildApp();
    await server.admin.put(schemaPath(app.sourceAppId), { fields: 1 }).set('If-Match', '"v9"').expect(400);
    const operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
    await operator.putSchema(app.sourceAppId, textSchema('a')).set('If-Match', '"v9"').expect(403);
  });

  it('replaces any version without the header (spec 4.4)', async () => {
    const { sourceAppId } = await server.admin.buildApp(textSchema('a'));
    expect((await server.admin.putSchema(sourceAppId, textSchema('b')).expect(200)).body.version).toBe(3);
  });
});

describe('POST /auth/apps/:sourceAppId/schema/check', () => {
  const check = (sourceAppId: string, schema: object) =>
    server.admin.post(`${schemaPath(sourceAppId)}/check`, { rejectUnknown: false, ...schema });

  it('counts the stored records that fail the schema and returns examples, newest first', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const ids: string[] = [];
    for (const age of ['x', 1, 'y', 2, 'z', 'a', 'b', 'c', 150]) {
      const { body } = await server.client.submit(sourceAppId, { email: `a${ids.length}@x.org`, data: { age } });
      ids.unshift(body.id);
    }
    const { body } = await check(sourceAppId, { fields: [{ key: 'age', kind: 'number', max: 120 }] }).expect(200);
    expect(body).toMatchObject({ checked: 9, failing: 7, complete: true });
    expect(body.examples).toHaveLength(5);
    expect(body.examples[0]).toEqual({
      id: ids[0],
      email: 'a8@x.org',
      path: 'data.age',
      message: 'must be at most 120',
    });
    expect(body.examples[1]).toEqual({ id: ids[1], email: 'a7@x.org', path: 'data.age', message: 'must be a number' });
  });

  it('tells the records that newly fail from those that fail already, and shows them first', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const submit = (name: string, age: unknown) =>
      server.client.submit(sourceAppId, { email: `${name}@x.org`, data: { age } }).expect(200);
    await submit('newly', 5);
    for (let n = 0; n < 6; n += 1) await submit(`already${n}`, `text ${n}`);
    await submit('fine', 50);
    await server.admin.putSchema(sourceAppId, { fields: [{ key: 'age', kind: 'number' }] }).expect(200);
    const { body } = await check(sourceAppId, { fields: [{ key: 'age', kind: 'number', min: 18 }] }).expect(200);
    expect(body).toMatchObject({ checked: 8, failing: 7, newlyFailing: 1 });
    expect(body.examples.map(({ email, message }: Record<string, string>) => `${email} ${message}`)).toEqual([
      'newly@x.org must be at least 18',
      ...[5, 4, 3, 2].map((n) => `already${n}@x.org must be a number`),
    ]);
  });

  it('shows no examples to a key that may not read records, and counts nothing by their values', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'secret@x.org', data: { age: 'x' } }).expect(200);
    const [writer, reader] = [
      await createKey(server, server.admin, ['schema:write'], { sourceAppId }),
      await createKey(server, server.admin, ['schema:write', 'users:read'], { sourceAppId }),
    ];
    const checkWith = ({ send }: KeyClient, field: object) =>
      send('post', `${schemaPath(sourceAppId)}/check`, {
        rejectUnknown: false,
        fields: [
          { key: 'name', kind: 'text' },
          { key: 'age', ...field },
        ],
      });
    const { body } = await checkWith(writer, { kind: 'number' }).expect(200);
    expect(body).toEqual({ checked: 1, failing: 1, newlyFailing: 1, examples: [], complete: true });
    expect((await checkWith(reader, { kind: 'number' }).expect(200)).body.examples).toHaveLength(1);
    const conditions = { all: [{ field: 'name', op: 'eq', value: 'Ada' }] };
    for (const field of [
      { kind: 'text', showIf: conditions },
      { kind: 'text', requiredIf: conditions },
      { kind: 'text', regex: '^x' },
      { kind: 'select', enum: ['x'] },
      { kind: 'number', min: 1 },
      { kind: 'number', max: 1 },
      { kind: 'date', earliest: '1900-01-01' },
      { kind: 'date', latest: 'today' },
      { kind: 'text', minLength: 1 },
      { kind: 'text', maxLength: 1 },
    ]) {
      const { body: refused } = await checkWith(writer, field).expect(403);
      expect(refused).toEqual({
        message: 'The scope users:read is required',
        code: 'scopeRequired',
        params: { scope: 'users:read' },
      });
      expect((await checkWith(reader, field).expect(200)).body.checked).toBe(1);
    }
  });

  it('counts renames as done, and refuses those that PUT refuses', async () => {
    const { sourceAppId } = await server.admin.buildApp(textSchema('name'));
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: { name: 'Ada' } }).expect(200);
    const fields = [{ key: 'fullName', kind: 'text', required: true }];
    const moved = { rejectUnknown: true, fields, renames: [{ from: 'name', to: 'fullName' }] };
    expect((await check(sourceAppId, moved).expect(200)).body).toMatchObject({ failing: 0, newlyFailing: 0 });
    const empty = await check(sourceAppId, { rejectUnknown: true, fields }).expect(200);
    expect(empty.body).toMatchObject({ failing: 1, newlyFailing: 1, examples: [{ path: 'data.fullName' }] });
    await check(sourceAppId, { ...moved, renames: [{ from: 'nobody', to: 'fullName' }] }).expect(400);
  });

  it('checks required and unknown fields and stores nothing', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: { name: 'Ada', extra: 1 } }).expect(200);
    await server.client.submit(sourceAppId, { email: 'b@x.org', data: { name: 'Bob' } }).expect(200);
    const required = await check(sourceAppId, { fields: [{ key: 'extra', kind: 'number', required: true }] });
    expect(required.body).toMatchObject({ checked: 2, failing: 1, examples: [{ path: 'data.extra' }] });
    const strict = await check(sourceAppId, { ...textSchema('name'), rejectUnknown: true });
    expect(strict.body).toMatchObject({ checked: 2, failing: 1, examples: [{ path: 'data.extra' }] });
    expect((await server.admin.get(schemaPath(sourceAppId))).body.version).toBe(1);
    const stored = await server.db.collection('users').find({ sourceAppId }).toArray();
    expect(stored.map(({ schemaVersion }) => schemaVersion)).toEqual([1, 1]);
  });

  it('checks arrays in their stored form', async () => {
    const fields = [{ key: 'visits', kind: 'array' as const }];
    const { sourceAppId } = await server.admin.buildApp({ fields });
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: { visits: ['home', {}] } }).expect(200);
    expect((await check(sourceAppId, { fields })).body).toEqual({
      checked: 1,
      failing: 0,
      newlyFailing: 0,
      examples: [],
      complete: true,
    });
    const text = await check(sourceAppId, { fields: [{ key: 'visits', kind: 'text' }] });
    expect(text.body).toMatchObject({ failing: 1, examples: [{ path: 'data.visits', message: 'must be a string' }] });
  });

  it('checks only the records of that app', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    expect((await check(sourceAppId, { fields: [] })).body).toMatchObject({ checked: 0, complete: true });
  });

  it('reports an incomplete check when its time limit expires', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'a@x.org' }).expect(200);
    const { apps, schemas } = server.services;
    const { pages } = createQueries(server.db.collection<UserDocument>('users'));
    const service = createSchemaCheckService({ apps, pages, schemas, fileLimit: 1, budgetMs: 0 });
    expect(await service.run(sourceAppId, textSchema('a'), { canRead: true })).toEqual({
      checked: 0,
      failing: 0,
      newlyFailing: 0,
      examples: [],
      complete: false,
    });
  });

  it('refuses what PUT refuses and requires an admin session', async () => {
    const app = await server.admin.buildApp();
    const twice = [...textSchema('a').fields, ...textSchema('a').fields];
    const { body } = await check(app.sourceAppId, { fields: twice }).expect(400);
    expect(body).toMatchObject({
      message: 'Invalid schema',
      code: 'invalidSchema',
      errors: [{ path: 'fields.1.key' }],
    });
    await check(app.sourceAppId, { fields: [], version: 1 }).expect(400);
    await check('no-such-app', { fields: [] }).expect(404);
    const operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
    await operator.post(`${schemaPath(app.sourceAppId)}/check`, { rejectUnknown: false, fields: [] }).expect(403);
  });
});
