/** The invariants (docs/architecture.md) in their smallest form. test/faults has the kills. */

import { setTimeout as sleep } from 'node:timers/promises';
import { Binary, type CommandStartedEvent, type Document, ObjectId } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { LEASE_MS } from '../../src/core/apps/revision.ts';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { createRecordList } from '../../src/core/users/record-list.ts';
import type { UserCollection } from '../../src/core/users/users.model.ts';
import { MAX_INLINE_KEYS } from '../../src/features/idempotency/idempotency-keys.ts';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { createOperatorLoad } from '../../src/platform/http/operator-load.ts';
import { startProxy, type TcpProxy } from '../support/peers/proxy.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';

const HOUR_MS = 3_600_000;

let proxy: TcpProxy;
/** A server whose statements the proxy can hold, and one with a direct connection. */
let slow: TestServer;
let other: TestServer;
/** An app with a list. */
let lists: Awaited<ReturnType<typeof newApp>>;
beforeAll(async () => {
  const uri = new URL(inject('mongodbUri'));
  proxy = await startProxy(new URL(uri));
  uri.port = String(proxy.port);
  slow = await startServer({ MONGODB_URI: uri.href }, undefined, FULL_LEASES);
  // A statement of theirs would be held instead.
  await slow.services.jobs.stop();
  other = await startServer({}, slow.database, FULL_LEASES);
  lists = await newApp([{ key: 'list', kind: 'array' }]);
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await other.close();
  await slow.close();
  await proxy.close();
});

const users = () => other.db.collection('users');

/** An app on both servers, and the statuses of submissions to it. */
async function newApp(fields?: FieldDefinitionInput[]) {
  const { sourceAppId } = await other.admin.buildApp(fields && { fields });
  const app = await other.db.collection('apps').findOne({ sourceAppId });
  const submit = async (to: TestServer, email: string, data: object, key?: string): Promise<number> => {
    const request = to.client.submit(sourceAppId, { email, data });
    return (await (key === undefined ? request : request.set('Idempotency-Key', key))).status;
  };
  const stored = (email: string) => users().findOne({ sourceAppId, email });
  return {
    sourceAppId,
    appId: app?._id as ObjectId,
    submit,
    stored,
    items: async (email: string) => (await stored(email))?.data.list.map(({ value }: Document) => value),
    remove: async (by: TestServer) => (await by.admin.delete(`/auth/apps/${sourceAppId}`)).status,
    count: () => users().countDocuments({ sourceAppId }),
  };
}

describe('invariants 1 and 7', () => {
  it('each write waits for the journal of a majority, and each statement has a time limit', async () => {
    const app = await newApp();
    const statements: Document[] = [];
    const note = ({ command }: CommandStartedEvent) => void statements.push(command);
    const client = other.connection.getClient().on('commandStarted', note);
    const people = ['a@x.org', 'a@x.org', ...Array.from({ length: 12 }, (_, index) => `${index}@x.org`)];
    for (const email of people.slice(0, 2)) expect(await app.submit(other, email, {}, email)).toBe(200);
    expect(await Promise.all(people.map((email) => app.submit(other, email, {})))).toEqual(people.map(() => 200));
    const { body } = await other.admin.get(`/auth/admin/users?sourceAppId=${app.sourceAppId}&limit=1`).expect(200);
    await other.admin.delete(`/auth/users/${body.users[0].id}?sourceAppId=${app.sourceAppId}`).expect(200);
    await app.remove(other);
    client.off('commandStarted', note);
    const ofRecords = statements.filter((one) =>
      ['insert', 'update', 'findAndModify', 'delete'].some((name) => one[name] === 'users'),
    );
    expect(new Set(ofRecords.map((one) => Object.keys(one)[0])).size).toBe(4);
    for (const one of ofRecords) expect(one.writeConcern).toEqual({ w: 'majority', j: true });
    expect(statements.filter((one) => !(one.maxTimeMS > 0) && !one.getMore)).toEqual([]);
  });
});

describe('invariant 2', () => {
  it('one record holds the items of concurrent first submissions to two servers', async () => {
    const items = Array.from({ length: 8 }, (_, item) => item);
    const answers = items.map((item) => lists.submit(item % 2 ? slow : other, 'first@x.org', { list: [item] }));
    expect(await Promise.all(answers)).toEqual(items.map(() => 200));
    expect(await users().countDocuments({ email: 'first@x.org' })).toBe(1);
    expect((await lists.items('first@x.org')).sort()).toEqual(items);
  });

  it('the database refuses a second record of an email', async () => {
    await lists.submit(other, 'one@x.org', {});
    const { _id, ...record } = (await lists.stored('one@x.org')) ?? {};
    await expect(users().insertOne(record)).rejects.toMatchObject({ code: 11_000 });
  });

  it('the index is there before a server is prepared', async () => {
    const held = proxy.holdNext('createIndexes', 'users');
    let isPrepared = false;
    const preparing = slow.services.prepare().then(() => {
      isPrepared = true;
    });
    const forward = await held;
    expect(await slow.services.core.ping()).toBe(true);
    expect(isPrepared).toBe(false);
    await forward();
    await preparing;
  });
});

describe('invariant 3', () => {
  it('a submission whose answer from the database was lost is stored once', async () => {
    expect(await lists.submit(slow, 'lost@x.org', { list: [0] }, 'zero')).toBe(200);
    proxy.withholdAnswers('cut', 1);
    const first = await lists.submit(slow, 'lost@x.org', { list: [1] }, 'one');
    expect([200, 503]).toContain(first);
    expect(await lists.submit(slow, 'lost@x.org', { list: [1] }, 'one')).toBe(200);
    expect(await lists.items('lost@x.org')).toEqual([0, 1]);
  });

  it('concurrent repeats to two servers are applied once', async () => {
    const servers = [slow, other, slow, other];
    const answers = servers.map((server) => lists.submit(server, 'repeated@x.org', { list: [1] }, 'one'));
    expect(await Promise.all(answers)).toEqual(servers.map(() => 200));
    expect(await lists.items('repeated@x.org')).toEqual([1]);
  });

  it('a key that was moved out of its record counts, also for a write that began before the move', async () => {
    expect(await lists.submit(slow, 'many@x.org', { list: [0] })).toBe(200);
    const held = proxy.holdNext('findAndModify', 'users');
    const late = lists.submit(slow, 'many@x.org', { list: [1] }, 'one');
    const forward = await held;
    expect(await lists.submit(other, 'many@x.org', { list: [1] }, 'one')).toBe(200);
    const others = Array.from({ length: MAX_INLINE_KEYS - 1 }, (_, index) => ({
      key: new Binary(Buffer.alloc(16, index)),
      content: new Binary(Buffer.alloc(16)),
      at: new Date(),
    }));
    await users().updateOne({ email: 'many@x.org' }, { $push: { appliedKeys: { $each: others } } } as Document);
    expect(await lists.submit(other, 'many@x.org', { list: [2] }, 'two')).toBe(200);
    expect((await lists.stored('many@x.org'))?.appliedKeys).toHaveLength(1);
    await forward();
    expect([200, 503]).toContain(await late);
    expect(await lists.submit(other, 'many@x.org', { list: [1] }, 'one')).toBe(200);
    expect(await lists.submit(other, 'many@x.org', { list: [3] }, 'one')).toBe(422);
    expect(await lists.items('many@x.org')).toEqual([0, 1, 2]);
    // MongoDB removes the moved keys.
    const indexes = await other.db.collection('applied_keys').indexes();
    const kept = indexes.map(({ expireAfterSeconds = 0 }) => expireAfterSeconds);
    expect(Math.max(...kept)).toBeGreaterThan(24 * 3_600);
  });
});

const ANNOUNCED = [
  ['invariant 4: a PUT of a schema', (id: string) => slow.admin.putSchema(id, { fields: [] })],
  ['invariant 5: a deletion of an app', (id: string) => slow.admin.delete(`/auth/apps/${id}`)],
] as const;

/** Holds the revision of a change; resolves with its answer, and what stores the revision. */
async function announce(send: (sourceAppId: string) => PromiseLike<{ status: number }>) {
  const app = await newApp();
  const held = proxy.holdNext('update', 'revisions');
  let isAnswered = false;
  const answer = send(app.sourceAppId).then(({ status }) => {
    isAnswered = true;
    return status;
  });
  return { answer, isAnswered: () => isAnswered, forward: await held };
}

it.each(ANNOUNCED)('%s is answered after its revision is stored', async (_, send) => {
  const { answer, isAnswered, forward } = await announce(send);
  for (let count = 0; count < 5; count += 1) await slow.services.core.ping();
  expect(isAnswered()).toBe(false);
  await forward();
  expect(await answer).toBe(200);
});

it.each(ANNOUNCED)('%s is answered when every earlier lease has ended', { tags: 'long' }, async (_, send) => {
  const { answer, forward } = await announce(send);
  const lease = sleep(LEASE_MS).then(() => 'the lease ends');
  void forward();
  expect(await Promise.race([lease, answer])).toBe('the lease ends');
  expect(await answer).toBe(200);
});

describe('invariant 4', () => {
  const field = (kind: 'text' | 'number'): FieldDefinitionInput[] => [{ key: 'field', kind }];

  it('no server accepts by the old schema what is sent after a PUT was answered', async () => {
    const app = await newApp(field('text'));
    expect(await app.submit(slow, 'before@x.org', { field: 'text' })).toBe(200);
    await other.admin.putSchema(app.sourceAppId, { fields: field('number') }).expect(200);
    const answers = await Promise.all([
      app.submit(slow, 'old@x.org', { field: 'text' }),
      app.submit(slow, 'new@x.org', { field: 7 }),
    ]);
    expect(answers).toEqual([400, 200]);
    expect(await app.stored('old@x.org')).toBeNull();
  });

  it('a write that was checked by an old schema does not change a record of a newer one', async () => {
    const app = await newApp(field('text'));
    expect(await app.submit(slow, 'late@x.org', { field: 'text' })).toBe(200);
    const held = proxy.holdNext('findAndModify', 'users');
    const late = app.submit(slow, 'late@x.org', { field: 'late' });
    const forward = await held;
    await other.admin.putSchema(app.sourceAppId, { fields: field('number') }).expect(200);
    expect(await app.submit(other, 'late@x.org', { field: 7 })).toBe(200);
    await forward();
    expect([400, 503]).toContain(await late);
    expect((await app.stored('late@x.org'))?.data).toEqual({ field: 7 });
  });
});

describe('invariant 5', () => {
  it('no server accepts what is sent after the deletion of an app was answered', async () => {
    const app = await newApp();
    expect(await app.submit(slow, 'before@x.org', {})).toBe(200);
    expect(await app.remove(other)).toBe(200);
    expect(await app.submit(slow, 'after@x.org', {})).toBe(400);
    expect(await app.count()).toBe(0);
  });

  it('a write that arrives after the deletion of its app is not acknowledged, and leaves nothing', async () => {
    const app = await newApp();
    const held = proxy.holdNext('insert', 'users');
    const late = app.submit(slow, 'late@x.org', {});
    const forward = await held;
    expect(await app.remove(other)).toBe(200);
    await forward();
    // 503 when the time of the request was over: the record is removed five seconds later.
    expect([400, 503]).toContain(await late);
    await expect.poll(app.count).toBe(0);
  });

  it('a write that arrives between two steps of a deletion is removed by the last one', async () => {
    const app = await newApp();
    const heldWrite = proxy.holdNext('insert', 'users');
    const late = app.submit(slow, 'late@x.org', {});
    const forwardWrite = await heldWrite;
    const heldStep = proxy.holdNext('delete', 'apps');
    const removed = app.remove(slow);
    const forwardStep = await heldStep;
    await forwardWrite();
    expect([400, 503]).toContain(await late);
    await forwardStep();
    expect(await removed).toBe(200);
    expect(await app.count()).toBe(0);
  });
});

describe('invariant 6', () => {
  it('lists and exports read their records in pages of a limited size', async () => {
    const newId = createOrderedIds();
    const [appId, createdAt] = [new ObjectId(), new Date()];
    const records = Array.from({ length: 60 }, (_, n) => ({
      _id: newId(createdAt) as unknown as ObjectId,
      appId,
      email: `${n}@x.org`,
      data: { text: 'x'.repeat(20_000) },
      createdAt,
    }));
    await users().insertMany(records);
    const load = createOperatorLoad();
    const collection = users() as unknown as UserCollection;
    const list = createRecordList(collection, load);
    const sizes: number[] = [];
    for await (const page of list.all(appId)) sizes.push(page.length);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(60);
    // Pages of about 128 kB.
    expect(Math.max(...sizes)).toBeLessThan(10);
  });
});

describe('invariant 8', () => {
  it('a deletion ends when its app is no longer marked', async () => {
    const app = await newApp();
    expect(await app.submit(other, 'kept@x.org', {})).toBe(200);
    const held = proxy.holdNext('find', 'users');
    const removed = app.remove(slow);
    const forward = await held;
    await other.db.collection('apps').updateOne({ _id: app.appId }, { $unset: { deletingSince: 1 } });
    await forward();
    expect(await removed).toBe(503);
    expect(await app.count()).toBe(1);
  });

  it('a sweep removes late records when an earlier one saw them, and no restored ones', async () => {
    const [now, earlier] = [new Date(), new Date(Date.now() - HOUR_MS)];
    const newId = createOrderedIds();
    /** Of an app that was deleted now: records of these ages, which a sweep at `lateSince` saw. */
    const left = async (times: readonly Date[], lateSince?: Date) => {
      const appId = new ObjectId();
      const forgetAt = new Date(Date.now() + 90 * 24 * HOUR_MS);
      const tombstone = { _id: appId, deletedAt: now, begunAt: now, forgetAt, ...(lateSince && { lateSince }) };
      const records = times.map((createdAt) => ({
        _id: newId(createdAt) as unknown as ObjectId,
        appId,
        email: `${createdAt.getTime()}@x.org`,
        createdAt,
      }));
      await users().insertMany(records);
      await other.db.collection('deleted_apps').insertOne(tombstone);
      return appId;
    };
    // A restore writes all records: it is no obstacle to the sweep of other apps.
    const restored = [await left([earlier], earlier), await left([earlier, now], earlier)];
    const ids = [...restored, await left([now], earlier), await left([now])];
    await other.services.removal.start();
    expect(await Promise.all(ids.map((appId) => users().countDocuments({ appId })))).toEqual([1, 2, 0, 1]);
  });
});
