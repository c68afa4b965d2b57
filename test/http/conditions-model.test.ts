// @module-tag long

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rounds } from '../support/run/rounds.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

// Random schemas with conditions and random submissions to two servers, against a model of the
// section of the specification that shares no code with the service.

/** As the test of JSON Schema has it. */
const ajv = new Ajv2020({ strict: true, ownProperties: true });

let servers: [TestServer, TestServer];
beforeAll(async () => {
  const a = await startServer();
  servers = [a, await startServer({}, a.database)];
});
afterAll(async () => {
  await servers[1].close();
  await servers[0].close();
});

type Kind = 'text' | 'checkbox' | 'select' | 'multiselect' | 'number' | 'date' | 'array';
type Data = Record<string, unknown>;

interface Condition {
  field: string;
  op: string;
  value?: unknown;
}

interface Group {
  all?: Condition[];
  any?: Condition[];
}

interface Field {
  key: string;
  kind: Kind;
  required: boolean;
  enum?: string[];
  showIf?: Group;
  requiredIf?: Group;
  keepHidden?: boolean;
}

const KINDS: Kind[] = ['text', 'checkbox', 'select', 'multiselect', 'number', 'date', 'array'];
const CHOICES = ['red', 'green', 'Blue'];
const DAYS = ['2026-01-31', '2026-02-01', '2026-02-02'];
/** Each with its instant in hours since the first day. */
const INSTANTS: Record<string, number> = {
  '2026-01-31': 0,
  '2026-02-01': 24,
  '2026-02-02': 48,
  '2026-01-31T12:00:00Z': 12,
  '2026-02-01T01:00:00+02:00': 23,
  '2026-02-01T23:00:00-02:00': 49,
};
const TEXTS = ['', 'a', 'A', 'ab', 'ÄB', 'äb c'];
const NUMBERS = [-1, 0, 1, 1.5, 2];

const VALUES: Record<Kind, fc.Arbitrary<unknown>> = {
  text: fc.constantFrom(...TEXTS),
  checkbox: fc.boolean(),
  select: fc.constantFrom(...CHOICES),
  multiselect: fc.shuffledSubarray(CHOICES),
  number: fc.constantFrom(...NUMBERS),
  date: fc.constantFrom(...Object.keys(INSTANTS)),
  array: fc.array(fc.constantFrom('x', 1), { maxLength: 2 }),
};

const OPERATORS: Record<Kind, string[]> = {
  text: ['eq', 'ne', 'in', 'contains', 'exists'],
  checkbox: ['eq', 'ne', 'exists'],
  select: ['eq', 'ne', 'in', 'contains', 'exists'],
  multiselect: ['contains', 'in', 'exists'],
  number: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'exists'],
  date: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'exists'],
  array: ['exists'],
};

/** A value that a condition may have; a required field has no empty text and no `false`. */
function given({ kind, required }: Field): fc.Arbitrary<unknown> {
  if (kind === 'multiselect') return fc.constantFrom(...CHOICES);
  if (kind === 'checkbox' && required) return fc.constant(true);
  return kind === 'text' && required ? fc.constantFrom(...TEXTS.slice(1)) : VALUES[kind];
}

function condition(field: Field): fc.Arbitrary<Condition> {
  return fc.constantFrom(...OPERATORS[field.kind]).chain((op): fc.Arbitrary<Condition> => {
    if (op === 'exists') {
      return fc.constantFrom<Condition>({ field: field.key, op }, { field: field.key, op, value: false });
    }
    const value = op === 'in' ? fc.array(given(field), { minLength: 1, maxLength: 3 }) : given(field);
    return value.map((one) => ({ field: field.key, op, value: one }));
  });
}

const group = (earlier: Field[]): fc.Arbitrary<Group | undefined> => {
  if (earlier.length === 0) return fc.constant(undefined);
  const conditions = fc.array(fc.constantFrom(...earlier).chain(condition), { minLength: 1, maxLength: 3 });
  return fc.option(
    fc.tuple(fc.constantFrom('all', 'any'), conditions).map(([name, list]) => ({ [name]: list })),
    { nil: undefined },
  );
};

const schemas = fc.integer({ min: 2, max: 7 }).chain((count) => {
  let fields: fc.Arbitrary<Field[]> = fc.constant([]);
  for (let index = 0; index < count; index += 1) {
    fields = fields.chain((earlier) =>
      fc
        .record({
          kind: fc.constantFrom(...KINDS),
          required: fc.boolean(),
          keepHidden: fc.boolean(),
          showIf: group(earlier),
          requiredIf: group(earlier),
        })
        .map(({ kind, showIf, requiredIf, ...rest }) => [
          ...earlier,
          {
            key: `f${index}`,
            kind,
            ...(kind.endsWith('select') && { enum: CHOICES }),
            ...(showIf && { showIf }),
            ...(requiredIf && { requiredIf }),
            ...rest,
          },
        ]),
    );
  }
  return fields;
});

/** Of each field a value, or none. */
const submission = (fields: Field[]): fc.Arbitrary<Data> =>
  fc.record(Object.fromEntries(fields.map(({ key, kind }) => [key, VALUES[kind]])), {
    requiredKeys: [],
    noNullPrototype: true,
  });

const fold = (text: string) => text.toLowerCase();

function isEqual(kind: Kind, value: unknown, wanted: unknown): boolean {
  if (kind !== 'date') return value === wanted;
  const [at, first] = [INSTANTS[value as string] as number, INSTANTS[wanted as string] as number];
  return DAYS.includes(wanted as string) ? at >= first && at < first + 24 : at === first;
}

function isGreater(kind: Kind, value: unknown, wanted: unknown): boolean {
  if (kind !== 'date') return (value as number) > (wanted as number);
  const [at, first] = [INSTANTS[value as string] as number, INSTANTS[wanted as string] as number];
  return DAYS.includes(wanted as string) ? at >= first + 24 : at > first;
}

function holds({ op, value: wanted }: Condition, kind: Kind, value: unknown): boolean {
  const isAbsent = value === undefined;
  switch (op) {
    case 'exists':
      return isAbsent === (wanted === false);
    case 'ne':
      return isAbsent || !isEqual(kind, value, wanted);
    case 'in': {
      const list = wanted as unknown[];
      if (isAbsent) return false;
      if (kind === 'multiselect') return (value as unknown[]).some((one) => list.includes(one));
      return list.some((one) => isEqual(kind, value, one));
    }
    case 'contains':
      if (isAbsent) return false;
      if (kind === 'multiselect') return (value as unknown[]).includes(wanted);
      return fold(value as string).includes(fold(wanted as string));
    case 'eq':
      return !isAbsent && isEqual(kind, value, wanted);
    case 'gt':
      return !isAbsent && isGreater(kind, value, wanted);
    case 'gte':
      return !isAbsent && (isGreater(kind, value, wanted) || isEqual(kind, value, wanted));
    case 'lt':
      return !isAbsent && !isGreater(kind, value, wanted) && !isEqual(kind, value, wanted);
    default:
      return !isAbsent && !isGreater(kind, value, wanted);
  }
}

/** The problems of a submission, and the keys that are not shown. */
function judge(fields: Field[], data: Data) {
  const seen: Data = {};
  const kinds: Record<string, Kind> = {};
  const problems: Record<string, string> = {};
  const hidden: Field[] = [];
  const isMet = ({ all, any }: Group): boolean => {
    const results = (all ?? any ?? []).map((one) => holds(one, kinds[one.field] as Kind, seen[one.field]));
    return all ? results.every(Boolean) : results.some(Boolean);
  };
  for (const field of fields) {
    const { key, kind, showIf, requiredIf } = field;
    const value = data[key];
    const isShown = !showIf || isMet(showIf);
    const isRequired = isShown && (field.required || (requiredIf !== undefined && isMet(requiredIf)));
    kinds[key] = kind;
    if (!isShown) {
      hidden.push(field);
      if (value !== undefined) problems[`data.${key}`] = 'notShown';
      continue;
    }
    seen[key] = value;
    if (!isRequired) continue;
    if (value === undefined) problems[`data.${key}`] = 'required';
    if (kind === 'text' && value === '') problems[`data.${key}`] = 'empty';
    if (kind === 'checkbox' && value === false) problems[`data.${key}`] = 'mustBeTrue';
    if (kind === 'multiselect' && (value as unknown[] | undefined)?.length === 0)
      problems[`data.${key}`] = 'tooFewChoices';
  }
  return { problems, hidden };
}

const SOME: Record<Kind, unknown> = {
  text: 'ab',
  checkbox: true,
  select: 'red',
  multiselect: ['red'],
  number: 1,
  date: DAYS[0],
  array: ['x'],
};

/** The submission without its problems: a change of a field shows or hides only later ones. */
function fitting(fields: Field[], sent: Data): Data {
  const data = { ...sent };
  for (;;) {
    const { problems } = judge(fields, data);
    const wrong = fields.find(({ key }) => problems[`data.${key}`] !== undefined);
    if (!wrong) return data;
    if (problems[`data.${wrong.key}`] === 'notShown') delete data[wrong.key];
    else data[wrong.key] = SOME[wrong.kind];
  }
}

/** The stored data after an accepted submission. */
function after(stored: Data, fields: Field[], data: Data, hidden: Field[]): Data {
  const next: Data = { ...stored };
  for (const { key, kind, keepHidden } of hidden) if (kind !== 'array' && !keepHidden) delete next[key];
  for (const { key, kind } of fields) {
    const value = data[key];
    if (value === undefined) continue;
    if (kind === 'array') next[key] = [...((next[key] as unknown[]) ?? []), ...(value as unknown[])];
    else next[key] = kind === 'multiselect' ? CHOICES.filter((one) => (value as unknown[]).includes(one)) : value;
  }
  return next;
}

/** Stored data with the items of lists as they were sent. */
const plain = (data: Data): Data =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      const isItems = Array.isArray(value) && value.some((item) => typeof item === 'object');
      return [key, isItems ? value.map((item) => (item as { value: unknown }).value) : value];
    }),
  );

it('A submission is answered and stored as the specification says, on whatever server', async () => {
  const [{ admin }] = servers;
  const { sourceAppId } = await admin.buildApp();
  let count = 0;
  let accepted = 0;
  let refused = 0;
  let removed = 0;
  const property = fc.asyncProperty(
    schemas.chain((fields) =>
      fc.tuple(fc.constant(fields), fc.array(submission(fields), { minLength: 6, maxLength: 10 })),
    ),
    async ([fields, sent]) => {
      const answer = await admin.put(`/auth/apps/${sourceAppId}/schema`, { rejectUnknown: true, fields });
      expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
      const { body: jsonSchema } = await servers[1].client
        .get('/v1/schema?format=json-schema')
        .set('x-app-id', sourceAppId)
        .expect(200);
      const isValid = ajv.compile(jsonSchema);
      count += 1;
      const email = `p${count}@example.com`;
      let stored: Data | undefined;
      for (const [index, random] of sent.entries()) {
        const data = index % 4 === 3 ? random : fitting(fields, random);
        const { client } = servers[index % 2] as TestServer;
        const { status, body } = await client.submit(sourceAppId, { email, data });
        const { problems, hidden } = judge(fields, data);
        const codes = (body.errors ?? []).map(({ path, code }: { path: string; code: string }) => [path, code]);
        expect({ status, problems: Object.fromEntries(codes) }).toEqual({
          status: Object.keys(problems).length > 0 ? 400 : 200,
          problems,
        });
        if (status !== 200) {
          refused += 1;
          continue;
        }
        accepted += 1;
        expect(isValid(data)).toBe(true);
        const before = stored ?? {};
        stored = after(stored ?? {}, fields, data, hidden);
        if (Object.keys(before).some((key) => !Object.hasOwn(stored ?? {}, key))) removed += 1;
        const record = await servers[0].db.collection('users').findOne({ sourceAppId, email });
        expect(plain(record?.data)).toEqual(stored);
        const sizes = Object.entries(stored).flatMap(([key, value]) =>
          Array.isArray(value) ? [[key, value.length]] : [],
        );
        expect(record?.arraySizes ?? {}).toEqual(Object.fromEntries(sizes));
      }
    },
  );
  await fc.assert(property, { numRuns: rounds(400, 60) });
  // Enough of both, so that no part of the model is idle.
  expect(accepted).toBeGreaterThan(4 * count);
  expect(refused).toBeGreaterThan(count / 2);
  expect(removed).toBeGreaterThan(count / 4);
});
