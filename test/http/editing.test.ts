// @module-tag fault

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { emailsBySlot, expectSlotsOfRecords, untilReady } from '../support/database/index-slots.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { rounds } from '../support/run/rounds.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

const RACE_TIMEOUT_MS = 120_000;
const OPTIONS = { RECORD_LIMIT: '256kb', MAX_ARRAY_ITEMS: '1000' };
const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text', required: true, maxLength: 20 },
  { key: 'plan', kind: 'select', enum: ['free', 'pro'], indexed: true },
  { key: 'age', kind: 'number' },
  { key: 'terms', kind: 'checkbox', consent: { version: '1' } },
  { key: 'visits', kind: 'array' },
];

interface Stored {
  sourceAppId: string;
  data: { visits: object[] };
}

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer(OPTIONS, undefined, { writesEndMs: 300 });
  b = await startServer(OPTIONS, a.database, { writesEndMs: 300 });
});
afterAll(async () => {
  await b.close();
  await a.close();
});

/** A record of a new app, with a session of its operator on the second server. */
async function person(data: object, rejectUnknown = false) {
  const { sourceAppId, password } = await a.admin.buildApp({ rejectUnknown, fields: FIELDS });
  const submit = (more: object, server = a) => server.client.submit(sourceAppId, { email: 'ada@x.org', data: more });
  const { body } = await submit(data).expect(200);
  const operator = await new Client(b.client.url).logIn(sourceAppId, password);
  const path = `/auth/users/${body.id}`;
  return {
    sourceAppId,
    id: body.id as string,
    path,
    operator,
    submit,
    get: async () => (await operator.get(path).expect(200)).body,
    edit: (change: object, ifMatch?: string) => {
      const request = operator.patch(path, change);
      return ifMatch === undefined ? request : request.set('If-Match', ifMatch);
    },
    stored: () => a.db.collection('users').findOne({ sourceAppId, email: 'ada@x.org' }),
  };
}

describe('PATCH /auth/users/:id', () => {
  it('sets, removes and corrects what it names, and leaves the rest', async () => {
    const { edit, get, submit, stored, sourceAppId } = await person({
      name: 'Ada',
      plan: 'free',
      age: 3,
      terms: true,
      visits: ['one'],
      note: [1, 2],
      other: 'x',
    });
    await submit({ name: 'Ada', visits: ['two', { value: 'three' }] }).expect(200);
    const before = await get();
    const [first] = before.data.visits;
    const { body, headers } = await edit({
      set: { name: 'Ada L.', plan: 'pro', note: [1, 2, 3, 4] },
      unset: ['age', 'other', 'absent'],
      removeItems: [{ key: 'visits', timestamp: first.timestamp }],
    }).expect(200);
    expect(body).toEqual({
      ...before,
      data: { name: 'Ada L.', plan: 'pro', terms: true, visits: before.data.visits.slice(1), note: [1, 2, 3, 4] },
      updatedAt: body.updatedAt,
    });
    expect(body.updatedAt > before.updatedAt).toBe(true);
    expect(headers.etag).toMatch(`"${body.updatedAt}-`);
    expect(await get()).toEqual(body);
    expect(await stored()).toMatchObject({ arraySizes: { visits: 2, note: 4 } });
    await untilReady(a, sourceAppId, ['plan']);
    await edit({ unset: ['plan', 'visits', 'note'] }).expect(200);
    expect((await stored())?.arraySizes).toEqual({});
    expect(await expectSlotsOfRecords(a, sourceAppId)).toBe(1);
    await submit({ name: 'Ada', visits: ['again'] }).expect(200);
    expect((await get()).data).toMatchObject({ terms: true, visits: [{ value: 'again' }] });
  });

  it('applies only to the state that If-Match names; updatedAt grows with each change', async () => {
    const { edit, get, operator, path, submit } = await person({ name: 'Ada' });
    const { updatedAt } = await get();
    const { headers } = await operator.get(path).expect(200);
    const first = await edit({ set: { age: 1 } }, `"${updatedAt}"`).expect(200);
    await edit({ set: { age: 2 } }, `"${updatedAt}"`).expect(412);
    await edit({ set: { age: 2 } }, headers.etag).expect(412);
    await edit({ set: { age: 2 } }, 'nonsense').expect(412);
    const second = await edit({ set: { age: 2 } }, `W/"x", W/${first.headers.etag}`).expect(200);
    expect(second.body.updatedAt > first.body.updatedAt).toBe(true);
    await edit({ set: { age: 3 } }, '*').expect(200);
    await submit({ name: 'Eve' }).expect(200);
    await edit({ set: { name: 'Ada' } }, second.headers.etag).expect(412);
    expect((await get()).data).toEqual({ name: 'Eve', age: 3 });
  });

  it('tells a state by its ETag that has the same updatedAt', async () => {
    const { edit, operator, path, id, sourceAppId } = await person({ name: 'Ada' });
    const { etag } = (await operator.get(path).expect(200)).headers;
    // What a submission does that was received before the newest one and is stored after it.
    await a.db.collection('users').updateOne({ sourceAppId }, { $set: { 'data.age': 1 } });
    await edit({ set: { name: 'Eve' } }, etag).expect(412);
    expect((await operator.get(path).expect(200)).body).toMatchObject({ id, data: { name: 'Ada', age: 1 } });
  });

  it.each([
    [{ set: { age: 'x' } }, 'data.age'],
    [{ set: { name: 'a name that is longer than it may be' } }, 'data.name'],
    [{ set: { plan: 'gold' } }, 'data.plan'],
    [{ set: { plan: null } }, 'data.plan'],
    [{ set: { visits: [] } }, 'data.visits'],
    [{ set: { unknown: 1 } }, 'data.unknown'],
    [{ set: JSON.parse('{"__proto__":1}') }, 'data.__proto__'],
    [{ unset: ['name'] }, 'data.name'],
    [{ unset: ['a.b'] }, 'unset.0'],
    [{ unset: ['age', 'age'] }, ''],
    [{ set: { age: 1 }, unset: ['age'] }, ''],
    [{ removeItems: [{ key: 'visits' }] }, 'removeItems.0.timestamp'],
    [{ removeItems: [{ key: '$x', timestamp: 'x' }] }, 'removeItems.0.key'],
    [{}, ''],
    [{ set: { age: 1 }, email: 'eve@x.org' }, 'email'],
  ])('refuses %j and changes nothing', async (change, path) => {
    const { edit, get } = await person({ name: 'Ada', visits: [1] }, true);
    const before = await get();
    const { body } = await edit(JSON.parse(JSON.stringify(change))).expect(400);
    expect(body.errors.map((issue: { path: string }) => issue.path)).toEqual([path]);
    expect(await get()).toEqual(before);
  });

  it('refuses items that do not exist, records of others, and what a record cannot hold', {
    tags: 'long',
  }, async () => {
    const { edit, get, id, sourceAppId } = await person({ name: 'Ada', visits: [1] });
    const timestamp = '2026-01-31T08:30:00.000Z';
    await edit({ removeItems: [{ key: 'visits', timestamp }] }).expect(409);
    await edit({ removeItems: [{ key: 'name', timestamp }] }).expect(409);
    await edit({ set: { ok: { $where: 1 } } }).expect(400);
    for (const key of ['one', 'two', 'three']) {
      await edit({ set: { [key]: 'x'.repeat(80_000) } }).expect(key === 'three' ? 413 : 200);
    }
    const keys = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, 1]));
    await edit({ unset: ['one', 'two'] }).expect(200);
    await edit({ set: keys('k', 200) }).expect(200);
    await edit({ set: { k200: 1 } }).expect(400);
    await edit({ set: keys('l', 201) }).expect(400);
    expect(Object.keys((await get()).data)).toHaveLength(202);
    const other = await a.admin.buildApp();
    const foreign = await new Client(a.client.url).logIn(other.sourceAppId, other.password);
    await foreign.patch(`/auth/users/${id}`, { set: { name: 'Eve' } }).expect(404);
    await foreign.patch(`/auth/users/${id}?sourceAppId=${sourceAppId}`, { set: { name: 'Eve' } }).expect(403);
    await a.client.patch(`/auth/users/${id}`, { set: { name: 'Eve' } }).expect(401);
    await a.admin.patch(`/auth/users/${id}`, { set: { name: 'Eve' } }).expect(404);
    await a.admin.patch(`/auth/users/no-id?sourceAppId=${sourceAppId}`, { set: { name: 'Eve' } }).expect(404);
    await a.admin.patch(`/auth/users/${id}?sourceAppId=${sourceAppId}`, { set: { name: 'Eve' } }).expect(200);
    expect((await get()).data.name).toBe('Eve');
  });

  it('is checked by the newest schema, also when the record carries an older one', async () => {
    const { edit, get, sourceAppId } = await person({ name: 'Ada', age: 3 });
    await b.admin.putSchema(sourceAppId, { fields: [{ key: 'age', kind: 'text' }] }).expect(200);
    await edit({ set: { age: 4 } }).expect(400);
    await edit({ set: { age: 'four' }, unset: ['name'] }).expect(200);
    expect(await get()).toMatchObject({ data: { age: 'four' }, schemaVersion: 3 });
  });

  describe('whose write is delayed', () => {
    let proxy: TcpProxy;
    let delayed: TestServer;
    beforeAll(async () => {
      ({ proxy, slow: delayed } = await startSlow(OPTIONS, a.database, { writesEndMs: 300 }));
    });
    afterAll(() => delayed.close());

    /** Sends a change whose write reaches the database after `work`. */
    async function meanwhile(work: () => Promise<unknown>, path: string, change: object, ifMatch = '*') {
      const held = proxy.holdNext('findAndModify', 'users');
      const request = delayed.admin.patch(path, change).set('If-Match', ifMatch);
      const editing = request.then((response) => response);
      const forward = await held;
      await work().finally(forward);
      return editing;
    }

    it('sees what was stored between its check and its write, also with the same updatedAt', async () => {
      const { sourceAppId, path, submit, stored } = await person({ name: 'Ada', visits: ['one'] });
      const scoped = `${path}?sourceAppId=${sourceAppId}`;
      const { body, headers } = await delayed.admin.get(scoped).expect(200);
      // What a submission stores that was received earlier than the newest one.
      const store = (item: string, age: number) =>
        a.db
          .collection<Stored>('users')
          .updateOne(
            { sourceAppId },
            { $set: { 'data.age': age }, $push: { 'data.visits': { value: item } }, $inc: { 'arraySizes.visits': 1 } },
          );
      const refused = await meanwhile(() => store('two', 7), scoped, { set: { age: 1 } }, headers.etag);
      expect(refused.status).toBe(412);
      expect((await stored())?.data).toMatchObject({ age: 7, visits: [{ value: 'one' }, { value: 'two' }] });

      const [{ timestamp }] = body.data.visits;
      const removal = { set: { name: 'Eve' }, removeItems: [{ key: 'visits', timestamp }] };
      expect((await meanwhile(() => store('three', 8), scoped, removal)).status).toBe(200);
      expect(await stored()).toMatchObject({
        data: { name: 'Eve', age: 8, visits: [{ value: 'two' }, { value: 'three' }] },
        arraySizes: { visits: 2 },
      });

      const { headers: now } = await delayed.admin.get(scoped).expect(200);
      const submitted = async () => submit({ name: 'Ada' }, b).expect(200);
      expect((await meanwhile(submitted, scoped, { set: { name: 'x' } }, now.etag)).status).toBe(412);
    });

    it('is checked again when the schema was replaced and a submission followed', async () => {
      const { sourceAppId, path, submit, stored } = await person({ name: 'Ada' });
      const replaced = async () => {
        await a.admin.putSchema(sourceAppId, { fields: [{ key: 'name', kind: 'number' }] }).expect(200);
        await submit({ name: 5 }, b).expect(200);
      };
      const change = { set: { name: 'text' } };
      expect((await meanwhile(replaced, `${path}?sourceAppId=${sourceAppId}`, change)).status).toBe(400);
      expect((await stored())?.data.name).toBe(5);
    });

    it('has its index value when the build of the index passed the record before', async () => {
      const { sourceAppId, path, stored } = await person({ name: 'Ada' });
      const indexed = async () => {
        await a.admin.putSchema(sourceAppId, { fields: [{ key: 'note', kind: 'text', indexed: true }] }).expect(200);
        await untilReady(b, sourceAppId, ['note']);
      };
      const { status } = await meanwhile(indexed, `${path}?sourceAppId=${sourceAppId}`, { set: { note: 'Late' } });
      // 503: the build took longer than a request may.
      expect([200, 503]).toContain(status);
      await expect.poll(async () => (await stored())?.data.note).toBe('Late');
      const values = async () => (await emailsBySlot(b, sourceAppId, 'note', 'late')).length;
      await expect.poll(values).toBe(1);
      expect(await expectSlotsOfRecords(a, sourceAppId)).toBe(1);
    });
  });

  it('loses no submission and overwrites no newer state, on two servers', {
    tags: 'long',
    timeout: RACE_TIMEOUT_MS,
  }, async () => {
    const { submit, sourceAppId, path, get, stored } = await person({ name: 'Ada', age: 0 });
    let stopped = false;
    let sent = 0;
    const submitting = [a, b, a].map(async (server) => {
      const accepted: number[] = [];
      while (!stopped && sent < rounds(900, 300)) {
        sent += 1;
        const item = sent;
        await submit({ name: 'Ada', visits: [item], other: item, plan: item % 2 ? 'pro' : 'free' }, server).expect(200);
        accepted.push(item);
      }
      return accepted;
    });
    const scoped = `${path}?sourceAppId=${sourceAppId}`;
    // Each increments the age by reading it and naming the state that was read.
    const counting = [a, b].map(async ({ admin }) => {
      let applied = 0;
      for (let round = 0; round < rounds(150, 50); round += 1) {
        const { body, headers } = await admin.get(scoped).expect(200);
        const set = { age: body.data.age + 1, other: `edited ${body.data.other}` };
        const { status } = await admin.patch(scoped, { set }).set('If-Match', headers.etag ?? '');
        expect([200, 412]).toContain(status);
        if (status === 200) applied += 1;
      }
      return applied;
    });
    const removing = (async () => {
      const removed: unknown[] = [];
      for (let round = 0; round < rounds(40, 15); round += 1) {
        const { body } = await b.admin.get(scoped).expect(200);
        const { timestamp } = body.data.visits?.[0] ?? {};
        if (!timestamp) continue;
        const { status } = await b.admin.patch(scoped, { removeItems: [{ key: 'visits', timestamp }] });
        expect([200, 503]).toContain(status);
        if (status === 200) removed.push(timestamp);
      }
      return removed;
    })();
    const applied = (await Promise.all(counting)).reduce((sum, count) => sum + count, 0);
    const removed = await removing;
    stopped = true;
    const accepted = (await Promise.all(submitting)).flat();
    expect(applied).toBeGreaterThan(0);
    expect(removed.length).toBeGreaterThan(0);
    const { data } = await get();
    expect(data.age).toBe(applied);
    // What remains is everything that was accepted, except items of the removed times.
    const visits: { value: number; timestamp: string }[] = data.visits;
    const missing = accepted.filter((item) => !visits.some(({ value }) => value === item));
    expect(new Set(visits.map(({ value }) => value)).size).toBe(visits.length);
    expect(visits.length + missing.length).toBe(accepted.length);
    expect(visits.filter(({ timestamp }) => removed.includes(timestamp))).toEqual([]);
    expect(missing.length).toBeLessThanOrEqual(removed.length * 3);
    expect((await stored())?.arraySizes.visits).toBe(visits.length);
    await untilReady(a, sourceAppId, ['plan']);
    expect(await expectSlotsOfRecords(a, sourceAppId)).toBe(1);
  });
});
