import { afterAll, beforeAll, expect, it } from 'vitest';
import { document } from '../support/server/openapi.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { UNMEASURABLE } from './arbitraries.ts';

// Every place of every JSON body, by openapi.json: an object that has a length is a wrong type.

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
}

/** A place within a body. */
interface Place {
  path: string;
  types: Set<string>;
  /** Returns a body with a value at the place and with little else. */
  bodyWith(value: unknown): unknown;
}

type Method = 'post' | 'put' | 'patch' | 'delete';

function resolve({ $ref, ...schema }: Schema): Schema {
  const name = $ref?.split('/').at(-1);
  return name === undefined ? schema : resolve(document.components.schemas[name]);
}

const alternatives = (schema: Schema): Schema[] => {
  const { anyOf = [], oneOf = [], allOf = [], ...own } = resolve(schema);
  return [own, ...[...anyOf, ...oneOf, ...allOf].flatMap(alternatives)];
};

/** Returns the places of a body, each once for the same types. */
function placesIn(body: Schema): Place[] {
  const places = placesOf(body, '', (value) => value);
  return [...new Map(places.map((place) => [`${place.path} ${[...place.types]}`, place])).values()];
}

/** Returns the place of a schema and those within it. */
function placesOf(schema: Schema, path: string, bodyWith: Place['bodyWith']): Place[] {
  const within = (inner: Schema, name: string, wrap: (value: unknown) => unknown) =>
    placesOf(inner, path === '' ? name : `${path}.${name}`, (value) => bodyWith(wrap(value)));
  const all = alternatives(schema);
  const inner = all.flatMap(({ properties = {}, additionalProperties, items }) => {
    const members = Object.entries(properties);
    // Such as the kind of a field, which selects one of several schemas.
    const constants = Object.fromEntries(members.flatMap(([name, one]) => ('const' in one ? [[name, one.const]] : [])));
    return [
      ...members.flatMap(([name, one]) => within(one, name, (value) => ({ ...constants, [name]: value }))),
      ...(typeof additionalProperties === 'object' ? within(additionalProperties, 'de', (de) => ({ de })) : []),
      ...(items ? within(items, '0', (value) => [value]) : []),
    ];
  });
  return [{ path, types: new Set(all.flatMap(typesOf)), bodyWith }, ...inner];
}

function typesOf({ type = [], enum: values = [], ...schema }: Schema): string[] {
  const constants = 'const' in schema ? [...values, schema.const] : values;
  const named = [type].flat().map((one) => (one === 'integer' ? 'number' : one));
  return [...named, ...constants.map((one) => (one === null ? 'null' : typeof one))];
}

/** Returns a value of another type than a place may have. */
function wrongFor({ types }: Place): unknown {
  const values = { boolean: true, number: 7, string: 'text', array: [], null: null };
  return Object.entries(values).find(([type]) => !types.has(type))?.[1];
}

interface Operation {
  parameters?: { in: string; name: string; required?: boolean; schema: { example?: unknown } }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const bodies = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
    const schema = requestBody?.content['application/json']?.schema;
    return schema
      ? [{ name: `${method.toUpperCase()} ${path}`, method: method as Method, path, parameters, schema }]
      : [];
  }),
);

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ RATE_LIMIT_LOGIN: '0' });
  await server.admin.post('/auth/apps', { sourceAppId: 'newsletter' }).expect(200);
});
afterAll(() => server.close());

it('there are bodies, and places in them', () => {
  expect(bodies.length).toBeGreaterThan(35);
  expect(bodies.flatMap(({ schema }) => placesIn(schema)).length).toBeGreaterThan(250);
});

it.each(bodies)(
  '$name refuses objects with a length where others belong',
  async ({ method, path, parameters, schema }) => {
    const required = parameters.filter((one) => one.in === 'path' || one.required);
    const exampleOf = (name: string) => String(required.find((one) => one.name === name)?.schema.example);
    const query = required.filter((one) => one.in === 'query').map(({ name }) => `${name}=${exampleOf(name)}`);
    const url = `${path.replaceAll(/\{(\w+)\}/g, (_all, name) => exampleOf(name))}?${query.join('&')}`;
    const send = async (body: unknown) => {
      const sent = server.admin[method](url, JSON.stringify(body))
        .type('application/json')
        .set('x-app-id', 'newsletter');
      const { status, body: answer } = await sent;
      return { status, message: answer.message, paths: answer.errors?.map((one: { path: string }) => one.path) };
    };
    for (const place of placesIn(schema)) {
      const answer = await send(place.bodyWith(UNMEASURABLE));
      expect(answer.status, place.path).toBeLessThan(500);
      if (place.types.has('object') || place.types.size === 0) continue;
      expect(answer, place.path).toEqual(await send(place.bodyWith(wrongFor(place))));
      expect(answer.status, place.path).toBe(400);
      expect(answer.paths.length, place.path).toBeGreaterThan(0);
      expect(answer.message, place.path).not.toMatch(/query|path|headers/);
    }
  },
);
