import { beforeAll, describe, expect, it } from 'vitest';
import { sharedServer, type TestServer } from '../support/server/server.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

const storedOf = (sourceAppId: string) => server.db.collection('users').find({ sourceAppId }).toArray();

describe('POST /v1/users (spec 4.1)', () => {
  it('spec 4.1, response 200: creates a record and returns only id, createdAt and updatedAt', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { body } = await server.client
      .submit(sourceAppId, { email: ' Ada@Example.COM ', data: { name: 'Ada' } })
      .expect('Content-Type', 'application/json; charset=utf-8')
      .expect(200);
    expect(Object.keys(body).sort()).toEqual(['createdAt', 'id', 'updatedAt']);
    expect(body.id).toMatch(UUID);
    expect(new Date(body.createdAt).toISOString()).toBe(body.createdAt);
    expect(body.updatedAt).toBe(body.createdAt);
    const stored = await storedOf(sourceAppId);
    expect(stored).toHaveLength(1);
    expect(stored[0]).toMatchObject({ email: 'ada@example.com', data: { name: 'Ada' }, schemaVersion: 1 });
  });

  it('spec 4.1, rule 1: stores one record per app and email, so two apps can each have one for an email', async () => {
    const [one, two] = [await server.admin.buildApp(), await server.admin.buildApp()];
    const first = await server.client.submit(one.sourceAppId, { email: 'a@x.org', data: { name: 'one' } }).expect(200);
    const second = await server.client.submit(two.sourceAppId, { email: 'a@x.org', data: { name: 'two' } }).expect(200);
    expect(second.body.id).not.toBe(first.body.id);
    expect(await storedOf(one.sourceAppId)).toMatchObject([{ data: { name: 'one' } }]);
    expect(await storedOf(two.sourceAppId)).toMatchObject([{ data: { name: 'two' } }]);
  });

  it('spec 4.1: requires no session and sends neither cookie nor ETag', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { headers } = await server.client.submit(sourceAppId, { email: 'a@x.org' }).expect(200);
    expect(headers).not.toHaveProperty('set-cookie');
    expect(headers).not.toHaveProperty('etag');
  });

  it('spec 4.1, `data` absent: stores {}', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'a@x.org' }).expect(200);
    expect((await storedOf(sourceAppId))[0]?.data).toEqual({});
  });

  it.each([null, [], [{ name: 'Ada' }], 'text', 7, true])(
    'spec 4.1, `data` absent: responds to %j as data with 400',
    async (data) => {
      const { sourceAppId } = await server.admin.buildApp();
      const { body } = await server.client.submit(sourceAppId, { email: 'a@x.org', data }).expect(400);
      expect(body).toEqual({
        message: 'Invalid submission',
        code: 'invalidSubmission',
        errors: [{ path: 'data', message: 'must be an object', code: 'notObject' }],
      });
      expect(await storedOf(sourceAppId)).toEqual([]);
    },
  );

  it.each([null, [], '"text"', '7', 'true'])(
    'spec 7, invalid request body: responds to %j as the body with 400',
    async (sent) => {
      const { sourceAppId } = await server.admin.buildApp();
      const request = server.client.submit(sourceAppId, typeof sent === 'string' ? sent : JSON.stringify(sent));
      const { body } = await request.set('Content-Type', 'application/json').expect(400);
      expect(body.message).toBe('Invalid submission');
      expect(await storedOf(sourceAppId)).toEqual([]);
    },
  );

  it('spec 7, invalid request body: responds to unknown properties with 400 and names each', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { body } = await server.client
      .submit(sourceAppId, '{"email":"a@x.org","data":{},"schemaVersion":9,"__proto__":{"x":1}}')
      .set('Content-Type', 'application/json')
      .expect(400);
    expect(body.errors.map(({ path }: { path: string }) => path).sort()).toEqual(['__proto__', 'schemaVersion']);
    expect(await storedOf(sourceAppId)).toEqual([]);
  });

  it('spec 7, schema validation failure: responds with 400 and the path of each error, and stores nothing', async () => {
    const { sourceAppId } = await server.admin.buildApp({
      fields: [
        { key: 'name', kind: 'text', required: true },
        { key: 'age', kind: 'number', min: 18 },
      ],
    });
    const { body } = await server.client.submit(sourceAppId, { email: 'no', data: { age: 17 } }).expect(400);
    expect(body).toEqual({
      message: 'Invalid submission',
      code: 'invalidSubmission',
      errors: [
        { path: 'email', message: 'must be an email address', code: 'notEmail' },
        { path: 'data.name', message: 'is required', code: 'required' },
        { path: 'data.age', message: 'must be at least 18', code: 'tooSmall', params: { min: 18 } },
      ],
    });
    expect(await storedOf(sourceAppId)).toEqual([]);
  });
});

describe('x-app-id (spec 5.1)', () => {
  const endpoints = [
    ['POST /v1/users', () => server.client.post('/v1/users', { email: 'a@x.org' })],
    ['GET /v1/schema', () => server.client.get('/v1/schema')],
  ] as const;

  describe.each(endpoints)('%s', (_name, send) => {
    it('spec 7, missing x-app-id: responds with 400 "Missing x-app-id header"', async () => {
      const { body } = await send().expect(400);
      expect(body).toEqual({ message: 'Missing x-app-id header', code: 'noAppId' });
    });

    it.each(['a b', 'ä'.normalize('NFC'), 'a/b', 'a,b', '$ne', 'x'.repeat(81)])(
      'spec 7, invalid x-app-id: responds to %j with 400 "Invalid x-app-id header"',
      async (header) => {
        const { body } = await send().set('x-app-id', header).expect(400);
        expect(body).toEqual({ message: 'Invalid x-app-id header', code: 'invalidAppId' });
      },
    );

    it('spec 5.1, `x-app-id` of no app: responds with 400 and the same body as for a malformed id', async () => {
      const { body } = await send().set('x-app-id', 'no-such-app').expect(400);
      expect(body).toEqual({ message: 'Invalid x-app-id header', code: 'invalidAppId' });
    });
  });

  it('spec 8, sourceAppId length: accepts submissions for an id of 80 characters', async () => {
    const sourceAppId = 'x'.repeat(80);
    await server.admin.post('/auth/apps', { sourceAppId }).expect(200);
    await server.client.submit(sourceAppId, { email: 'a@x.org' }).expect(200);
  });
});

describe('spec 4.1, email', () => {
  it.each([
    [' Ada@Example.COM\t', 'ada@example.com'],
    ["o'neil+tag@mail.example.co", "o'neil+tag@mail.example.co"],
    [`${'l'.repeat(64)}@example.com`, `${'l'.repeat(64)}@example.com`],
  ])('accepts %j and stores %j', async (sent, email) => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: sent }).expect(200);
    expect(await storedOf(sourceAppId)).toMatchObject([{ email }]);
  });

  it.each([
    ['a Kelvin sign, whose lower case is k', '\u212Aate@example.com'],
    ['a non-ASCII letter', 'jörg@example.com'],
    ['a non-ASCII domain', 'a@exämple.com'],
    ['a local part of 65 characters', `${'l'.repeat(65)}@example.com`],
    ['255 characters', `a@${'d'.repeat(61)}.${'d'.repeat(61)}.${'d'.repeat(61)}.${'d'.repeat(61)}.abcde`],
    ['a quoted local part', '"a b"@example.com'],
    ['an IP literal', 'a@[127.0.0.1]'],
    ['an IP without brackets', 'a@127.0.0.1'],
    ['no @', 'example.com'],
    ['two @', 'a@b@example.com'],
    ['a line break inside', 'a@example.com\nb@example.com'],
    ['an empty string', ''],
  ])('refuses %s', async (_name, email) => {
    const { sourceAppId } = await server.admin.buildApp();
    const { body } = await server.client.submit(sourceAppId, { email }).expect(400);
    expect(body.errors).toEqual([{ path: 'email', message: 'must be an email address', code: 'notEmail' }]);
    expect(await storedOf(sourceAppId)).toEqual([]);
  });

  it.each([undefined, null, 7, { $ne: '' }, ['a@x.org']])('refuses %j, which is not a string', async (email) => {
    const { sourceAppId } = await server.admin.buildApp();
    const { body } = await server.client.submit(sourceAppId, { email, data: {} }).expect(400);
    expect(body.errors).toEqual([{ path: 'email', message: 'must be a string', code: 'notText' }]);
  });
});

describe('spec 2.3, `rejectUnknown`', () => {
  it('false: stores unknown keys as sent, including names of Object.prototype members', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [] });
    const data = { any: { nested: [1, null, { deep: true }] }, constructor: 'c', toString: 1, hasOwnProperty: false };
    await server.client.submit(sourceAppId, { email: 'a@x.org', data }).expect(200);
    expect((await storedOf(sourceAppId))[0]?.data).toEqual(data);
  });

  it.each([
    ['__proto__', '{"__proto__":{"admin":true}}'],
    ['$x', '{"$set":{"role":"admin"}}'],
    ['a.b', '{"a.b":1}'],
    ['NUL', '{"a\\u0000b":1}'],
    ['a leading digit', '{"1a":1}'],
    ['52 characters', `{"${'k'.repeat(52)}":1}`],
    ['no characters', '{"":1}'],
    ['a nested $', '{"a":{"$where":"1"}}'],
    ['a nested dot', '{"a":[{"b.c":1}]}'],
    ['a nested __proto__', '{"a":{"__proto__":{"x":1}}}'],
  ])('false: responds to a key with %s with 400 and stores nothing', async (_name, data) => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [] });
    const { body } = await server.client
      .submit(sourceAppId, `{"email":"a@x.org","data":${data}}`)
      .set('Content-Type', 'application/json')
      .expect(400);
    expect(body.message).toBe('Invalid submission');
    expect(body.errors).toHaveLength(1);
    expect(await storedOf(sourceAppId)).toEqual([]);
  });

  it('true: responds with 400 and names each unknown key', async () => {
    const { sourceAppId } = await server.admin.buildApp({
      rejectUnknown: true,
      fields: [{ key: 'name', kind: 'text' }],
    });
    const data = { name: 'Ada', other: 'secret value', toString: 1 };
    const { body, text } = await server.client.submit(sourceAppId, { email: 'a@x.org', data }).expect(400);
    expect(body.errors).toEqual([
      { path: 'data.other', message: 'is not a field of this app', code: 'unknownField' },
      { path: 'data.toString', message: 'is not a field of this app', code: 'unknownField' },
    ]);
    expect(text).not.toContain('secret value');
    expect(await storedOf(sourceAppId)).toEqual([]);
  });
});
