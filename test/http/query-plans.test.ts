import { ObjectId } from 'mongodb';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

/** The entry of the MongoDB profiler for one operation. */
interface Profiled {
  op: string;
  ns: string;
  command: Record<string, unknown>;
  planSummary?: string;
  /** The key of the query's entry in the plan cache, if its plan can be cached. */
  planCacheKey?: string;
  docsExamined?: number;
  keysExamined?: number;
  nreturned?: number;
}

/**
 * Queries that may scan a whole collection. All other queries must use an index.
 */
const ALLOWED_SCANS = [
  // All migrations, of which there are few; and whether a collection has any document.
  ({ ns, command }: Profiled) => ns.endsWith('.migrations') && isEverything(command),
  ({ command }: Profiled) => isEverything(command) && command.limit === 1,
  // Checks whether an admin app exists: once at start, on at most thousands of small documents.
  ({ ns, command }: Profiled) => ns.endsWith('.apps') && /^\{"role":"admin"/.test(JSON.stringify(command.filter)),
];

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/**
 * Returns the profiled queries that the database executed during `work`, with their actual plans.
 */
async function profile(work: () => Promise<unknown>): Promise<Profiled[]> {
  const { db } = server;
  await db.command({ profile: 0 });
  await db.collection('system.profile').drop();
  await db.command({ profile: 2 });
  try {
    await work();
  } finally {
    await db.command({ profile: 0 });
  }
  const all = await db.collection<Profiled>('system.profile').find().toArray();
  return all.filter(({ ns, planSummary }) => planSummary !== undefined && !ns.endsWith('system.profile'));
}

const isEverything = ({ filter }: Profiled['command']): boolean => JSON.stringify(filter) === '{}';

/** Returns the distinct plans of the queries on one collection. */
function plans(profiled: Profiled[], collection: string): string[] {
  const own = profiled.filter(({ ns }) => ns.endsWith(`.${collection}`));
  return [...new Set(own.map(({ planSummary = '' }) => planSummary))].sort();
}

function expectIndexes(profiled: Profiled[]): void {
  expect(profiled.length).toBeGreaterThan(0);
  const scans = profiled.filter(
    (query) => query.planSummary?.includes('COLLSCAN') && !ALLOWED_SCANS.some((isAllowed) => isAllowed(query)),
  );
  expect(scans.map(({ ns, op, command }) => ({ ns, op, command }))).toEqual([]);
}

/**
 * Creates two apps with enough records that the database chooses between plans. Returns the first.
 */
async function appWithManyRecords() {
  const app = await server.admin.buildApp({
    fields: [
      { key: 'plan', kind: 'text' },
      { key: 'visits', kind: 'array' },
    ],
  });
  const other = await server.admin.buildApp();
  const submit = (id: string, number: number) =>
    server.client.submit(id, { email: `u${number}@example.com`, data: { plan: `p${number % 3}` } }).expect(200);
  for (let number = 0; number < 30; number += 1) {
    await submit(app.sourceAppId, number);
    await submit(other.sourceAppId, number);
  }
  return { ...app, operator: await new Client(server.client.url).logIn(app.sourceAppId, app.password) };
}

const BY_EMAIL = 'IXSCAN { appId: 1, email: 1 }';
const BY_ID = 'IXSCAN { appId: 1, _id: -1 }';

describe('query plans of the service', () => {
  it('are checked by an assertion that detects a collection scan', async () => {
    const scanned = await profile(() => server.db.collection('users').findOne({ email: 'nobody@example.com' }));
    expect(plans(scanned, 'users')).toEqual(['COLLSCAN']);
    expect(() => expectIndexes(scanned)).toThrow();
  });

  it('use the unique index or the cached id for submissions, including conflicts and repeats', {
    tags: 'long',
  }, async () => {
    const { sourceAppId } = await appWithManyRecords();
    const submit = (data: object, key = 'k') =>
      server.client.submit(sourceAppId, { email: 'ada@example.com', data }).set('Idempotency-Key', key);
    const profiled = await profile(async () => {
      await submit({ visits: [1] }).expect(200);
      await submit({ visits: [1] }).expect(200);
      await submit({ visits: [2] }).expect(422);
      await submit({ plan: 'x' }, 'other').expect(200);
      const concurrent = Array.from({ length: 20 }, (_, number) =>
        server.client.submit(sourceAppId, { email: `t${number % 10}@example.com` }).expect(200),
      );
      await Promise.all(concurrent);
      await server.admin.putSchema(sourceAppId, { fields: [{ key: 'plan', kind: 'array' }] }).expect(200);
      await submit({ plan: ['y'] }, 'third').expect(200);
      await server.client.get('/v1/schema').set('x-app-id', sourceAppId).expect(200);
      await server.client.get('/auth/session').expect(401);
    });
    expectIndexes(profiled);
    expect(plans(profiled, 'users')).toEqual(['IXSCAN { _id: 1 }', BY_EMAIL]);
    // The jobs of the indexes and the renames may run meanwhile.
    const ofJobs = ['IXSCAN { fields.indexed: 1 }', 'IXSCAN { moving.version: 1 }', 'IXSCAN { check.at: 1 }'];
    const ofSchemas = plans(profiled, 'schema_versions').filter((plan) => !ofJobs.includes(plan));
    expect(ofSchemas).toEqual(['IXSCAN { appId: 1, version: -1 }']);
  });

  it('are cached for submissions of people with a cached id', { tags: 'long' }, async () => {
    const { sourceAppId } = await appWithManyRecords();
    const submit = () =>
      server.client.submit(sourceAppId, { email: 'u1@example.com', data: { visits: [1] } }).expect(200);
    for (let time = 0; time < 5; time += 1) await submit();
    const [write, ...more] = (await profile(submit)).filter(({ ns }) => ns.endsWith('.users'));
    expect(more).toEqual([]);
    const cached = await server.db
      .collection('users')
      .aggregate([{ $planCacheStats: {} }, { $match: { planCacheKey: write?.planCacheKey } }])
      .toArray();
    expect(cached).toMatchObject([{ isActive: true }]);
  });

  it('use the indexes on appId for listings, searches, single records and exports', { tags: 'long' }, async () => {
    const { operator } = await appWithManyRecords();
    const { body } = await operator.get('/auth/users').expect(200);
    const queries = [
      'limit=5',
      'where=email:contains:u1',
      'where=email:contains:u1&sort=email',
      'sort=email&order=desc',
    ];
    queries.push('sort=updatedAt', 'sort=data.plan', 'where=data.plan:eq:p1');
    queries.push('where=email:contains:u&where=data.plan:eq:p1&sort=data.plan&skip=2&total=none');
    const profiled = await profile(async () => {
      await operator.get('/auth/users').expect(200);
      for (const query of queries) await operator.get(`/auth/users?${query}`).expect(200);
      await operator.get('/auth/users/export?format=json&where=email:contains:u1').expect(200);
      await operator.get(`/auth/users/${body.users[0].id}`).expect(200);
      await operator.delete(`/auth/users/${body.users[0].id}`).expect(200);
      await operator.get('/auth/schema').expect(200);
      await operator.get('/auth/schema?version=1').expect(200);
    });
    expectIndexes(profiled);
    for (const plan of plans(profiled, 'users')) {
      expect([BY_EMAIL, BY_ID, 'COUNT_SCAN { appId: 1, _id: -1 }', 'IDHACK', 'IXSCAN { _id: 1 }']).toContain(plan);
    }
  });

  it('read only the documents of the page, in index order, for sorted listings', { tags: 'long' }, async () => {
    const { operator } = await appWithManyRecords();
    for (const [query, plan] of [
      ['limit=5', BY_ID],
      ['limit=5&order=asc', BY_ID],
      ['limit=5&sort=email', BY_EMAIL],
      ['limit=5&sort=email&order=desc', BY_EMAIL],
    ]) {
      const profiled = await profile(() => operator.get(`/auth/users?${query}`).expect(200));
      const [ids, page, ...more] = profiled.filter(({ ns, command }) => ns.endsWith('.users') && command.find);
      // One record more than the page tells whether there is a next one. The index on emails does
      // not have the ids.
      expect(ids).toMatchObject({ planSummary: plan, docsExamined: plan === BY_ID ? 0 : 6, nreturned: 6 });
      expect(page).toMatchObject({ planSummary: BY_ID, docsExamined: 5, nreturned: 5 });
      expect(more).toEqual([]);
    }
  });

  it('count index keys without reading documents: totals, searches by email, daily counts, apps', {
    tags: 'long',
  }, async () => {
    const { operator } = await appWithManyRecords();
    const profiled = await profile(async () => {
      await operator.get('/auth/users?limit=1').expect(200);
      await operator.get('/auth/users?limit=1&where=email:prefix:u1').expect(200);
      await operator.get('/auth/stats?days=3').expect(200);
      await server.admin.get('/auth/admin/stats').expect(200);
    });
    expectIndexes(profiled);
    const counts = profiled.filter(({ ns, command }) => ns.endsWith('.users') && command.aggregate);
    // Two totals; whether the matches are few enough to sort; one count of all records and one of
    // three days; one count of all apps.
    expect(counts).toHaveLength(6);
    for (const { planSummary, docsExamined } of counts) {
      expect(planSummary).toMatch(/^(?:COUNT_SCAN|IXSCAN) \{ appId: 1, (?:email: 1|_id: -1) \}$/);
      expect(docsExamined).toBe(0);
    }
  });

  it('use indexes for changes, for exports and erasures of persons, and for the retention of records', {
    tags: 'long',
  }, async () => {
    const { operator, sourceAppId } = await appWithManyRecords();
    const { body } = await operator.get('/auth/users').expect(200);
    const person = { email: 'u1@example.com' };
    const profiled = await profile(async () => {
      await operator.patch(`/auth/users/${body.users[0].id}`, { set: { plan: 'p9' } }).expect(200);
      await operator.post('/auth/people/export', person).expect(200);
      await server.admin.post('/auth/people/export', person).expect(200);
      await operator.post('/auth/people/erase', person).expect(200);
      await server.admin.post('/auth/people/erase', { ...person, suppress: true }).expect(200);
      const retention = { days: 1, basis: 'updatedAt' };
      await operator.put(`/auth/apps/${sourceAppId}/retention`, retention).expect(200);
      const { steps = 0 } = server.services.jobs.states().find(({ name }) => name === 'retention') ?? {};
      server.services.jobs.wake('retention');
      const ended = () => server.services.jobs.states().find(({ name }) => name === 'retention')?.steps;
      await expect.poll(ended).toBeGreaterThan(steps);
    });
    expectIndexes(profiled);
    for (const plan of plans(profiled, 'users'))
      expect([BY_EMAIL, BY_ID, 'IDHACK', 'IXSCAN { _id: 1 }']).toContain(plan);
    const ofChanges = 'IXSCAN { appId: 1, reason: 1, size: 1 }';
    expect(new Set(plans(profiled, 'held_submissions'))).toEqual(new Set(['IXSCAN { email: 1, appId: 1 }', ofChanges]));
  });

  it('read no more events of the audit log than they show, by actor, in one app or in all', async () => {
    const { db, admin } = server;
    const { sourceAppId } = await admin.buildApp();
    const account = new ObjectId().toHexString();
    const at = new Date();
    const later = { expiresAt: new Date(at.getTime() + 60_000), at, count: 1, appId: null, target: null };
    const events = Array.from({ length: 3_000 }, (_, n) => {
      const isRare = n < 5;
      const kind = isRare && n % 2 === 0 ? 'admin' : 'operator';
      const actor = { kind, id: isRare ? account : 'others', address: null, method: isRare ? 'password' : 'shared' };
      const name = n % 3 === 0 ? sourceAppId : 'elsewhere';
      return { _id: v7({ msecs: n + 1 }), action: 'users.listed', sourceAppId: name, actor, ...later };
    });
    await db.collection<{ _id: string }>('audit_events').insertMany(events);
    const queries = [`actor=${account}`, 'actor=admin'].flatMap((one) => [one, `${one}&sourceAppId=${sourceAppId}`]);
    for (const query of queries) {
      const [read] = (await profile(() => admin.get(`/auth/audit?${query}&limit=50`).expect(200))).filter(({ ns }) =>
        ns.endsWith('.audit_events'),
      );
      expect([query, read?.planSummary]).toEqual([query, expect.stringContaining(' actor.')]);
      expect(read?.nreturned).toBeGreaterThan(0);
      expect(read?.docsExamined).toBe(read?.nreturned);
    }
    await db.collection<{ _id: string }>('audit_events').deleteMany({ _id: { $in: events.map(({ _id }) => _id) } });
  });

  it('use indexes for admin requests, including deletion, and for the sweep', { tags: 'long' }, async () => {
    const { sourceAppId } = await appWithManyRecords();
    const path = `/auth/apps/${sourceAppId}`;
    const fields = [{ key: 'plan', kind: 'text' as const }];
    const profiled = await profile(async () => {
      const other = await server.admin.buildApp();
      await new Client(server.client.url).logIn(other.sourceAppId, other.password);
      await server.admin.get('/auth/apps').expect(200);
      await server.admin.get('/auth/admin/users?limit=5').expect(200);
      await server.admin.get(`/auth/admin/users?sourceAppId=${sourceAppId}`).expect(200);
      await server.admin.get(`${path}/schema`).expect(200);
      await server.admin.get(`${path}/schema/versions`).expect(200);
      await server.admin.putSchema(sourceAppId, { fields }).set('If-Match', '"v2"').expect(200);
      await server.admin.post(`${path}/schema/check`, { rejectUnknown: false, fields }).expect(200);
      await server.admin.post(`${path}/password`).expect(200);
      await server.admin.delete(path).expect(200);
      await server.admin.post('/auth/logout').expect(200);
      // The queries of a server start.
      await (await startServer({}, server.database)).close();
    });
    expectIndexes(profiled);
    expect(plans(profiled, 'sessions').join()).not.toContain('COLLSCAN');
  });
});
