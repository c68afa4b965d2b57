import fc from 'fast-check';
import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCursors } from '../../../src/api/cursors.ts';
import { decode } from '../../../src/database/collections.ts';
import type { ReadySlot } from '../../../src/users/query/plan/ready-slots.ts';
import { findUsers, type PageRequest } from '../../../src/users/query/user-finder.ts';
import { createUserQuery } from '../../../src/users/query/user-query.ts';
import { createRecordIds } from '../../../src/users/record-id.ts';
import { createRecordPages } from '../../../src/users/record-pages.ts';
import type { UserCollection, UserDocument } from '../../../src/users/users.model.ts';
import { FIELDS, holds, inOrder, slotsOf } from '../../support/query-model.ts';
import { startServer, type TestServer } from '../../support/server.ts';

const RECORDS = 300;
const START = Date.parse('2026-01-30T12:00:00Z');
const schema = { fields: FIELDS, rejectUnknown: false };

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
  'true',
  'a,b',
  'e:f',
  '\0',
  'ǰ',
  'J\u030c',
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
  '0001-01-01',
  '9999-12-31T23:59:59-23:59',
  '2024-02-29',
  '2026-01-30T23:00:00-01:00',
);
const NUMBERS = [0, -1, 1, 36, 36.5, 2 ** 53 - 1, -1e300, 1e-300, 1e21, 0.1];

const text = fc.constantFrom(...TEXTS);
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
const where = fc.oneof(
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
  condition('data.visits', fc.constant('contains'), fc.oneof(text, fc.constantFrom('36', 'true'))),
  fc
    .constantFrom(...PATHS)
    .chain((path) => condition(path, fc.constantFrom('exists', 'empty'), fc.constantFrom('true', 'false'))),
);
const SORTS = [
  'createdAt',
  'updatedAt',
  'email',
  'data.name',
  'data.plan',
  'data.age',
  'data.born',
  'data.agreed',
  'data.extra',
];
const request = fc.record({
  where: fc.array(where, { maxLength: 3 }),
  sort: fc.constantFrom(...SORTS),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  limit: fc.constantFrom(23, 50, 200),
});

let server: TestServer;
let users: UserCollection;
const appId = new Types.ObjectId();
const cursors = createCursors('a secret of this test');
let records: UserDocument[];

beforeAll(async () => {
  server = await startServer();
  users = server.db.collection('users') as unknown as UserCollection;
  const indexed = FIELDS.filter(({ kind }) => kind !== 'array');
  for (const [at] of indexed.entries()) {
    const partialFilterExpression = { [`s${at}`]: { $exists: true } };
    await users.createIndex({ appId: 1, [`s${at}`]: 1, _id: 1 }, { partialFilterExpression });
  }
  const newId = createRecordIds();
  records = fc.sample(data, { numRuns: RECORDS, seed: 1 }).map((own, at) => recordOf(own, at, newId));
  await users.insertMany(records.map((record) => ({ ...record, ...slotsOf(record.data) })));
});
afterAll(() => server.close());

function recordOf(own: Record<string, unknown>, at: number, newId: ReturnType<typeof createRecordIds>): UserDocument {
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

const slotOf = (key: string): ReadySlot | undefined => {
  const at = FIELDS.filter(({ kind }) => kind !== 'array').findIndex((field) => field.key === key);
  return at === -1 ? undefined : { slot: `s${at}`, use: 'test' };
};
const withoutSlots = () => undefined;

/** Reads all pages of a request; returns the emails in the order of the answers. */
async function walk(query: PageRequest, slots: typeof slotOf, budgetMs?: number, between?: () => Promise<unknown>) {
  const engine = createUserQuery(users, createRecordPages(users), budgetMs);
  const found: string[] = [];
  let isComplete = true;
  let total: number | undefined;
  let cursor: string | undefined;
  for (let page = 0; page < 2_000; page += 1) {
    const asked = { ...query, ...(cursor !== undefined && { cursor }) };
    const answer = await findUsers(engine, cursors, { id: appId, schema, slotOf: slots }, asked);
    total ??= answer.rest.totalIs === 'exact' ? answer.rest.total : undefined;
    isComplete &&= answer.rest.complete;
    for await (const batch of answer.users) for (const bytes of batch) found.push(decode<UserDocument>(bytes).email);
    if (answer.rest.next === undefined) return { found, isComplete, total };
    cursor = answer.rest.next;
    await between?.();
  }
  throw new Error('the pages do not end');
}

const emailsOf = (list: readonly UserDocument[]): string[] => list.map(({ email }) => email);

describe.each([
  ['without index slots', withoutSlots],
  ['with index slots', slotOf],
])('queries %s', (_, slots) => {
  it('find what a plain model finds, in its order, each record once', async () => {
    await fc.assert(
      fc.asyncProperty(request, async (query) => {
        const matching = records.filter((record) => query.where.every((one) => holds(record, one)));
        const { found, isComplete, total } = await walk(query, slots);
        expect(isComplete).toBe(true);
        expect(found).toEqual(emailsOf(inOrder(matching, query.sort, query.order === 'asc' ? 1 : -1)));
        expect(total).toBe(matching.length);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });

  it('find each match once when no page can read all, also while records are added and erased', async () => {
    const newId = createRecordIds();
    await fc.assert(
      fc.asyncProperty(request, async (query) => {
        const matching = records.filter((record) => query.where.every((one) => holds(record, one)));
        let added = 0;
        const add = async () => {
          added += 1;
          const record = {
            ...recordOf({ name: 'Ada', age: 1 }, 0, newId),
            _id: newId(new Date()),
            email: `new${added}@x.org`,
          };
          await users.insertOne({ ...record, ...slotsOf(record.data) } as UserDocument);
        };
        const { found } = await walk(query, slots, 0, add);
        await users.deleteMany({ appId, email: /^new/ });
        expect(new Set(found).size).toBe(found.length);
        const stored = found.filter((email) => !email.startsWith('new'));
        expect([...stored].sort()).toEqual(emailsOf(matching).sort());
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });

  it('search all texts, emails first', async () => {
    const texts = (value: unknown): string[] => {
      if (typeof value === 'string') return [value];
      return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
    };
    for (const q of [
      'ada',
      'ADA',
      'u1',
      '@example',
      '.*',
      'Ада',
      '36',
      'x\\',
      '💥',
      '漢',
      'ａｄａ',
      '$x',
      'a|b',
      'Σ',
    ]) {
      const has = (value: string) =>
        [q, q.normalize('NFKC'), q.normalize('NFD')].some((form) => value.toLowerCase().includes(form.toLowerCase()));
      const inEmail = inOrder(records, 'email', 1).filter(({ email }) => has(email));
      const first = [
        ...inEmail.filter(({ email }) => email.startsWith(q)),
        ...inEmail.filter(({ email }) => !email.startsWith(q)),
      ];
      const rest = inOrder(records, 'createdAt', -1).filter(
        (record) => !has(record.email) && texts(record.data).some(has),
      );
      const { found } = await walk({ q, limit: 50 }, slots);
      expect({ q, found }).toEqual({ q, found: emailsOf([...first, ...rest]) });
      const { found: sorted } = await walk({ q, sort: 'data.age', order: 'desc', limit: 7 }, slots);
      expect(sorted).toEqual(emailsOf(inOrder([...first, ...rest], 'data.age', -1)));
    }
  });
});
