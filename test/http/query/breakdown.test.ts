// @module-tag fault

import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import type { UserCollection, UserDocument } from '../../../src/core/users/users.model.ts';
import { createRecordRanges } from '../../../src/features/record-reads/ranges.ts';
import { type Breakdown, createUserBreakdown } from '../../../src/features/search/breakdown.ts';
import { parseQuery } from '../../../src/features/search/users.service.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { FIELDS, holds } from '../../support/database/query-model.ts';
import { recordOf, slotOf, storeIndexedRecords, where } from '../../support/database/query-records.ts';
import { rounds } from '../../support/run/rounds.ts';
import { Client } from '../../support/server/client.ts';
import { sharedServer, type TestServer } from '../../support/server/server.ts';

const RECORDS = 300;
const schema = { fields: FIELDS, rejectUnknown: false };
const FIELD_PATHS = ['name', 'plan', 'age', 'born', 'agreed', 'extra'].map((key) => `data.${key}`);
const PATHS = [...FIELD_PATHS, 'createdAt', 'updatedAt', 'schemaVersion'];
const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Africa/Cairo', 'Pacific/Apia'];

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
      fc.asyncProperty(
        fc.array(where, { maxLength: 2 }),
        fc.constantFrom(...PATHS),
        fc.constantFrom(...ZONES),
        async (conditions, field, timeZone) => {
          const matching = records.filter((record) => conditions.every((one) => holds(record, one)));
          const found = await breakDown(appId, field, parseQuery({ where: conditions }, schema), {
            schema,
            slotOf: slots,
            timeZone,
          });
          // A single range covers the app, unless the query has several segments.
          if (budgetMs === 0 && !found.complete) return;
          expect(found.complete).toBe(true);
          expectCounts(found, field, matching);
        },
      ),
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

describe('a breakdown by time', () => {
  const apps = new Map<string, ObjectId>();
  const stored = new Map<string, UserDocument[]>();

  /** Stores a record for each quarter of an hour between two times. */
  async function storeBetween(from: string, to: string): Promise<string> {
    const app = new ObjectId();
    const newId = createOrderedIds();
    const quarters = (Date.parse(to) - Date.parse(from)) / 900_000;
    const list = Array.from({ length: quarters }, (_, at) => {
      const createdAt = new Date(Date.parse(from) + at * 900_000);
      return { ...recordOf(app, {}, at, newId), _id: newId(createdAt), createdAt, updatedAt: createdAt };
    });
    await users.insertMany(list);
    apps.set(from, app);
    stored.set(from, list);
    return from;
  }

  const breakDownIn = async (name: string, timeZone: string) => {
    const breakDown = createUserBreakdown(createRecordRanges(users), 60_000);
    const options = { schema, slotOf: () => undefined, timeZone };
    return breakDown(apps.get(name) as ObjectId, 'createdAt', parseQuery({}, schema), options);
  };

  it('has the days of a time zone: one of 23 hours, one without midnight, one after another date', async () => {
    const name = await storeBetween('2026-03-27T00:00:00Z', '2026-03-31T00:00:00Z');
    const found = await breakDownIn(name, 'Europe/Berlin');
    expect(found).toMatchObject({
      timeZone: 'Europe/Berlin',
      complete: true,
      ranges: [
        { from: '2026-03-27T00:00:00+01:00', to: '2026-03-28T00:00:00+01:00', count: 92 },
        { from: '2026-03-28T00:00:00+01:00', to: '2026-03-29T00:00:00+01:00', count: 96 },
        { from: '2026-03-29T00:00:00+01:00', to: '2026-03-30T00:00:00+02:00', count: 92 },
        { from: '2026-03-30T00:00:00+02:00', to: '2026-03-31T00:00:00+02:00', count: 96 },
        { from: '2026-03-31T00:00:00+02:00', to: '2026-04-01T00:00:00+02:00', count: 8 },
      ],
    });
    for (const zone of ZONES) {
      // The bounds are conditions that select what was counted.
      expectCounts(await breakDownIn(name, zone), 'createdAt', stored.get(name) ?? []);
    }
    expect((await breakDownIn(name, 'UTC')).ranges?.[0]).toEqual({ from: '2026-03-27', to: '2026-03-28', count: 96 });
    const inCairo = await breakDownIn(
      await storeBetween('2026-04-22T00:00:00Z', '2026-04-26T00:00:00Z'),
      'Africa/Cairo',
    );
    expect(inCairo.ranges?.[2]).toEqual({
      from: '2026-04-24T01:00:00+03:00',
      to: '2026-04-25T00:00:00+03:00',
      count: 92,
    });
  });

  it('has the hours of a time zone: one that occurs twice is one range, one that is skipped is none', async () => {
    const autumn = await storeBetween('2026-10-24T22:00:00Z', '2026-10-25T04:00:00Z');
    const hours = (await breakDownIn(autumn, 'Europe/Berlin')).ranges?.map(({ from, count }) => [from, count]);
    expect(hours).toEqual([
      ['2026-10-25T00:00:00+02:00', 4],
      ['2026-10-25T01:00:00+02:00', 4],
      ['2026-10-25T02:00:00+02:00', 8],
      ['2026-10-25T03:00:00+01:00', 4],
      ['2026-10-25T04:00:00+01:00', 4],
    ]);
    const spring = await storeBetween('2026-03-28T23:00:00Z', '2026-03-29T03:00:00Z');
    const found = await breakDownIn(spring, 'Europe/Berlin');
    expect(found.ranges?.map(({ from }) => from)).toEqual([
      '2026-03-29T00:00:00+01:00',
      '2026-03-29T01:00:00+01:00',
      '2026-03-29T03:00:00+02:00',
      '2026-03-29T04:00:00+02:00',
    ]);
    for (const zone of ZONES) {
      expectCounts(await breakDownIn(autumn, zone), 'createdAt', stored.get(autumn) ?? []);
      expectCounts(await breakDownIn(spring, zone), 'createdAt', stored.get(spring) ?? []);
    }
  });
});

describe('a breakdown of many different values', () => {
  const many = new ObjectId();
  const COUNT = 15_000;
  const AMOUNTS = Array.from({ length: COUNT }, (_, at) => ((at * 7_919) % 100_000) / 100 + 0.29);
  let stored: UserDocument[];

  beforeAll(async () => {
    const newId = createOrderedIds();
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
    const byDate = await breakdown('data.born&timeZone=Asia/Tokyo').expect(200);
    expect(byDate.body).toMatchObject({ ranges: [], empty: 3, timeZone: 'UTC' });
    const byTime = await breakdown('createdAt&timeZone=asia/tokyo').expect(200);
    expect(byTime.body).toMatchObject({ records: 3, timeZone: 'Asia/Tokyo' });
    expect(byTime.body.ranges[0].from).toMatch(/\+09:00$/);
    expect((await breakdown('createdAt').expect(200)).body.timeZone).toBe('UTC');
    await breakdown('createdAt&timeZone=Mars/Olympus').expect(400);
    for (const refused of ['data.tags', 'email', 'data.no-key', '', 'data.plan&where=x']) {
      expect((await breakdown(refused)).status).toBe(400);
    }
    await breakdown('data.plan', new Client(server.client.url)).expect(401);
  });
});
