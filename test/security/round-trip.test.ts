import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { Client } from '../support/server/client.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { FORBIDDEN_KEYS, INNOCENT_KEYS, ownProperties, storableJson } from './arbitraries.ts';

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

/** Creates an app with a schema; returns functions that submit to it and list its records. */
async function appOf(fields: FieldDefinitionInput[], rejectUnknown = false) {
  const { sourceAppId, password } = await server.admin.buildApp({ rejectUnknown, fields });
  const operator = await new Client(server.listener.url).logIn(sourceAppId, password);
  return {
    submit: (body: string | object) => server.client.submit(sourceAppId, body).set('Content-Type', 'application/json'),
    async listed(): Promise<{ email: string; data: Record<string, unknown> }[]> {
      return (await operator.get('/auth/users').expect(200)).body.users;
    },
  };
}

describe('listings return data as submitted', () => {
  it('for any allowed JSON in undeclared fields', { tags: 'long' }, async () => {
    const app = await appOf([]);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...INNOCENT_KEYS), storableJson), async (data) => {
        count += 1;
        const email = `p${count}@example.com`;
        await app.submit({ email, data }).expect(200);
        const [newest] = await app.listed();
        expect(newest).toMatchObject({ email });
        // Compares JSON, in which -0 and 0 are equal.
        expect(JSON.parse(JSON.stringify(newest?.data))).toEqual(JSON.parse(JSON.stringify(data)));
      }),
      { numRuns: 60 },
    );
  });

  it('for any array items, in order of submission and with timestamps', async () => {
    const app = await appOf([{ key: 'tags', kind: 'array' }]);
    const sent: unknown[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(storableJson, { maxLength: 4 }), async (items) => {
        await app.submit({ email: 'a@example.com', data: { tags: items } }).expect(200);
        sent.push(...items);
      }),
      { numRuns: 40 },
    );
    const [record] = await app.listed();
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(record?.data.tags).toEqual(
      sent.map((item) => {
        const plain = typeof item === 'object' && item !== null && !Array.isArray(item);
        return plain
          ? { ...JSON.parse(JSON.stringify(item)), timestamp }
          : { value: JSON.parse(JSON.stringify(item)), timestamp };
      }),
    );
  });

  it.each([[false], [true]])(
    'for fields named like members of Object.prototype (rejectUnknown %s)',
    async (rejectUnknown) => {
      const declared = INNOCENT_KEYS.map((key): FieldDefinitionInput => ({ key, kind: 'text', required: true }));
      const app = await appOf(declared, rejectUnknown);
      const { body } = await app.submit({ email: 'a@example.com', data: {} }).expect(400);
      expect(body.errors).toEqual(
        INNOCENT_KEYS.slice(0, 20).map((key) => ({ path: `data.${key}`, message: 'is required', code: 'required' })),
      );
      const data = Object.fromEntries(INNOCENT_KEYS.map((key) => [key, key]));
      await app.submit({ email: 'a@example.com', data }).expect(200);
      expect((await app.listed())[0]?.data).toEqual(data);
    },
  );

  it('but refuse undeclared fields named like members of Object.prototype if rejectUnknown is true', async () => {
    const app = await appOf([{ key: 'known', kind: 'text' }], true);
    for (const key of INNOCENT_KEYS) {
      const { body } = await app.submit({ email: 'a@example.com', data: { [key]: 1 } }).expect(400);
      expect(body.errors).toEqual([
        { path: `data.${key}`, message: 'is not a field of this app', code: 'unknownField' },
      ]);
    }
  });
});

describe('arrays in fields named like members of Object.prototype', () => {
  it('are listed as stored', async () => {
    const keys = ['constructor', 'toString', 'hasOwnProperty'];
    const app = await appOf(keys.map((key) => ({ key, kind: 'array' })));
    const data = Object.fromEntries(keys.map((key) => [key, [{ a: [{}, { b: 1 }] }]]));
    await app.submit({ email: 'a@example.com', data }).expect(200);
    const item = { a: [{}, { b: 1 }], timestamp: expect.any(String) };
    expect((await app.listed())[0]?.data).toEqual(Object.fromEntries(keys.map((key) => [key, [item]])));
  });
});

describe('attack: operator injection and prototype pollution through keys', () => {
  let app: Awaited<ReturnType<typeof appOf>>;
  beforeAll(async () => {
    app = await appOf([{ key: 'tags', kind: 'array' }]);
  });

  const places: [string, (key: string) => unknown][] = [
    ['in data', (key) => ({ email: 'k@example.com', data: ownProperties([[key, 1]]) })],
    ['in a value', (key) => ({ email: 'k@example.com', data: { x: ownProperties([[key, 1]]) } })],
    ['nested in a value', (key) => ({ email: 'k@example.com', data: { x: [[{ y: ownProperties([[key, {}]]) }]] } })],
    ['in an array item', (key) => ({ email: 'k@example.com', data: { tags: [ownProperties([[key, 1]])] } })],
    [
      'nested in an array item',
      (key) => ({ email: 'k@example.com', data: { tags: [{ a: [ownProperties([[key, 1]])] }] } }),
    ],
    [
      'next to data',
      (key) =>
        ownProperties([
          ['email', 'k@example.com'],
          [key, {}],
        ]),
    ],
  ];
  const cases = places.flatMap(([place, body]) => FORBIDDEN_KEYS.map((key) => [place, key, body] as const));

  it.each(cases)('is refused with 400 and stores nothing: %s, key %j', async (_place, key, body) => {
    await app.submit(JSON.stringify(body(key))).expect(400);
    expect(await app.listed()).toEqual([]);
  });

  it.each([
    ['PUT', '/auth/apps/{app}/schema', '{"rejectUnknown":true,"fields":[],"__proto__":{}}'],
    ['PUT', '/auth/apps/{app}/schema', '{"rejectUnknown":true,"fields":[{"key":"a","kind":"text","__proto__":{}}]}'],
    ['PUT', '/auth/apps/{app}/schema', '{"rejectUnknown":true,"fields":[{"key":"__proto__","kind":"text"}]}'],
    ['PUT', '/auth/apps/{app}/schema', '{"rejectUnknown":true,"fields":[{"key":"a","kind":"__proto__"}]}'],
    ['PUT', '/auth/apps/{app}/schema', '{"rejectUnknown":true,"fields":[{"key":"a","kind":"constructor"}]}'],
    ['PUT', '/auth/apps/{app}/schema', '{"rejectUnknown":true,"fields":{"__proto__":[],"length":0}}'],
    ['POST', '/auth/apps', '{"sourceAppId":"fresh","__proto__":{"role":"admin"}}'],
    ['POST', '/auth/apps', '{"__proto__":{"sourceAppId":"fresh"}}'],
    ['POST', '/auth/apps', '{"sourceAppId":"fresh","role":"admin"}'],
    ['POST', '/auth/login', '{"sourceAppId":"admin","password":"x","__proto__":{}}'],
  ] as const)('is refused with 400: %s %s %s', async (method, path, body) => {
    const { sourceAppId } = await server.admin.buildApp();
    const target = path.replace('{app}', sourceAppId);
    const sent = method === 'PUT' ? server.admin.put(target, body) : server.admin.post(target, body);
    await sent.set('Content-Type', 'application/json').expect(400);
  });

  it('adds no property to Object.prototype', () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).role).toBeUndefined();
  });
});
