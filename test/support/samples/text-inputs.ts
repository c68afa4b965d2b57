import { document, resolveResponse } from '../server/openapi.ts';

/** A schema of the OpenAPI document. */
interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  example?: unknown;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  minimum?: number;
}

interface Parameter {
  in: 'header' | 'path' | 'query';
  name: string;
  required?: boolean;
  schema: JsonSchema;
}

/** A place of a value that takes a text, and the value with a text there. */
interface Place {
  at: string;
  fill(text: string): unknown;
}

/** What a test sends: a path with its query, headers, and a body. */
export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
}

/** A place of a request to an endpoint that takes a text. */
export interface TextInput {
  /** The endpoint and the place. */
  name: string;
  part: 'header' | 'path' | 'query' | 'body';
  /** The request with a text there. Names in the path and in queries are escaped. */
  fill(text: string): Sent;
}

const MAX_DEPTH = 7;

const resolved = (schema: JsonSchema): JsonSchema => {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : document.components.schemas[name];
};

/** A value of a schema: its example, if it has one. */
function sampleOf(given: JsonSchema, depth = 0): unknown {
  const schema = resolved(given);
  if ('example' in schema) return schema.example;
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [choice] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  if (choice) return sampleOf(choice, depth);
  switch ([schema.type].flat()[0]) {
    case 'string':
      return 'a';
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return schema.items && depth < MAX_DEPTH ? [sampleOf(schema.items, depth + 1)] : [];
    case 'object': {
      const required = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name));
      return Object.fromEntries(required.map(([name, member]) => [name, sampleOf(member, depth + 1)]));
    }
    default:
      return 'a';
  }
}

/** Items of which no two are equal, for about as many bytes as a text has. */
const listOf = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / 8) }, (_, index) => index.toString(36));

/** Yields all places of a value of a schema, also its names and the lengths of its lists. */
function* placesOf(given: JsonSchema, at: string, depth = 0): Generator<Place> {
  const schema = resolved(given);
  if (depth > MAX_DEPTH) return;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    for (const choice of choices) yield* placesOf(choice, at, depth + 1);
    return;
  }
  const types = [schema.type ?? (schema.properties ? 'object' : 'string')].flat();
  if (types.includes('string')) yield { at, fill: (text) => text };
  if (types.includes('array')) {
    yield { at: `${at}[]`, fill: listOf };
    for (const item of placesOf(schema.items ?? {}, `${at}.0`, depth + 1)) {
      yield { at: item.at, fill: (text) => [item.fill(text)] };
    }
  }
  if (!types.includes('object')) return;
  const sample = sampleOf(given, depth) as Record<string, unknown>;
  yield { at: `${at}{}`, fill: (text) => ({ ...sample, [text]: 'a' }) };
  const { additionalProperties: others } = schema;
  const members = Object.entries(schema.properties ?? {});
  if (typeof others === 'object') members.push(['de', others]);
  else if (others === true) members.push(['name', { type: 'string' }]);
  for (const [name, member] of members) {
    for (const place of placesOf(member, `${at}.${name}`, depth + 1)) {
      yield { at: place.at, fill: (text) => ({ ...sample, [name]: place.fill(text) }) };
    }
  }
}

/**
 * The places of all JSON bodies, parameters and headers of the endpoints that take a text. Those of
 * a schema that two endpoints read are given once, like parameters that all endpoints read alike.
 */
export function* textInputs(sourceAppId: string): Generator<TextInput> {
  const given = new Set<string>();
  for (const [template, operations] of Object.entries<Record<string, Operation>>(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${template}`;
      for (const input of inputsOf(method, template, operation, sourceAppId)) {
        const shared = SHARED.find((pattern) => pattern.test(input.at)) ? input.at : `${name}: ${input.at}`;
        if (given.has(shared)) continue;
        given.add(shared);
        yield { name: `${name}: ${input.at}`, part: input.part, fill: input.fill };
      }
    }
  }
}

/** A definition of a field, and what the same code reads for all endpoints. */
const SHARED = [/^body\.fields\.0/, /^(?:path|query) (?:sourceAppId|id|limit|cursor|from|to|lang)$/, /^header if-/];

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
}

function* inputsOf(
  method: string,
  template: string,
  operation: Operation,
  sourceAppId: string,
): Generator<Place & { part: TextInput['part']; fill(text: string): Sent }> {
  const parameters = (operation.parameters ?? []).map((parameter) => resolveResponse(parameter));
  const schema = operation.requestBody?.content['application/json']?.schema;
  const sample = schema && sampleOf(schema);

  function request(filled: Parameter | undefined, text: string, body: unknown): Sent {
    const textOf = (parameter: Parameter): string => {
      if (parameter === filled) return text;
      return parameter.name === 'sourceAppId' ? sourceAppId : String(sampleOf(parameter.schema));
    };
    const used = (part: Parameter['in']): [string, string][] =>
      parameters
        .filter((parameter) => parameter.in === part && (parameter.required || parameter === filled))
        .map((parameter) => [parameter.name, textOf(parameter)]);
    const query = new URLSearchParams(used('query'));
    const inPath = new Map(used('path'));
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent((inPath.get(name) ?? name).toWellFormed()),
    );
    const type: [string, string][] = body === undefined ? [] : [['Content-Type', 'application/json']];
    return {
      method: method.toUpperCase(),
      path: query.size > 0 ? `${path}?${query}` : path,
      headers: Object.fromEntries(used('header').concat(type)),
      body: body === undefined ? undefined : JSON.stringify(body),
    };
  }

  for (const parameter of parameters) {
    const { in: part, name } = parameter;
    yield { at: `${part} ${name}`, part, fill: (text) => request(parameter, text, sample) };
  }
  for (const place of schema ? placesOf(schema, 'body') : []) {
    yield { at: place.at, part: 'body', fill: (text) => request(undefined, '', place.fill(text)) };
  }
}
