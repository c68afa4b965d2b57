import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { Client } from '../../support/server/client.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

/** The entry of the MongoDB profiler for one operation. */
interface Profiled {
  ns: string;
  command: Record<string, unknown>;
  planSummary?: string;
  docsExamined?: number;
  keysExamined?: number;
  nreturned?: number;
  hasSortStage?: boolean;
}

const RECORDS = 3_000;
const BY_ID = 'IXSCAN { appId: 1, _id: -1 }';
const BY_EMAIL = 'IXSCAN { appId: 1, email: 1 }';

let server: TestServer;
let operator: Client;

beforeAll(async () => {
  server = await startServer({}, undefined, { writesEndMs: 100 });
  const fields = [
    { key: 'name', kind: 'text' as const, indexed: true },
    { key: 'age', kind: 'number' as const, indexed: true },
    { key: 'plan', kind: 'text' as const, indexed: true },
    { key: 'city', kind: 'text' as const },
  ];
  const app = await server.admin.buildApp({ fields: fields.map(({ key, kind }) => ({ key, kind })) });
  operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
  const appId = (await server.db.collection('apps').findOne({ sourceAppId: app.sourceAppId }))?._id;
  const newId = createOrderedIds();
  const records = Array.from({ length: RECORDS }, (_, at) => {
    const now = new Date();
    const data = { name: `Person ${at}`, age: at % 100, plan: at % 2 ? 'Pro' : 'free', city: `c${at % 7}` };
    const own = { _id: newId(now), appId, sourceAppId: app.sourceAppId, email: `u${at}@example.com` };
    return { ...own, data, schemaVersion: 2, createdAt: now, updatedAt: now };
  });
  await server.db.collection<{ _id: ReturnType<typeof newId> }>('users').insertMany(records);
  await server.admin.putSchema(app.sourceAppId, { fields }).expect(200);
  const states = async () => {
    const { body } = await operator.get(`/auth/apps/${app.sourceAppId}/indexes`).expect(200);
    return body.map(({ state }: { state: string }) => state).join();
  };
  while ((await states()) !== 'ready,ready,ready') await sleep(100);
}, 60_000);
afterAll(() => server.close());

/** The queries on records that the database executed for a request, and the answer. */
async function profile(query: string) {
  const { db } = server;
  await db.command({ profile: 0 });
  await db.collection('system.profile').drop();
  await db.command({ profile: 2 });
  const { body } = await operator.get(`/auth/users?${query}`).expect(200);
  await db.command({ profile: 0 });
  const all = await db.collection<Profiled>('system.profile').find().toArray();
  return { body, profiled: all.filter(({ ns, planSummary }) => ns.endsWith('.users') && planSummary !== undefined) };
}

const BY_NAME = 'IXSCAN { appId: 1, s0: 1, _id: 1 }';
const BY_AGE = 'IXSCAN { appId: 1, s1: 1, _id: 1 }';
const BY_PLAN = 'IXSCAN { appId: 1, s2: 1, _id: 1 }';

describe('query plans of GET /auth/users', () => {
  it.each([
    ['where=data.name:eq:Person%207&total=none', BY_NAME, 0],
    ['where=data.name:in:Person%207,Person%208&total=none', BY_NAME, 0],
    ['where=data.name:prefix:person%2029&sort=data.name&total=none', BY_NAME, 111],
    ['where=data.age:eq:7&total=none&limit=5', BY_AGE, 0],
    ['where=data.age:gte:10&where=data.age:lt:20&sort=data.age&total=none&limit=5', BY_AGE, 0],
    ['sort=data.age&order=desc&total=none&limit=5', BY_AGE, 0],
    ['sort=data.name&total=none&limit=5', BY_NAME, 0],
    ['sort=email&total=none&limit=5', BY_EMAIL, 6],
    ['where=email:eq:u7@example.com&total=none', BY_EMAIL, 1],
    ['where=email:prefix:u29&sort=email&order=desc&total=none&limit=5', BY_EMAIL, 6],
    ['total=none&limit=5', BY_ID, 0],
  ])('%s reads %s, and no more records than it finds', async (query, plan, docsExamined) => {
    const { body, profiled } = await profile(query);
    expect(body.complete).toBe(true);
    const indexes = profiled.filter(({ planSummary }) => planSummary?.includes('appId'));
    const finding = indexes.filter(({ command }) => command.find !== undefined && !isById(command));
    expect(new Set(finding.map(({ planSummary }) => planSummary))).toEqual(new Set([plan]));
    for (const one of finding) expect(one.hasSortStage ?? false).toBe(false);
    const examined = finding.reduce((sum, one) => sum + (one.docsExamined ?? 0), 0);
    expect(examined).toBeLessThanOrEqual(docsExamined);
    expect(body.users.length).toBeGreaterThan(0);
  });

  it('a later page reads its own keys only', async () => {
    const { body: first } = await operator.get('/auth/users?sort=data.age&total=none&limit=200&skip=2000').expect(200);
    const { profiled } = await profile(`sort=data.age&limit=200&cursor=${first.next}`);
    const finding = profiled.filter(({ command }) => command.find !== undefined && !isById(command));
    for (const { keysExamined, docsExamined } of finding) {
      expect(keysExamined).toBeLessThanOrEqual(202);
      expect(docsExamined).toBe(0);
    }
  });

  it.each([
    ['numbers', 'data.age:lt:50', BY_AGE, RECORDS / 2],
    ['equal texts', 'data.plan:eq:Pro', BY_PLAN, RECORDS / 2],
    ['one of several texts', 'data.plan:in:Pro,free', BY_PLAN, RECORDS],
    ['the beginnings of texts', 'data.name:prefix:PERSON%202', BY_NAME, 1_111],
    ['the beginnings of emails', 'email:prefix:u2', BY_EMAIL, 1_111],
  ])('a capped count of %s reads index keys only', async (_, where, index, total) => {
    const { body, profiled } = await profile(`where=${where}&limit=1&total=capped`);
    expect(body).toMatchObject({ total, totalIs: 'exact' });
    const counts = profiled.filter(({ command }) => command.aggregate !== undefined);
    expect(counts.length).toBeGreaterThan(0);
    for (const { docsExamined, planSummary } of counts) {
      expect(docsExamined).toBe(0);
      expect(planSummary).toContain(index.slice(index.indexOf('{')));
    }
  });

  it('a count of a long text compares the text', async () => {
    const { body, profiled } = await profile(`where=data.name:eq:${'x'.repeat(65)}&limit=1&total=capped`);
    expect(body).toMatchObject({ total: 0, totalIs: 'exact' });
    expect(new Set(profiled.map(({ planSummary }) => planSummary))).toEqual(new Set([BY_NAME]));
    expect(profiled.some(({ command }) => JSON.stringify(command).includes('data.name'))).toBe(true);
  });

  it('no query reads the whole collection', { tags: 'long' }, async () => {
    for (const query of [
      'where=data.city:eq:c1',
      'q=person',
      'sort=data.city',
      'where=data.name:contains:9&sort=updatedAt',
    ]) {
      const { profiled } = await profile(query);
      expect(profiled.map(({ planSummary }) => planSummary).join()).not.toContain('COLLSCAN');
    }
  });
});

/** Whether a query reads the records of a page by their ids. */
function isById({ filter }: Record<string, unknown>): boolean {
  return JSON.stringify(filter ?? {}).includes('"_id":{"$in"');
}
