// @module-tag fault

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { DEADLINE_MS } from '../../../src/platform/http/deadline.ts';
import { type CommandTap, startCommandTap } from '../../support/database/command-tap.ts';
import { rounds } from '../../support/run/rounds.ts';
import { Client, type TestApp } from '../../support/server/client.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const RECORDS = rounds(200_000, 60_000);
const BATCH = 10_000;
/** The time of a count when that of the page is over. */
const COUNT_MS = 100;

let tap: CommandTap;
let tapped: string;
let server: TestServer;
let operator: Client;
let app: TestApp;

beforeAll(async () => {
  const target = new URL(inject('mongodbUri'));
  tap = await startCommandTap(target);
  const uri = new URL(target);
  uri.port = String(tap.port);
  tapped = uri.href;
  server = await startServer({ MONGODB_URI: tapped });
  app = await server.admin.buildApp({
    fields: [
      { key: 'name', kind: 'text' },
      { key: 'born', kind: 'date' },
    ],
  });
  operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
  const appId = (await server.db.collection('apps').findOne({ sourceAppId: app.sourceAppId }))?._id;
  const newId = createOrderedIds();
  for (let from = 0; from < RECORDS; from += BATCH) {
    const records = Array.from({ length: BATCH }, (_, offset) => {
      const now = new Date();
      const data = { name: `Person ${from + offset}`, born: '1990-05-05', note: 'x'.repeat(200) };
      const own = { _id: newId(now), appId, sourceAppId: app.sourceAppId, email: `u${from + offset}@example.com` };
      return { ...own, data, schemaVersion: 2, createdAt: now, updatedAt: now };
    });
    await server.db.collection<{ _id: ReturnType<typeof newId> }>('users').insertMany(records, { ordered: false });
  }
}, 120_000);
afterAll(async () => {
  await server.close();
  await tap.close();
});

describe(`queries that no index serves, in an app of ${RECORDS} records`, () => {
  it.each([
    'where=data.name:eq:nobody',
    'where=data.name:contains:zzz&total=exact',
    'where=data.born:lt:1900-01-01',
    'sort=data.name&total=none',
    'sort=updatedAt&order=asc&total=capped',
    'q=nobody',
    'q=nobody&sort=data.name',
    `where=data.name:ne:x&skip=${RECORDS * 0.75}`,
  ])('%s is answered, and each statement has a time limit', { tags: 'long' }, async (query) => {
    const before = tap.commands().length;
    const { body } = await operator.get(`/auth/users?${query}`).expect(200);
    const reads = tap
      .commands()
      .slice(before)
      .filter(({ find, aggregate }) => find === 'users' || aggregate === 'users');
    expect(reads.length).toBeGreaterThan(0);
    for (const { maxTimeMS } of reads) {
      expect(maxTimeMS).toBeGreaterThan(0);
      expect(maxTimeMS).toBeLessThanOrEqual(2_000);
    }
    if (!body.complete) expect(body.next).toEqual(expect.any(String));
  });

  it.each([
    'where=data.name:eq:nobody',
    'where=data.name:contains:zzz&total=exact',
    'where=data.born:lt:1900-01-01&sort=data.name',
    'q=nobody&total=exact',
  ])('%s ends before the deadline also when its time is over at the start', async (query) => {
    const late = await startServer({ MONGODB_URI: tapped }, server.database, { queryBudgetMs: 0 });
    try {
      const person = await new Client(late.client.url).logIn(app.sourceAppId, app.password);
      const before = tap.commands().length;
      const { body } = await person.get(`/auth/users?${query}`).expect(200);
      expect(body).toMatchObject({ complete: false, next: expect.any(String) });
      const limits = tap
        .commands()
        .slice(before)
        .filter(({ find, aggregate }) => find === 'users' || aggregate === 'users')
        .map(({ maxTimeMS }) => maxTimeMS as number);
      // The count ends with its own time. The first part of the page is read in any case.
      const ofPage = limits.filter((limit) => limit > COUNT_MS);
      expect(ofPage.length).toBeGreaterThan(0);
      expect(ofPage.reduce((sum, limit) => sum + limit, COUNT_MS)).toBeLessThan(DEADLINE_MS);
    } finally {
      await late.close();
    }
  });

  it('parse the date of a record once for each condition', { tags: 'long' }, async () => {
    const days = Array.from({ length: 90 }, (_, day) =>
      new Date(Date.UTC(2001, 0, 1 + day)).toISOString().slice(0, 10),
    );
    const before = tap.commands().length;
    await operator.get(`/auth/users?where=data.born:in:${days.join()}&where=data.born:ne:2001-01-01`).expect(200);
    const filters = tap
      .commands()
      .slice(before)
      .map(({ find, filter }) => (find === 'users' ? JSON.stringify(filter) : ''))
      .filter((filter) => filter.includes('$dateFromString'));
    expect(filters.length).toBeGreaterThan(0);
    for (const filter of filters) expect(filter.match(/\$dateFromString/g)).toHaveLength(2);
  });

  it('find the only match when all pages are read', async () => {
    const found: string[] = [];
    let cursor = '';
    do {
      const { body } = await operator.get(`/auth/users?where=data.name:eq:Person%207${cursor}`).expect(200);
      found.push(...body.users.map(({ email }: { email: string }) => email));
      cursor = body.next ? `&cursor=${body.next}` : '';
    } while (cursor);
    expect(found).toEqual(['u7@example.com']);
  });

  it('end when many of them run at once, answered or refused after the longest wait', { tags: 'long' }, async () => {
    const queries = Array.from({ length: 12 }, (_, at) => `where=data.name:eq:nobody${at}`);
    const answers = await Promise.all(queries.map((query) => operator.get(`/auth/users?${query}`)));
    for (const [at, { status, headers }] of answers.entries()) {
      if (status === 200) continue;
      expect(status).toBe(429);
      expect(headers['retry-after']).toBe('2');
      await operator.get(`/auth/users?${queries[at]}`).expect(200);
    }
    expect(answers[0]?.status).toBe(200);
  });
});
