// @module-tag fault

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { appDocument, emailsBySlot, expectSlotsOfRecords, untilReady } from '../support/database/index-slots.ts';
import { rounds } from '../support/run/rounds.ts';
import { Client } from '../support/server/client.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { storePeople } from '../support/server/stored-people.ts';

const BUILD_TIMEOUT_MS = 120_000;
const WRITES_END = { ...FULL_LEASES, writesEndMs: 300 };

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer({}, undefined, WRITES_END);
  b = await startServer({}, a.database, WRITES_END);
});
afterAll(async () => {
  await b.close();
  await a.close();
});

const text = (key: string, indexed = true): FieldDefinitionInput => ({
  key,
  kind: 'text',
  ...(indexed && { indexed }),
});

/** Submits to both servers without pause. `stop` resolves with the number of the accepted ones. */
function keepSubmitting(sourceAppId: string, makeData: (n: number) => object) {
  let stopped = false;
  let sent = 0;
  const run = async ({ client }: TestServer) => {
    const statuses: number[] = [];
    while (!stopped) {
      sent += 1;
      const body = { email: `u${sent % 97}@x.org`, data: makeData(sent) };
      statuses.push((await client.submit(sourceAppId, body)).status);
    }
    return statuses;
  };
  const running = Promise.all([a, b, a, b, a, b].map(run));
  return {
    async stop() {
      stopped = true;
      const statuses = (await running).flat();
      for (const status of new Set(statuses)) expect([200, 400]).toContain(status);
      return statuses.filter((status) => status === 200).length;
    },
  };
}

describe('An indexed field', () => {
  it('finds records that were written before, during and after the build, on both servers', {
    tags: 'long',
    timeout: BUILD_TIMEOUT_MS,
  }, async () => {
    const app = await a.admin.buildApp({ fields: [text('plan', false)] });
    const { sourceAppId } = app;
    await storePeople(a, sourceAppId, 3_000, (n) => ({ plan: n === 7 ? 'ＧOLD' : `P${n}` }));
    await b.client.submit(sourceAppId, { email: 'before@x.org', data: { plan: 'Gold' } }).expect(200);
    const operator = await new Client(b.client.url).logIn(sourceAppId, app.password);
    const path = `/auth/apps/${sourceAppId}/indexes`;
    expect((await operator.get(path).expect(200)).body).toEqual([]);

    await a.admin.putSchema(sourceAppId, { fields: [text('plan')] }).expect(200);
    expect((await operator.get(path).expect(200)).body).toMatchObject([{ key: 'plan', state: 'building' }]);
    await a.client.submit(sourceAppId, { email: 'during-a@x.org', data: { plan: 'gold' } }).expect(200);
    await b.client.submit(sourceAppId, { email: 'during-b@x.org', data: { plan: 'GOLD' } }).expect(200);
    await b.client.submit(sourceAppId, { email: 'p8@x.org', data: { plan: 'Gold' } }).expect(200);
    await untilReady(a, sourceAppId, ['plan']);
    await a.client.submit(sourceAppId, { email: 'after-a@x.org', data: { plan: 'gold' } }).expect(200);
    await b.client.submit(sourceAppId, { email: 'after-b@x.org', data: { plan: 'gold' } }).expect(200);
    await b.client.submit(sourceAppId, { email: 'p9@x.org', data: { plan: 'Gold' } }).expect(200);
    await a.client.submit(sourceAppId, { email: 'absent@x.org', data: {} }).expect(200);

    expect(await emailsBySlot(a, sourceAppId, 'plan', 'gold')).toEqual(
      ['after-a', 'after-b', 'before', 'during-a', 'during-b', 'p7', 'p8', 'p9'].map((name) => `${name}@x.org`),
    );
    expect(await emailsBySlot(a, sourceAppId, 'plan', null)).toEqual(['absent@x.org']);
    expect(await expectSlotsOfRecords(a, sourceAppId)).toBe(3_006);
    const [index, ...others] = (await operator.get(path).expect(200)).body;
    expect(others).toEqual([]);
    expect(index).toEqual({ key: 'plan', state: 'ready', done: index.total, total: index.total });
    expect(index.total).toBeGreaterThanOrEqual(3_001);
  });

  it('has the index values of its kind, also in records with values of other types', {
    tags: 'long',
    timeout: BUILD_TIMEOUT_MS,
  }, async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: [] });
    const odd = [5, -0.5, 2 ** 40, true, 'x'.repeat(5_000), ['a'], { a: 1 }, null, '2026-01-31', '😀'.repeat(2_000)];
    await storePeople(a, sourceAppId, odd.length, (n) => {
      const value = odd[n];
      return { text: value, number: value, checkbox: value, date: value, select: value };
    });
    await a.db
      .collection('users')
      .updateOne({ sourceAppId, email: 'p0@x.org' }, [{ $set: { 'data.number': { $toLong: '9007199254740995' } } }]);
    const kinds = ['text', 'number', 'checkbox', 'date'] as const;
    const fields: FieldDefinitionInput[] = kinds.map((kind) => ({ key: kind, kind, indexed: true }));
    fields.push({ key: 'select', kind: 'select', enum: ['Pro'], indexed: true });
    await a.admin.putSchema(sourceAppId, { fields }).expect(200);
    await untilReady(a, sourceAppId, [...kinds, 'select']);
    const data = { text: 'É', number: 1, checkbox: true, date: '2026-01-31T00:00:00+01:00', select: 'Pro' };
    await b.client.submit(sourceAppId, { email: 'new@x.org', data }).expect(200);
    await b.client.submit(sourceAppId, { email: 'p1@x.org', data }).expect(200);
    await a.client.submit(sourceAppId, { email: 'p1@x.org', data: { number: 2 } }).expect(200);
    expect(await expectSlotsOfRecords(a, sourceAppId)).toBe(odd.length + 1);
    const date = new Date('2026-01-30T23:00:00Z');
    expect(await emailsBySlot(a, sourceAppId, 'date', date)).toEqual(['new@x.org', 'p1@x.org']);
    expect(await emailsBySlot(a, sourceAppId, 'number', 2)).toEqual(['p1@x.org']);
  });

  it('agrees with its slot in every record after submissions during builds, changes of kind, and drops', {
    tags: 'long',
    timeout: BUILD_TIMEOUT_MS,
  }, async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: [] });
    await storePeople(a, sourceAppId, 1_500, (n) => ({ a: n % 3 ? `A${n}` : n, b: n, c: [] }));
    const values = ['Text', 7, 'text', true, '2026-01-31', ['item'], 'ÉTÉ'];
    const valueFor = (n: number) => values[n % values.length];
    const load = keepSubmitting(sourceAppId, (n) => ({
      ...(n % 2 && { a: valueFor(n) }),
      ...(n % 3 && { b: valueFor(n + 1) }),
      ...(n % 5 && { c: valueFor(n + 2) }),
    }));
    const schemas: FieldDefinitionInput[][] = [
      [text('a'), { key: 'b', kind: 'number', indexed: true }],
      [text('b'), { key: 'c', kind: 'checkbox', indexed: true }],
      [{ key: 'a', kind: 'array' }, { key: 'b', kind: 'array' }, text('c')],
      [text('c')],
      [{ key: 'a', kind: 'number', indexed: true }, text('b'), { key: 'c', kind: 'date', indexed: true }],
    ];
    for (const [round, fields] of schemas.entries()) {
      await (round % 2 ? b : a).admin.putSchema(sourceAppId, { fields }).expect(200);
      const keys = fields.flatMap((field) => ('indexed' in field && field.indexed ? [field.key] : []));
      await untilReady(a, sourceAppId, keys);
    }
    expect(await load.stop()).toBeGreaterThan(100);
    expect(await expectSlotsOfRecords(a, sourceAppId)).toBeGreaterThan(1_500);
  });

  it('follows schemas that swap indexed fields quickly, on both servers', {
    tags: 'long',
    timeout: BUILD_TIMEOUT_MS,
  }, async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: [] });
    await storePeople(a, sourceAppId, 1_000, (n) => ({ a: `a${n}`, b: n, c: `c${n}` }));
    const load = keepSubmitting(sourceAppId, (n) => ({ a: `A${n}`, b: n, c: `C${n}` }));
    for (let round = 0; round < rounds(12, 6); round += 1) {
      const [first = 'a', second = 'c'] = round % 2 ? ['c', 'a'] : ['a', 'c'];
      const fields = [text(first), { key: 'b', kind: 'number' as const, indexed: round % 3 > 0 }, text(second, false)];
      await (round % 2 ? b : a).admin.putSchema(sourceAppId, { fields }).expect(200);
    }
    await untilReady(a, sourceAppId, ['b', 'c']);
    expect(await load.stop()).toBeGreaterThan(50);
    expect(await expectSlotsOfRecords(a, sourceAppId)).toBeGreaterThan(1_000);
  });

  it('waits for a slot while eight others are being dropped, and no slot serves two fields', {
    tags: 'long',
    timeout: BUILD_TIMEOUT_MS,
  }, async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: [] });
    const names = (prefix: string) => Array.from({ length: 8 }, (_, n) => `${prefix}${n}`);
    const all = [...names('old'), ...names('new')];
    await storePeople(a, sourceAppId, 500, (n) => Object.fromEntries(all.map((key) => [key, `${key} ${n}`])));
    await a.admin.putSchema(sourceAppId, { fields: names('old').map((key) => text(key)) }).expect(200);
    await untilReady(a, sourceAppId, names('old'));
    await b.admin.putSchema(sourceAppId, { fields: names('new').map((key) => text(key)) }).expect(200);
    const { body } = await b.admin.get(`/auth/apps/${sourceAppId}/indexes`).expect(200);
    expect(body.map(({ key, state }: { key: string; state: string }) => `${key} ${state}`)).toEqual([
      ...names('new').map((key) => `${key} building`),
      ...names('old').map((key) => `${key} dropping`),
    ]);
    const seen: number[] = [];
    const watch = setInterval(async () => {
      const { slots = [] } = await appDocument(a, sourceAppId);
      seen.push(slots.length - new Set(slots.map(({ slot }) => slot)).size);
    }, 50);
    await untilReady(a, sourceAppId, names('new')).finally(() => clearInterval(watch));
    expect(seen.length).toBeGreaterThan(3);
    expect(new Set(seen)).toEqual(new Set([0]));
    expect(await expectSlotsOfRecords(a, sourceAppId)).toBe(500);
  });

  it('leaves nothing when its app is deleted during the build, and the builds of other apps continue', {
    tags: 'long',
    timeout: BUILD_TIMEOUT_MS,
  }, async () => {
    const deleted = (await a.admin.buildApp({ fields: [] })).sourceAppId;
    const other = (await a.admin.buildApp({ fields: [] })).sourceAppId;
    for (const id of [deleted, other]) await storePeople(a, id, 6_000, (n) => ({ plan: `P${n}` }));
    const { _id } = await appDocument(a, deleted);
    for (const id of [deleted, other]) await a.admin.putSchema(id, { fields: [text('plan')] }).expect(200);
    const progress = async () => a.db.collection('users').countDocuments({ appId: _id, s0: { $exists: true } });
    await expect.poll(progress, { timeout: 20_000, interval: 5 }).toBeGreaterThan(0);
    await b.admin.delete(`/auth/apps/${deleted}`).expect(200);
    await untilReady(a, other, ['plan']);
    expect(await expectSlotsOfRecords(a, other)).toBe(6_000);
    expect(await a.db.collection('users').countDocuments({ appId: _id })).toBe(0);
    expect(await a.db.collection('apps').findOne({ _id })).toBeNull();
  });
});

it('leaves the collection of records without an index of a slot until a field needs it', { tags: 'long' }, async () => {
  const fresh = await startServer({}, undefined, WRITES_END);
  try {
    const names = async () => (await fresh.db.collection('users').indexes()).map(({ name }) => name);
    expect(await names()).toEqual(['_id_', 'appId_1_email_1', 'appId_1__id_-1']);
    const { sourceAppId } = await fresh.admin.buildApp({ fields: [text('plan')] });
    await untilReady(fresh, sourceAppId, ['plan']);
    expect(await names()).toEqual(['_id_', 'appId_1_email_1', 'appId_1__id_-1', 'appId_1_s0_1__id_1']);
  } finally {
    await fresh.close();
  }
});

describe('GET /auth/apps/:sourceAppId/indexes', () => {
  it('is for the operators of the app and for admins', async () => {
    const own = await a.admin.buildApp({ fields: [text('plan')] });
    const other = await a.admin.buildApp();
    const path = `/auth/apps/${own.sourceAppId}/indexes`;
    await a.client.get(path).expect(401);
    await (await new Client(a.client.url).logIn(other.sourceAppId, other.password)).get(path).expect(403);
    await a.admin.get('/auth/apps/no-such-app/indexes').expect(404);
    const { body } = await a.admin.get(path).expect(200);
    expect(body).toEqual([{ key: 'plan', state: expect.stringMatching(/building|ready/), done: 0, total: 0 }]);
    await untilReady(a, own.sourceAppId, ['plan']);
  });

  it('refuses more than eight indexed fields, and an indexed array', async () => {
    const { sourceAppId } = await a.admin.buildApp();
    const nine = Array.from({ length: 9 }, (_, n) => text(`f${n}`));
    const { body } = await a.admin.putSchema(sourceAppId, { fields: nine }).expect(400);
    expect(body.errors).toEqual([
      {
        path: 'fields.8.indexed',
        message: 'is set for more than 8 fields',
        code: 'tooManyIndexed',
        params: { max: 8 },
      },
    ]);
    const list = { key: 'list', kind: 'array', indexed: true } as unknown as FieldDefinitionInput;
    const refused = await a.admin.putSchema(sourceAppId, { fields: [list] }).expect(400);
    expect(refused.body.errors[0].path).toMatch(/^fields\.0/);
  });
});
