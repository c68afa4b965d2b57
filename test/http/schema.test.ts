import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

const DEFAULT_SCHEMA = {
  version: 1,
  rejectUnknown: false,
  fields: [{ key: 'name', label: 'Name', kind: 'text', required: false }],
};

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

const getPublic = (sourceAppId: string) => server.client.get('/v1/schema').set('x-app-id', sourceAppId);

describe('GET /v1/schema (spec 4.1)', () => {
  it('spec 2.3, default schema: version 1, `rejectUnknown` false, one optional text field `name`', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { body } = await getPublic(sourceAppId).expect(200);
    expect(body).toEqual(DEFAULT_SCHEMA);
  });

  it('spec 4.1: returns the schema that an admin has put', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const fields = [
      { key: 'name', label: 'Your name', kind: 'text', required: true, minLength: 1, maxLength: 9, regex: '^a' },
      { key: 'ok', label: 'OK', kind: 'checkbox', required: true },
      { key: 'plan', label: 'Plan', kind: 'select', required: false, enum: ['free', 'pro'] },
      { key: 'age', label: 'Age', kind: 'number', required: false, min: 0, max: 150.5 },
      { key: 'born', label: 'Born', kind: 'date', required: false },
      { key: 'list', label: 'List', kind: 'array', required: false },
    ];
    const put = await server.admin.put(`/auth/apps/${sourceAppId}/schema`, { rejectUnknown: true, fields }).expect(200);
    expect(put.body).toEqual({ version: 2, rejectUnknown: true, fields });
    expect((await getPublic(sourceAppId).expect(200)).body).toEqual(put.body);
    expect((await server.admin.get(`/auth/apps/${sourceAppId}/schema`).expect(200)).body).toEqual(put.body);
  });

  it('returns 304 without a body if If-None-Match has the current ETag, 200 with a new ETag after a change', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { etag } = (await getPublic(sourceAppId).expect(200)).headers;
    expect(etag).toMatch(/^"[\w-]+"$/);
    const unchanged = await getPublic(sourceAppId).set('If-None-Match', `${etag}`).expect(304);
    expect(unchanged.text).toBe('');
    expect(unchanged.headers.etag).toBe(etag);
    await server.admin.putSchema(sourceAppId, { fields: [] }).expect(200);
    const changed = await getPublic(sourceAppId).set('If-None-Match', `${etag}`).expect(200);
    expect(changed.headers.etag).not.toBe(etag);
    expect(changed.body.version).toBe(2);
  });

  it('returns 304 for a weak ETag, a list that contains the ETag, and *', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { etag } = (await getPublic(sourceAppId).expect(200)).headers;
    for (const sent of [`W/${etag}`, `"other", ${etag}`, '*']) {
      await getPublic(sourceAppId).set('If-None-Match', sent).expect(304);
    }
    await getPublic(sourceAppId).set('If-None-Match', '"other"').expect(200);
  });
});

describe('GET /auth/apps/:sourceAppId/schema (spec 4.4)', () => {
  it('spec 9, schema history: returns every earlier version with ?version=N', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const path = `/auth/apps/${sourceAppId}/schema`;
    const second = await server.admin.putSchema(sourceAppId, { fields: [{ key: 'a', kind: 'date' }] }).expect(200);
    const third = await server.admin.putSchema(sourceAppId, { rejectUnknown: true, fields: [] }).expect(200);
    expect((await server.admin.get(`${path}?version=1`).expect(200)).body).toEqual(DEFAULT_SCHEMA);
    expect((await server.admin.get(`${path}?version=2`).expect(200)).body).toEqual(second.body);
    expect((await server.admin.get(`${path}?version=3`).expect(200)).body).toEqual(third.body);
    expect((await server.admin.get(path).expect(200)).body).toEqual(third.body);
    const { body } = await server.admin.get(`${path}?version=4`).expect(404);
    expect(body).toEqual({ message: 'Schema version not found', code: 'schemaNotFound' });
  });

  it.each(['version=0', 'version=-1', 'version=1.5', 'version=', 'version=1&version=2', 'versoin=1'])(
    'spec 9, schema history: responds to ?%s with 400',
    async (query) => {
      const { body } = await server.admin.get(`/auth/apps/admin/schema?${query}`).expect(400);
      expect(body.message).toBe('Invalid query parameters');
    },
  );

  it.each(['no-such-app', 'not%20an%20id', '$ne', 'x'.repeat(200)])(
    'spec 4.4, GET schema of no app: responds to %s with 404',
    async (id) => {
      const { body } = await server.admin.get(`/auth/apps/${id}/schema`).expect(404);
      expect(body).toEqual({ message: 'App not found', code: 'appNotFound' });
    },
  );
});

describe('?format=json-schema (spec 2.10)', () => {
  const fields: FieldDefinitionInput[] = [
    { key: 'name', label: 'Your name', kind: 'text', required: true, maxLength: 9, regex: '^[a-z]+$' },
    { key: 'plan', kind: 'select', enum: ['free', 'pro'] },
  ];
  const properties = {
    name: { title: 'Your name', type: 'string', minLength: 1, maxLength: 9, pattern: '^[a-z]+$' },
    plan: { title: 'plan', type: 'string', enum: ['free', 'pro'] },
  };
  const publicOf = (sourceAppId: string) => getPublic(sourceAppId).query({ format: 'json-schema' });

  it('returns the JSON Schema of the newest schema as application/schema+json, for the public and for admins', async () => {
    const { sourceAppId } = await server.admin.buildApp({ rejectUnknown: true, fields });
    const open = await publicOf(sourceAppId).expect(200).expect('Content-Type', 'application/schema+json');
    const schema = JSON.parse(open.text);
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties,
      required: ['name'],
      additionalProperties: false,
    });
    const closed = await server.admin.get(`/auth/apps/${sourceAppId}/schema?format=json-schema`).expect(200);
    expect(closed.headers).toMatchObject({ 'content-type': 'application/schema+json', etag: '"v2"' });
    expect(closed.text).toBe(open.text);
    const earlier = await server.admin.get(`/auth/apps/${sourceAppId}/schema?format=json-schema&version=1`).expect(200);
    expect(earlier.headers.etag).toBe('"v1"');
    expect(Object.keys(JSON.parse(earlier.text).properties)).toEqual(['name']);
  });

  it('agrees with POST /v1/users', async () => {
    const { sourceAppId } = await server.admin.buildApp({ rejectUnknown: true, fields });
    const isValid = new Ajv2020({ strict: true }).compile(JSON.parse((await publicOf(sourceAppId).expect(200)).text));
    for (const [data, status] of [
      [{ name: 'ada' }, 200],
      [{ name: 'ada', plan: 'pro' }, 200],
      [{ name: 'Ada' }, 400],
      [{ plan: 'pro' }, 400],
      [{ name: 'ada', more: 1 }, 400],
    ] as const) {
      await server.client
        .post('/v1/users')
        .set('x-app-id', sourceAppId)
        .send({ email: 'a@b.example', data })
        .expect(status);
      expect(isValid(data)).toBe(status === 200);
    }
  });

  it('has an ETag of its own, and returns 304 until the schema changes', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields });
    const { etag } = (await publicOf(sourceAppId).expect(200)).headers;
    expect(etag).not.toBe((await getPublic(sourceAppId).expect(200)).headers.etag);
    await publicOf(sourceAppId).set('If-None-Match', `${etag}`).expect(304);
    await server.admin.putSchema(sourceAppId, { fields }).expect(200);
    const changed = await publicOf(sourceAppId).set('If-None-Match', `${etag}`).expect(200);
    expect(JSON.parse(changed.text).$comment).toMatch(/^Version 3\./);
  });

  it('accepts the old key of a renamed field while values are being moved', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'old', kind: 'text', required: true }] });
    const renamed = {
      fields: [{ key: 'next', kind: 'text' as const, required: true }],
      renames: [{ from: 'old', to: 'next' }],
    };
    await server.admin.putSchema(sourceAppId, renamed).expect(200);
    const { text } = await publicOf(sourceAppId).expect(200);
    expect(JSON.parse(text)).toMatchObject({
      $comment: expect.stringMatching(/For now old is accepted in place of next\.$/),
      required: [],
    });
    expect((await server.admin.get(`/auth/apps/${sourceAppId}/schema?format=json-schema`).expect(200)).text).toBe(text);
  });

  it.each(['format=json', 'format=', 'format=JSON-SCHEMA', 'format=json-schema&format=json-schema'])(
    'responds to ?%s with 400',
    async (query) => {
      const { sourceAppId } = await server.admin.buildApp();
      const refusal = {
        message: 'Invalid query parameters',
        code: 'invalidQuery',
        errors: [{ path: 'format', message: 'must be json-schema', code: 'notJsonSchema' }],
      };
      const open = await server.client.get(`/v1/schema?${query}`).set('x-app-id', sourceAppId).expect(400);
      expect(open.body).toEqual(refusal);
      const closed = await server.admin.get(`/auth/apps/${sourceAppId}/schema?${query}`).expect(400);
      expect(closed.body).toEqual(refusal);
    },
  );

  it('leaves other parameters of GET /v1/schema without effect', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { body } = await getPublic(sourceAppId).query({ version: '7' }).expect(200);
    expect(body).toEqual(DEFAULT_SCHEMA);
  });

  it('refuses as the endpoints do without it: 400 and 404 for no app, 404 for no version', async () => {
    const { body } = await publicOf('no-such-app').expect(400);
    expect(body).toEqual({ message: 'Invalid x-app-id header', code: 'invalidAppId' });
    await server.admin.get('/auth/apps/no-such-app/schema?format=json-schema').expect(404);
    await server.admin.get('/auth/apps/admin/schema?format=json-schema&version=99').expect(404);
  });
});

describe('PUT /auth/apps/:sourceAppId/schema (spec 4.4)', () => {
  it('spec 4.4, rule 1, and spec 9: starts at version 1 and increments it with each PUT', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    for (const version of [2, 3]) {
      const { body } = await server.admin.putSchema(sourceAppId, { fields: [] }).expect(200);
      expect(body).toEqual({ version, rejectUnknown: false, fields: [] });
    }
  });

  it('spec 4.4, rule 1: gives concurrent PUTs distinct versions', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const answers = await Promise.all([1, 2, 3, 4].map(() => server.admin.putSchema(sourceAppId, { fields: [] })));
    expect(answers.map(({ body }) => body.version).sort()).toEqual([2, 3, 4, 5]);
    expect((await getPublic(sourceAppId).expect(200)).body.version).toBe(5);
  });

  it('spec 4.4, schema PUT: defaults `label` to the key and `required` to false', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { body } = await server.admin.putSchema(sourceAppId, { fields: [{ key: 'a', kind: 'number' }] }).expect(200);
    expect(body.fields).toEqual([{ key: 'a', label: 'a', kind: 'number', required: false }]);
  });

  it('spec 7, app not found: responds with 404', async () => {
    const { body } = await server.admin.putSchema('no-such-app', { fields: [] }).expect(404);
    expect(body).toEqual({ message: 'App not found', code: 'appNotFound' });
  });

  it('spec 8, field keys: accepts 51 characters', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const keys = ['k'.repeat(51), 'A', 'a_1', 'constructor', 'toString'];
    await server.admin.putSchema(sourceAppId, { fields: keys.map((key) => ({ key, kind: 'date' })) }).expect(200);
  });

  it('spec 8, fields per schema: accepts 100', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const fields = Array.from({ length: 100 }, (_, index) => ({ key: `f${index}`, kind: 'date' as const }));
    const { body } = await server.admin.putSchema(sourceAppId, { fields }).expect(200);
    expect(body.fields).toHaveLength(100);
  });
});

describe('spec 7, invalid schema format: responds with 400 and keeps the schema', () => {
  const text = (rest: object) => ({ fields: [{ key: 'a', kind: 'text', ...rest }] });
  const refused: [name: string, path: string, body: unknown][] = [
    ['spec 4.4: `rejectUnknown` is missing', 'rejectUnknown', { rejectUnknown: undefined, fields: [] }],
    ['spec 4.4: `fields` is missing', 'fields', {}],
    ['`rejectUnknown` is not a boolean', 'rejectUnknown', { rejectUnknown: 'false', fields: [] }],
    ['`fields` is not an array', 'fields', { fields: { 0: {} } }],
    ['has `version`', 'version', { version: 7, fields: [] }],
    ['spec 8: a key of 52 characters', 'fields.0.key', text({ key: 'k'.repeat(52) })],
    ['spec 8: a key that starts with a digit', 'fields.0.key', text({ key: '1a' })],
    ['spec 8: an empty key', 'fields.0.key', text({ key: '' })],
    ['spec 8: a key with a dot', 'fields.0.key', text({ key: 'a.b' })],
    ['spec 8: a key with $', 'fields.0.key', text({ key: '$set' })],
    ['spec 8: __proto__ as a key', 'fields.0.key', text({ key: '__proto__' })],
    ['spec 8: a key with a line break', 'fields.0.key', text({ key: 'a\n' })],
    [
      'spec 8: 101 fields',
      'fields',
      { fields: Array.from({ length: 101 }, (_, index) => ({ key: `f${index}`, kind: 'date' })) },
    ],
    ['an unknown kind', 'fields.0.kind', { fields: [{ key: 'a', kind: 'picture' }] }],
    ['`kind` is missing', 'fields.0.kind', { fields: [{ key: 'a' }] }],
    ['spec 4.4: unknown properties', 'fields.0.hint', text({ hint: 'x' })],
    [
      'spec 4.4: duplicate keys',
      'fields.1.key',
      {
        fields: [
          { key: 'a', kind: 'text' },
          { key: 'a', kind: 'date' },
        ],
      },
    ],
    ['spec 4.4: min greater than max', 'fields.0.min', { fields: [{ key: 'a', kind: 'number', min: 2, max: 1 }] }],
    ['spec 4.4: minLength greater than maxLength', 'fields.0.minLength', text({ minLength: 2, maxLength: 1 })],
    ['a negative minLength', 'fields.0.minLength', text({ minLength: -1 })],
    ['spec 4.4: a constraint of another kind', 'fields.0.min', text({ min: 1 })],
    ['spec 4.4: select without `enum`', 'fields.0.enum', { fields: [{ key: 'a', kind: 'select' }] }],
    ['spec 4.4: select with an empty `enum`', 'fields.0.enum', { fields: [{ key: 'a', kind: 'select', enum: [] }] }],
    [
      'select with a value that is not a string',
      'fields.0.enum.0',
      { fields: [{ key: 'a', kind: 'select', enum: [1] }] },
    ],
    ['spec 4.4: a regex over 500 characters', 'fields.0.regex', text({ regex: 'a'.repeat(501) })],
    ['spec 4.4: a regex that does not compile', 'fields.0.regex', text({ regex: '(' })],
    ['spec 2.3, text regex: look-ahead', 'fields.0.regex', text({ regex: 'a(?=b)' })],
    ['spec 2.3, text regex: look-behind', 'fields.0.regex', text({ regex: '(?<!a)b' })],
    ['spec 2.3, text regex: a back-reference', 'fields.0.regex', text({ regex: '(a)\\1' })],
  ];

  it.each(refused)('%s', async (_name, path, body) => {
    const sent = { rejectUnknown: false, ...(body as object) };
    const answer = await server.admin.put('/auth/apps/admin/schema', sent).expect(400);
    expect(answer.body.message).toBe('Invalid schema');
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(path);
    expect((await getPublic('admin').expect(200)).body.version).toBe(1);
  });

  it('spec 2.3, text regex: returns the reason for the refusal', async () => {
    const sent = { rejectUnknown: false, ...text({ regex: 'a(?=b)' }) };
    const { body } = await server.admin.put('/auth/apps/admin/schema', sent).expect(400);
    expect(body.errors).toEqual([
      {
        path: 'fields.0.regex',
        message: expect.stringMatching(/^is not a pattern that can be used: .+/),
        code: 'patternInvalid',
        params: { reason: expect.stringMatching(/.+/) },
      },
    ]);
  });
});
