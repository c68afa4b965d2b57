import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserCollection, UserDocument } from '../../../src/core/users/users.model.ts';
import { recordWords } from '../../../src/features/indexes/record-words.ts';
import { createWordRecords } from '../../../src/features/indexes/word-records.ts';
import { createRecordRanges } from '../../../src/features/record-reads/ranges.ts';
import { orderedPage } from '../../../src/features/search/pages.ts';
import { textSearch } from '../../../src/features/search/text-search.ts';
import { decode } from '../../../src/platform/database/collections.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { createOperatorLoad } from '../../../src/platform/http/operator-load.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const RECORDS = 400;
const SYLLABLES = ['a', 'an', 'ber', 'bo', 'sch', 'mi', 'é', '東', 'x'];

const appId = new ObjectId();
let server: TestServer;
let users: UserCollection;
let records: UserDocument[];

beforeAll(async () => {
  server = await startServer();
  users = server.db.collection('users') as unknown as UserCollection;
  await createWordRecords(users, createOperatorLoad()).indexOf().ensure();
  const syllable = fc.constantFrom(...SYLLABLES);
  const word = fc.tuple(syllable, syllable).map((both) => both.join(''));
  const data = fc.record({ name: fc.tuple(word, word).map((both) => both.join(' ')), city: word });
  const newId = createOrderedIds();
  const all = fc.sample(data, { numRuns: RECORDS, seed: 5 });
  records = all.map((own, n) => {
    const now = new Date();
    const email = `u${n}@example.com`;
    // Words that the values have no longer, and a record that every search reads.
    const words = n % 50 === 0 ? ['*'] : [...new Set([...recordWords(email, own), ...(n % 3 ? [] : ['stale', 'ana'])])];
    const rest = { sourceAppId: 'words', schemaVersion: 1, createdAt: now, updatedAt: now };
    return { _id: newId(now), appId, email, data: own, words, ...rest };
  });
  await users.insertMany(records);
});
afterAll(() => server.close());

const texts = ({ email, data }: UserDocument) =>
  [email, ...Object.values(data)].join(' ').replaceAll('é', 'e').replaceAll('東', ' 東 ');

/** Whether a record matches words without accents, quotes and Chinese letters. */
const holds = (record: UserDocument, q: string) =>
  q.split(' ').every((word) =>
    texts(record)
      .split(/[^\p{L}\p{N}]/u)
      .some((one) => one.startsWith(word)),
  );

const QUERIES = [
  'ana',
  'sch',
  'b',
  'bober an',
  'anber schmi bo',
  'example com u',
  'stale',
  'e',
  'u5',
  'nobody',
  'xx sch',
];

describe.each([
  ['sorts the records of a rare beginning', { few: 10_000, fewOfSeveral: 10_000, merged: 16 }],
  ['merges words in the order of the ids', { few: 1, fewOfSeveral: 1, merged: 1_000 }],
  ['reads the newest records', { few: 1, fewOfSeveral: 1, merged: 0 }],
  ['does what fits the query', { few: 20, fewOfSeveral: 50, merged: 4 }],
])('A walk by words that %s', (_, limits) => {
  it.each([false, true])('finds all matches in order; reversed: %j', async (isReversed) => {
    const ranges = createRecordRanges(users, createOperatorLoad(), limits);
    for (const q of QUERIES) {
      const expected = records.filter((record) => holds(record, q)).map(({ email }) => email);
      const { search } = textSearch(q, async () => true);
      const segments = textSearch(q, async () => true)
        .segments({})
        .filter(({ index }) => index === 'id')
        .map((segment) => ({ ...segment, isReversed, search }));
      for (const limit of [40, 1_000]) {
        const found: string[] = [];
        for await (const step of ranges.walk(appId, segments, undefined, () => ({ limit }))) {
          expect(step.documents.length).toBeLessThanOrEqual(limit);
          found.push(...step.documents.map((document) => decode<UserDocument>(document).email));
        }
        expect([q, found]).toEqual([q, isReversed ? expected : expected.toReversed()]);
      }
    }
  });
});

it('A page after many matches skips matches, not records', async () => {
  const ranges = createRecordRanges(users, createOperatorLoad());
  const expected = records.filter((record) => holds(record, 'b')).map(({ _id }) => String(_id));
  expect(expected.length).toBeGreaterThan(150);
  const budget = { leftMs: () => Number.POSITIVE_INFINITY };
  for (const isReady of [undefined, async () => true]) {
    const options = { start: { skip: 120 }, limit: 1_000, budget, isEager: false };
    const segments = textSearch('b ', isReady).segments({}).slice(-1);
    const { ids } = await orderedPage(ranges, appId, segments, options);
    expect(ids.map(String)).toEqual(expected.toReversed().slice(120));
  }
});

it('A walk goes on without the index when it is dropped meanwhile', { tags: 'long' }, async () => {
  const ranges = createRecordRanges(users, createOperatorLoad(), { few: 1, fewOfSeveral: 1, merged: 1_000 });
  let asked = 0;
  const isReady = async () => {
    asked += 1;
    await users.updateMany({ appId }, { $unset: { words: 1 } });
    return false;
  };
  const segments = textSearch('an', isReady).segments({});
  const expected = records.filter((record) => holds(record, 'an')).map(({ email }) => email);
  const found: string[] = [];
  for await (const step of ranges.walk(appId, segments, undefined, () => ({ limit: 20 }))) {
    found.push(...step.documents.map((document) => decode<UserDocument>(document).email));
    // The walk asks again after a second.
    if (found.length >= 20 && asked === 0) await new Promise((resolve) => setTimeout(resolve, 1_100));
  }
  expect(asked).toBe(1);
  expect(found).toEqual(expected.toReversed());
});
