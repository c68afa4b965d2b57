// @module-tag fault

import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Breakdown, createUserBreakdown } from '../../../src/operators/search/breakdown.ts';
import { parseQuery } from '../../../src/operators/search/users.service.ts';
import { createRecordRanges } from '../../../src/records/read/ranges.ts';
import type { UserCollection, UserDocument } from '../../../src/records/stored/record.ts';
import { createRecordIds } from '../../../src/records/stored/record-id.ts';
import { FIELDS, holds } from '../../support/database/query-model.ts';
import { recordOf, slotOf, storeIndexedRecords, where } from '../../support/database/query-records.ts';
import { rounds } from '../../support/run/rounds.ts';
import { Client } from '../../support/server/client.ts';
import { sharedServer, type TestServer } from '../../support/server/server.ts';

const RECORDS = 300;
const schema = { fields: FIELDS, rejectUnknown: false };
const FIELD_PATHS = ['name', 'plan', 'age', 'born', 'agreed', 'extra'].map((key) => `data.${key}`);
const PATHS = [...FIELD_PATHS, 'createdAt', 'updatedAt', 'schemaVersion'];

let server: TestServer;
let users: UserCollection;
const appId = new ObjectId();
let records: UserDocument[];

beforeAll(async () => {
  server = await sharedServer();
  users = server.db.collection('users') as unknown as UserCollection;
  records = await storeIndexedRecords(users, appId, RECORDS);
});

const countWhere = (list: readonly UserDocument[], ...conditions: string[]): number =>
  list.filter((record) => conditions.every((one) => holds(record, one))).length;

/** The conditions that select the records of an entry. */
function conditionsOf(
  field: string,
  { from, to }: Partial<Record<'from' | 'to', number | string | undefined>>,
): string[] {
  const bounds = [
    ...(from === undefined ? [] : [`${field}:gte:${from}`]),
    ...(to === undefined ? [] : [`${field}:lt:${to}`]),
  ];
  // Without bounds: every value of the kind.
  return bounds.length > 0 ? bounds : [`${field}:gte:${field === 'data.age' ? -1e308 : '0001-01-01'}`];
}

/** Checks each number of a breakdown against the records that a plain model selects. */
function expectCounts(found: Breakdown, field: string, matching: readonly UserDocument[]): void {
  const entries = [...(found.values ?? []), ...(found.ranges ?? [])];
  const sum = entries.reduce((total, { count }) => total + count, 0);
  expect(found.records).toBe(matching.length);
  expect(found.empty).toBe(countWhere(matching, `${field}:empty:true`));
  expect(sum + found.empty + found.other).toBe(found.records);
  for (const { value, count } of found.values ?? []) {
    expect({ field, value, count }).toEqual({ field, value, count: countWhere(matching, `${field}:eq:${value}`) });
  }
  for (const range of found.ranges ?? []) {
    const count = countWhere(matching, ...conditionsOf(field, range));
    expect({ field, ...range }).toEqual({ field, ...range, count });
  }
}

describe.each([
  ['without index slots', () => undefined],
  ['with index slots', slotOf],
])('a breakdown %s', (_, slots) => {
  it.each([
    ['in one read', undefined],
    ['that begins with groups and has no time left', 0],
  ])('has the counts of a plain model, %s', async (_name, budgetMs) => {
    const breakDown = createUserBreakdown(createRecordRanges(users), budgetMs);
    await fc.assert(
      fc.asyncProperty(fc.array(where, { maxLength: 2 }), fc.constantFrom(...PATHS), async (conditions, field) => {
        const matching = records.filter((record) => conditions.every((one) => holds(record, one)));
        const found = await breakDown(appId, field, parseQuery({ where: conditions }, schema), {
          schema,
          slotOf: slots,
        });
        // A single range covers the app, unless the query has several segments.
        if (budgetMs === 0 && !found.complete) return;
        expect(found.complete).toBe(true);
        expectCounts(found, field, matching);
      }),
      { numRuns: rounds(80, 30), endOnFailure: true },
    );
  });

  it('shows the most frequent values, and dates and numbers in ranges without gaps', async () => {
    const breakDown = createUserBreakdown(createRecordRanges(users));
    for (const field of PATHS) {
      const found = await breakDown(appId, field, parseQuery({}, schema), { schema, slotOf: slots });
      expectCounts(found, field, records);
      const counts = (found.values ?? []).map(({ count }) => count);
      expect(counts).toEqual([...counts].sort((one, other) => other - one));
      expect(counts.length).toBeLessThanOrEqual(20);
      const ranges = found.ranges ?? [];
      expect(ranges.length).toBeLessThanOrEqual(31);
      for (const [at, { from }] of ranges.entries()) if (at > 0) expect(from).toBe(ranges[at - 1]?.to);
    }
  });
});

describe('a breakdown of many different values', () => {
  const many = new ObjectId();
  const COUNT = 15_000;
  const AMOUNTS = Array.from({ length: COUNT }, (_, at) => ((at * 7_919) % 100_000) / 100 + 0.29);
  let stored: UserDocument[];

  beforeAll(async () => {
    const newId = createRecordIds();
    stored = AMOUNTS.map((amount, at) => {
      const born = new Date(Date.UTC(1930, 0, 1 + ((at * 31) % 30_000))).toISOString().slice(0, 10);
      const data = { age: amount, born, name: at % 3 === 0 ? 'Ada' : `Name ${at}`, extra: 'x'.repeat(100 + at) };
      return { ...recordOf(many, data, at, newId), _id: newId(new Date()) };
    });
    await users.insertMany(stored);
  }, 60_000);

  it('counts ranges exactly, although single values do not fit', { tags: 'long' }, async () => {
    const breakDown = createUserBreakdown(createRecordRanges(users), 60_000);
    for (const field of ['data.age', 'data.born', 'createdAt']) {
      const found = await breakDown(many, field, parseQuery({}, schema), { schema, slotOf: () => undefined });
      expect(found.complete).toBe(true);
      expectCounts(found, field, stored);
      if (field !== 'createdAt') expect(found.ranges?.length).toBeGreaterThan(4);
    }
  });

  it('counts the values that it knows, and tells that there are more', async () => {
    const breakDown = createUserBreakdown(createRecordRanges(users), 60_000);
    const query = parseQuery({}, schema);
    const found = await breakDown(many, 'data.name', query, { schema, slotOf: () => undefined });
    expect(found).toMatchObject({ records: COUNT, empty: 0, complete: true, limited: true });
    expect(found.values?.[0]).toEqual({ value: 'Ada', count: COUNT / 3 });
    expect(found.values).toHaveLength(20);
    // Texts of more than 200 characters.
    const texts = await breakDown(many, 'data.extra', query, { schema, slotOf: () => undefined });
    expect(texts).toMatchObject({ records: COUNT, other: COUNT - 20 });
    expect(texts.values?.every(({ value }) => String(value).length <= 200)).toBe(true);
  });

  it('ends with its time', async () => {
    const breakDown = createUserBreakdown(createRecordRanges(users), 0);
    const found = await breakDown(many, 'data.age', parseQuery({}, schema), { schema, slotOf: () => undefined });
    expect(found.complete).toBe(false);
    expect(found.records).toBeGreaterThan(0);
    expect(found.records).toBeLessThan(COUNT);
  });
});

describe('GET /auth/users/breakdown', () => {
  it('breaks down the users of the session, or for admins those of any app', async () => {
    const fields = [
      { key: 'plan', kind: 'select', enum: ['free', 'pro'] },
      { key: 'born', kind: 'date' },
      { key: 'tags', kind: 'array' },
    ];
    const app = await server.admin.buildApp({ fields: fields as never });
    const operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
    for (const [name, data] of Object.entries({ ada: { plan: 'pro' }, alan: { plan: 'pro' }, grace: {} })) {
      await server.client.submit(app.sourceAppId, { email: `${name}@example.com`, data }).expect(200);
    }
    const breakdown = (query: string, client = operator) => client.get(`/auth/users/breakdown?field=${query}`);
    const { body } = await breakdown('data.plan').expect(200);
    const whole = { records: 3, empty: 1, other: 0, complete: true };
    expect(body).toEqual({ field: 'data.plan', values: [{ value: 'pro', count: 2 }], ...whole });
    const some = await breakdown('data.plan&where=email:prefix:ada&q=example').expect(200);
    expect(some.body).toMatchObject({ records: 1, values: [{ value: 'pro', count: 1 }] });
    const asAdmin = await breakdown(`data.plan&sourceAppId=${app.sourceAppId}`, server.admin).expect(200);
    expect(asAdmin.body).toEqual(body);
    await breakdown('data.plan&sourceAppId=admin').expect(403);
    expect((await breakdown('data.born').expect(200)).body).toMatchObject({ ranges: [], empty: 3 });
    for (const refused of ['data.tags', 'email', 'data.no-key', '', 'data.plan&where=x']) {
      expect((await breakdown(refused)).status).toBe(400);
    }
    await breakdown('data.plan', new Client(server.client.url)).expect(401);
  });
});
