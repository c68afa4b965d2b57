import fc from 'fast-check';
import type { ObjectId } from 'mongodb';
import { createRecordList } from '../../../src/core/users/record-list.ts';
import type { UserCollection, UserDocument } from '../../../src/core/users/users.model.ts';
import { createRecordPages } from '../../../src/features/record-reads/record-pages.ts';
import type { ReadySlot } from '../../../src/features/search/queried-app.ts';
import { createUserQuery } from '../../../src/features/search/user-query.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { createOperatorLoad } from '../../../src/platform/http/operator-load.ts';
import { FIELDS, slotsOf } from './query-model.ts';

const START = Date.parse('2026-01-30T12:00:00Z');
const TEXTS = ['', 'a', 'A', 'Ada', 'ADA', 'ada lovelace', 'adä', 'ada\u0308', 'ａｄａ', 'Ωmega', 'Σίσυφος', 'ΣΊΣΥΦΟΣ'];
TEXTS.push(
  'été',
  'e\u0301te',
  '.*',
  'a.c',
  'abc',
  '$x',
  '^a',
  'a|b',
  'x\\',
  '💥',
  '💥a',
  '\uffee',
  '漢字',
  '한국',
  'İst',
  'ist',
);
TEXTS.push(
  'x'.repeat(70),
  `${'x'.repeat(70)}y`,
  'ß',
  'SS',
  'ﬁ',
  'fi',
  'NULL',
  '36',
  '36 Oak',
  '07A',
  'true',
  'a,b',
  'e:f',
  '\0',
  'ǰ',
  'J\u030c',
);
// Texts with a separator of index values, and around the 64 characters that these have.
TEXTS.push(
  'a\0A',
  'a\0a',
  'A\0',
  'x'.repeat(64),
  'X'.repeat(64),
  'X'.repeat(65),
  `${'X'.repeat(64)}\0`,
  '💥'.repeat(65),
);
const DATES = [
  '2026-01-30',
  '2026-01-31',
  '2026-01-31T00:00:00Z',
  '2026-01-31t23:59:59.999z',
  '2026-02-01T00:30:00+01:00',
];
DATES.push(
  '2026-01-31T08:30:00.1239Z',
  '2026-01-30T12:00:00.0009999999999999Z',
  '2026-01-30T13:00:00.00199999999999999+01:00',
  '0001-01-01',
  '9999-12-31T23:59:59-23:59',
  '2024-02-29',
  '2026-01-30T23:00:00-01:00',
);
const NUMBERS = [0, -1, 1, 36, 36.5, 2 ** 53 - 1, -1e300, 1e-300, 1e21, 0.1];

export const text = fc.constantFrom(...TEXTS);
const odd = fc.constantFrom<unknown>(
  null,
  36,
  '36',
  true,
  '',
  ['a'],
  [],
  [36],
  [null],
  { a: 'Ada' },
  'n/a',
  '2026-02-30',
);
const absent = Symbol('absent');
/** A value of the kind, or none, or one of another kind. */
const valued = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { arbitrary: usual, weight: 8 },
    { arbitrary: fc.constant(absent), weight: 2 },
    { arbitrary: odd, weight: 2 },
  );
const TOPICS = ['a', 'b', '36', 'c; d'];
const item = fc.oneof(
  fc.record({ value: fc.oneof(text, fc.constantFrom(36, true)), timestamp: fc.constant('2026-01-01T00:00:00.000Z') }),
  fc.constant({ note: 'Ada', timestamp: '2026-01-01T00:00:00.000Z' }),
);
const data = fc
  .record({
    name: valued(text),
    plan: valued(fc.constantFrom('pro', 'Pro', 'free')),
    age: valued(fc.constantFrom(...NUMBERS)),
    born: valued(fc.constantFrom(...DATES)),
    agreed: valued(fc.boolean()),
    visits: valued(fc.array(item, { maxLength: 3 })),
    topics: valued(fc.oneof(fc.subarray(TOPICS), fc.constantFrom(...TOPICS))),
    extra: valued(text),
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== absent)));

const date = fc.constantFrom(...DATES);
const time = fc.constantFrom('2026-01-30', '2026-01-30T12:00:00.050Z', '2026-01-30T13:00:00.100+01:00', '2026-01-31');
const range = fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte');
const several = (values: fc.Arbitrary<string>) =>
  fc.array(values, { minLength: 1, maxLength: 4 }).map((list) => list.join(','));
const condition = (path: string, operator: fc.Arbitrary<string>, value: fc.Arbitrary<string>) =>
  fc.tuple(operator, value).map(([name, operand]) => `${path}:${name}:${operand}`);
const textWhere = (path: string, values = text) =>
  fc.oneof(
    condition(path, fc.constantFrom('eq', 'ne', 'prefix', 'contains'), values),
    condition(path, fc.constant('in'), several(values)),
  );
const rangeWhere = (path: string, values: fc.Arbitrary<string>) =>
  fc.oneof(condition(path, range, values), condition(path, fc.constant('in'), several(values)));
const PATHS = ['email', 'createdAt', 'data.name', 'data.plan', 'data.age', 'data.born', 'data.agreed', 'data.visits'];
PATHS.push('data.topics');
/** A condition of a query. */
export const where = fc.oneof(
  textWhere('data.name'),
  textWhere('data.extra'),
  textWhere('data.plan', fc.constantFrom('pro', 'Pro', 'free', 'p', 'x')),
  textWhere('email', fc.constantFrom('u1@example.com', 'U', 'u1', '.com', '9', 'none', '@EXAMPLE')),
  rangeWhere('data.age', fc.constantFrom(...NUMBERS.map(String))),
  rangeWhere('data.born', date),
  rangeWhere('createdAt', time),
  rangeWhere('updatedAt', time),
  rangeWhere('schemaVersion', fc.constantFrom('1', '2')),
  condition('data.agreed', fc.constantFrom('eq', 'ne'), fc.constantFrom('true', 'false')),
  condition('data.topics', fc.constant('contains'), fc.constantFrom(...TOPICS, 'x', 'true')),
  condition('data.topics', fc.constant('in'), several(fc.constantFrom(...TOPICS, 'x'))),
  condition('data.visits', fc.constant('contains'), fc.oneof(text, fc.constantFrom('36', 'true'))),
  fc
    .constantFrom(...PATHS)
    .chain((path) => condition(path, fc.constantFrom('exists', 'empty'), fc.constantFrom('true', 'false'))),
);
/** Makes `count` records of an app, always the same ones: usual values, odd ones, and none. */
function sampleRecords(appId: ObjectId, count: number): UserDocument[] {
  const newId = createOrderedIds();
  return fc.sample(data, { numRuns: count, seed: 1 }).map((own, at) => recordOf(appId, own, at, newId));
}

export function recordOf(
  appId: ObjectId,
  own: Record<string, unknown>,
  at: number,
  newId: ReturnType<typeof createOrderedIds>,
): UserDocument {
  const createdAt = new Date(START + Math.floor(at / 3));
  const updatedAt = new Date(START + (at % 7));
  const base = {
    _id: newId(createdAt),
    appId,
    sourceAppId: 'model',
    email: `u${at}@example.${at % 2 ? 'com' : 'org'}`,
  };
  return { ...base, data: own, schemaVersion: 1 + (at % 2), createdAt, updatedAt };
}

const INDEXED = FIELDS.filter(({ kind }) => kind !== 'array' && kind !== 'multiselect');

/**
 * Stores sample records of an app with an index slot for each field of `FIELDS` that can have one,
 * and creates the indexes of these slots. Resolves with the records.
 */
export async function storeIndexedRecords(users: UserCollection, appId: ObjectId, count: number) {
  for (const [at] of INDEXED.entries()) {
    const partialFilterExpression = { [`s${at}`]: { $exists: true } };
    await users.createIndex({ appId: 1, [`s${at}`]: 1, _id: 1 }, { partialFilterExpression });
  }
  const records = sampleRecords(appId, count);
  await users.insertMany(records.map((record) => ({ ...record, ...slotsOf(record.data) })));
  return records;
}

/** The slot of a field in the records of {@link storeIndexedRecords}. */
export function slotOf(key: string): ReadySlot | undefined {
  const at = INDEXED.findIndex((field) => field.key === key);
  return at === -1 ? undefined : { slot: `s${at}`, use: 'test' };
}

/** The readers of a collection, without a server. */
export function createQueries(
  users: UserCollection,
  budgets: { budgetMs?: number | undefined; plainBudgetMs?: number } = {},
) {
  const load = createOperatorLoad();
  const { ranges, pages } = createRecordPages(users, load, createRecordList(users, load));
  return { pages, query: createUserQuery({ ranges, pages, ...budgets }) };
}
