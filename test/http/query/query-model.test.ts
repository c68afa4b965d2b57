// @module-tag long
// @module-tag fault

import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import type { UserCollection, UserDocument } from '../../../src/core/users/users.model.ts';
import { MAX_CURSOR_LENGTH } from '../../../src/features/search/parameters.ts';
import { findUsers, type PageRequest } from '../../../src/features/search/users.service.ts';
import { decode } from '../../../src/platform/database/collections.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { createCursors } from '../../../src/platform/http/cursors.ts';
import { FIELDS, holds, inOrder, slotsOf } from '../../support/database/query-model.ts';
import { createQueries, recordOf, slotOf, storeIndexedRecords, where } from '../../support/database/query-records.ts';
import { rounds } from '../../support/run/rounds.ts';
import { sharedServer, type TestServer } from '../../support/server/server.ts';

const RECORDS = 300;
const schema = { fields: FIELDS, rejectUnknown: false };

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
const appId = new ObjectId();
const cursors = createCursors('a secret of this test');
let records: UserDocument[];

beforeAll(async () => {
  server = await sharedServer();
  users = server.db.collection('users') as unknown as UserCollection;
  records = await storeIndexedRecords(users, appId, RECORDS);
});

const withoutSlots = () => undefined;

/** Reads all pages of a request; returns the emails in the order of the answers. */
async function walk(query: PageRequest, slots: typeof slotOf, budgetMs?: number, between?: () => Promise<unknown>) {
  const { query: engine } = createQueries(users, { budgetMs });
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
    expect(cursor.length).toBeLessThanOrEqual(MAX_CURSOR_LENGTH);
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
      { numRuns: rounds(60, 25), endOnFailure: true },
    );
  });

  it('find each match once when no page can read all, also while records are added and erased', async () => {
    const newId = createOrderedIds();
    await fc.assert(
      fc.asyncProperty(request, async (query) => {
        const matching = records.filter((record) => query.where.every((one) => holds(record, one)));
        let added = 0;
        const add = async () => {
          added += 1;
          const record = {
            ...recordOf(appId, { name: 'Ada', age: 1 }, 0, newId),
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
      { numRuns: rounds(15, 8), endOnFailure: true },
    );
  });

  it('search the words of all texts, emails that begin with the text first', async () => {
    const texts = (value: unknown): string[] => {
      if (typeof value === 'string') return [value];
      return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
    };
    /** The words of a text, without accents; in Chinese, the rest of the run at each letter. */
    const words = (text: string): string[] => {
      const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
      const runs = folded
        .replaceAll('ς', 'σ')
        .replaceAll('ß', 'ss')
        .split(/[^\p{L}\p{N}]+/u)
        .filter(Boolean);
      return runs.flatMap((run) =>
        /\p{sc=Han}/u.test(run) ? [...run].map((_, at) => [...run].slice(at).join('')) : [run],
      );
    };
    for (const q of [
      'ada',
      'ADA lov',
      'u1',
      '@example',
      '.*',
      'Ωm',
      '36 oak',
      'x\\',
      '💥',
      '字',
      'ａｄａ',
      'SS',
      'ΣΊ',
      'it',
    ]) {
      const wanted = words(q);
      const has = (all: string[]) =>
        wanted.length > 0 && wanted.every((word) => all.flatMap(words).some((one) => one.startsWith(word)));
      const first = inOrder(records, 'email', 1).filter(({ email }) => email.startsWith(q));
      const rest = inOrder(records, 'createdAt', -1).filter(
        (record) => !first.includes(record) && has([record.email, ...texts(record.data)]),
      );
      const { found } = await walk({ q, limit: 50 }, slots);
      expect({ q, found }).toEqual({ q, found: emailsOf([...first, ...rest]) });
      const { found: sorted } = await walk({ q, sort: 'data.age', order: 'desc', limit: rounds(7, 23) }, slots);
      expect(sorted).toEqual(emailsOf(inOrder([...first, ...rest], 'data.age', -1)));
    }
  });
});
