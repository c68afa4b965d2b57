import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { UserDocument } from '../../src/core/users/users.model.ts';
import { recordWords } from '../../src/features/indexes/record-words.ts';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { Client } from '../support/server/client.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';

const TIMEOUT_MS = 60_000;
const POLL = { timeout: 40_000, interval: 50 };

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer({}, undefined, { ...FULL_LEASES, writesEndMs: 300, checksMs: [] });
  b = await startServer({}, a.database, { ...FULL_LEASES, writesEndMs: 300, checksMs: [] });
});
afterAll(async () => {
  await b.close();
  await a.close();
});

interface SearchedApp {
  sourceAppId: string;
  operator: Client;
}

async function appWith(people: readonly { email: string; data: object }[]): Promise<SearchedApp> {
  const app = await a.admin.buildApp({
    fields: [
      { key: 'name', kind: 'text' },
      { key: 'visits', kind: 'array' },
    ],
  });
  const operator = await new Client(a.client.url).logIn(app.sourceAppId, app.password);
  for (const person of people) await a.client.submit(app.sourceAppId, person).expect(200);
  return { sourceAppId: app.sourceAppId, operator };
}

/** Stores records as servers do that know of no index. */
async function store(sourceAppId: string, data: readonly object[]): Promise<void> {
  const { _id } = await appDocument(a, sourceAppId);
  const newId = createOrderedIds();
  const records = data.map((one, n) => {
    const now = new Date();
    const own = { _id: newId(now), appId: _id, sourceAppId, email: `stored-${n}@x.org` };
    return { ...own, data: one, schemaVersion: 2, createdAt: now, updatedAt: now };
  });
  await a.db.collection<(typeof records)[number]>('users').insertMany(records);
}

const path = (sourceAppId: string) => `/auth/apps/${sourceAppId}/search`;

const enable = (app: SearchedApp, enabled = true) => a.admin.put(path(app.sourceAppId), { enabled }).expect(200);

async function untilState(app: SearchedApp, state: string) {
  await vi.waitFor(async () => {
    for (const { services } of [a, b]) services.jobs.wake('search-words');
    expect((await a.admin.get(path(app.sourceAppId)).expect(200)).body.state).toBe(state);
  }, POLL);
}

async function found({ operator }: SearchedApp, q: string, rest = ''): Promise<string[]> {
  const emails: string[] = [];
  let cursor = '';
  do {
    const { body } = await operator.get(`/auth/users?q=${encodeURIComponent(q)}${rest}${cursor}`).expect(200);
    emails.push(...body.users.map(({ email }: { email: string }) => email));
    cursor = body.next ? `&cursor=${body.next}` : '';
  } while (cursor);
  return emails;
}

/** The records whose words are not exactly, or not at least, those of their values. */
async function wrongRecords({ sourceAppId }: SearchedApp, isExact: boolean) {
  const { _id } = await appDocument(a, sourceAppId);
  const records = await a.db.collection<UserDocument>('users').find({ appId: _id }).toArray();
  expect(records.length).toBeGreaterThan(0);
  return records.filter(({ email, data, words = [] }) => {
    const meant = recordWords(email, data);
    return meant.some((word) => !words.includes(word)) || (isExact && words.length !== meant.length);
  });
}

const PEOPLE = [
  { email: 'chloe.m@example.com', data: { name: 'Chloé Müller-Straße', visits: ['Łódź'] } },
  { email: 'as@example.org', data: { name: 'Ada Schmidt', extra: { deep: ['Ωmega'] } } },
  { email: 'schmidt@example.net', data: { name: 'Ada B. Schmidt', note: '東京タワー' } },
];

const QUERIES: [q: string, initials: string][] = [
  ['chloe', 'c'],
  ['CHLOÉ mull', 'c'],
  ['strasse', 'c'],
  ['lod', 'c'],
  ['schmidt ada', 'sa'],
  ['"ada schmidt"', 'a'],
  ['"ada b schm', 's'],
  ['midt', ''],
  ['京タ', 's'],
  ['京京', ''],
  ['ωmega', 'a'],
  ['omega', ''],
  ['as@exam', 'a'],
  ['example org', 'a'],
  ['.*', ''],
  ['2026', ''],
  ['nobody', ''],
];

describe('The search by words', () => {
  it('finds the same without the index, while it is built, with it, and after it was dropped', {
    tags: 'long',
    timeout: TIMEOUT_MS,
  }, async () => {
    const app = await appWith(PEOPLE);
    const expectAll = async () => {
      const answers = [];
      for (const [q] of QUERIES) answers.push([q, (await found(app, q)).map(([initial]) => initial).join('')]);
      expect(answers).toEqual(QUERIES);
    };
    expect((await app.operator.get(path(app.sourceAppId)).expect(200)).body).toEqual({
      enabled: false,
      state: 'off',
      done: 0,
      total: 0,
    });
    await expectAll();
    const { body } = await enable(app);
    expect(body).toEqual({ enabled: true, state: 'building', done: 0, total: 0 });
    await expectAll();
    await untilState(app, 'ready');
    expect((await app.operator.get(path(app.sourceAppId)).expect(200)).body).toMatchObject({ done: 3, total: 3 });
    await expectAll();
    expect(await wrongRecords(app, true)).toEqual([]);
    await enable(app, false);
    await expectAll();
    await untilState(app, 'off');
    await expectAll();
    const { _id } = await appDocument(a, app.sourceAppId);
    expect(await a.db.collection('users').countDocuments({ appId: _id, words: { $exists: true } })).toBe(0);
  });

  it('keeps the words in every write, on both servers, while the index is built and dropped', {
    tags: 'long',
    timeout: TIMEOUT_MS,
  }, async () => {
    const app = await appWith([]);
    const names = ['Ada', 'Chloé', 'Łukasz', 'Ödön', 'Zoë', '東京'];
    await store(
      app.sourceAppId,
      Array.from({ length: 400 }, (_, n) => ({ name: `${names[n % 6]} S${n}` })),
    );
    let isOver = false;
    let sent = 0;
    const submit = async ({ client }: TestServer) => {
      while (!isOver) {
        sent += 1;
        const data = { name: `${names[sent % 6]} W${sent}`, visits: [`v${sent}`] };
        await client.submit(app.sourceAppId, { email: `u${sent % 37}@x.org`, data }).expect(200);
      }
    };
    const submitting = Promise.all([a, b, a, b].map(submit));
    await enable(app);
    await untilState(app, 'ready');
    await enable(app, false);
    await untilState(app, 'off');
    await enable(app);
    await untilState(app, 'ready');
    isOver = true;
    await submitting;
    expect(await wrongRecords(app, false)).toEqual([]);
    const { body } = await app.operator.get('/auth/users?q=lukasz&total=exact').expect(200);
    const { _id } = await appDocument(a, app.sourceAppId);
    const expected = await a.db.collection('users').countDocuments({ appId: _id, 'data.name': /^Łukasz/ });
    expect(body).toMatchObject({ total: expected, totalIs: 'exact' });
  });

  it('an edit and an import keep exact words, and no answer shows them', {
    tags: 'long',
    timeout: TIMEOUT_MS,
  }, async () => {
    const app = await appWith(PEOPLE.slice(0, 1));
    await enable(app);
    await untilState(app, 'ready');
    const { body } = await app.operator.get('/auth/users?q=chloe').expect(200);
    const [{ id }] = body.users;
    const edited = await app.operator.patch(`/auth/users/${id}`, { set: { name: 'Zoë' } }).expect(200);
    expect(await found(app, 'muller')).toEqual([]);
    expect(await found(app, 'zoe')).toEqual(['chloe.m@example.com']);
    expect(await wrongRecords(app, true)).toEqual([]);
    for (const answer of [
      edited.body,
      (await app.operator.get(`/auth/users/${id}`).expect(200)).body,
      body,
      (await app.operator.get('/auth/users/export?format=json').expect(200)).body,
      (await a.admin.get('/auth/admin/users?q=zoe').expect(200)).body,
    ]) {
      expect(JSON.stringify(answer)).not.toContain('"words"');
    }
    await app.operator.delete('/auth/users?q=zoe&confirm=2').expect(409);
    expect((await app.operator.delete('/auth/users?q=zoe&confirm=1').expect(200)).body.deletedUsers).toBe(1);
    expect(await found(app, 'chloe')).toEqual([]);
  });

  it('a record with very many words, or with values that change often, is found', {
    tags: 'long',
    timeout: TIMEOUT_MS,
  }, async () => {
    const app = await appWith([]);
    await enable(app);
    await untilState(app, 'ready');
    const many = Array.from({ length: 500 }, (_, n) => `many${n}`).join(' ');
    await a.client.submit(app.sourceAppId, { email: 'many@x.org', data: { name: many } }).expect(200);
    for (let n = 0; n < 12; n += 1) {
      const name = Array.from({ length: 50 }, (_, at) => `w${n}x${at}`).join(' ');
      await b.client.submit(app.sourceAppId, { email: 'often@x.org', data: { name } }).expect(200);
    }
    expect(await found(app, 'many499')).toEqual(['many@x.org']);
    expect(await found(app, 'many499 w1')).toEqual([]);
    expect(await found(app, 'w11x49')).toEqual(['often@x.org']);
    expect(await found(app, 'w1x49')).toEqual([]);
    const stored = await a.db
      .collection<UserDocument>('users')
      .findOne({ email: 'often@x.org', sourceAppId: app.sourceAppId });
    expect(stored?.words?.length).toBeLessThan(320);
  });

  it('managers and admins switch it on, others do not', { tags: 'long' }, async () => {
    const app = await appWith([]);
    const other = await appWith([]);
    await app.operator.put(path(app.sourceAppId), { enabled: true }).expect(200);
    await other.operator.put(path(app.sourceAppId), { enabled: false }).expect(403);
    await other.operator.get(path(app.sourceAppId)).expect(403);
    await app.operator.put(path(app.sourceAppId), { enabled: 1 }).expect(400);
    await a.admin.put(path('nobody'), { enabled: true }).expect(404);
    await a.admin.get(path('nobody')).expect(404);
    expect((await a.admin.put(path(app.sourceAppId), { enabled: true }).expect(200)).body.enabled).toBe(true);
  });
});

const LETTERS = [
  'a',
  'A',
  'á',
  'a\u0301',
  'b',
  'ß',
  's',
  'ı',
  'İ',
  '東',
  '京',
  'ー',
  'ｱ',
  '1',
  '-',
  ' ',
  '"',
  '.',
  '김',
  'ก',
  'ิ',
  '😀',
];
const text = fc.array(fc.constantFrom(...LETTERS), { maxLength: 12 }).map((letters) => letters.join(''));

it('any query finds the same records with the index and without it', {
  tags: 'long',
  timeout: TIMEOUT_MS,
}, async () => {
  const app = await appWith([]);
  const plain = await appWith([]);
  const data = fc.sample(
    fc.record({ name: text, visits: fc.array(fc.record({ value: text, timestamp: text })), other: text }),
    {
      numRuns: 120,
      seed: 7,
    },
  );

  await store(app.sourceAppId, data);
  await store(plain.sourceAppId, data);
  await enable(app);
  await untilState(app, 'ready');
  let matches = 0;
  for (const q of fc.sample(
    text.filter((one) => one.length > 0),
    { numRuns: 30, seed: 11 },
  )) {
    const indexed = await found(app, q, '&total=none&limit=200');
    expect([q, indexed]).toEqual([q, await found(plain, q, '&total=none&limit=200')]);
    const sorted = await found(app, q, '&sort=email&limit=200');
    expect([q, sorted]).toEqual([q, [...indexed].sort()]);
    matches += indexed.length;
  }
  expect(matches).toBeGreaterThan(50);
});
