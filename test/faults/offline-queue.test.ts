// @module-tag long
// @module-tag fault

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../support/run/rounds.ts';
import type { TestApp } from '../support/server/client.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';

// A client with an offline queue repeats the whole queue, of any length, until it is acknowledged.

let servers: [TestServer, TestServer];
let lists: TestApp;
beforeAll(async () => {
  const first = await startServer({ MAX_ARRAY_ITEMS: '5000' }, undefined, FULL_LEASES);
  servers = [first, await startServer({ MAX_ARRAY_ITEMS: '5000' }, first.database, FULL_LEASES)];
  lists = await first.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** A record has at most 128 keys; the others are moved. */
const KEYS_IN_RECORD = 128;
const SENT = rounds(300, 170);
const SENT_AT_ONCE = rounds(500, 250);

let persons = 0;
function newPerson({ sourceAppId } = lists) {
  persons += 1;
  const email = `queue-${persons}@example.org`;
  const submit = (number: number, server = servers[number % 2] as TestServer, data: object = { list: [number] }) =>
    server.client.submit(sourceAppId, { email, data }).set('Idempotency-Key', `key-${number}`);
  const stored = () => servers[0].db.collection('users').findOne({ sourceAppId, email });
  const values = async (): Promise<number[]> =>
    (await stored())?.data.list.map(({ value }: { value: number }) => value);
  return { email, submit, stored, values };
}

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
const ascending = (values: number[]) => [...values].sort((a, b) => a - b);

describe('submissions of one person with idempotency keys (invariant 3)', () => {
  it('are applied once each when many are sent in sequence and then repeated', async () => {
    const person = newPerson();
    for (const number of numbers(SENT)) await person.submit(number).expect(200);
    for (const number of numbers(SENT)) await person.submit(number, servers[(number + 1) % 2]).expect(200);
    expect(await person.values()).toEqual(numbers(SENT));
  });

  it('are applied once each when many are sent to two servers concurrently and repeated on the other one', async () => {
    const person = newPerson();
    const sendAll = async (serverOffset: number) => {
      let waiting = numbers(SENT_AT_ONCE);
      for (let round = 0; waiting.length > 0 && round < 20; round += 1) {
        const answers = await Promise.all(
          waiting.map(async (number) => ({
            number,
            ...(await person.submit(number, servers[(number + serverOffset) % 2])),
          })),
        );
        expect(answers.filter(({ status }) => ![200, 503].includes(status))).toEqual([]);
        waiting = answers.filter(({ status }) => status === 503).map(({ number }) => number);
      }
      expect(waiting).toEqual([]);
    };
    await sendAll(0);
    await sendAll(1);
    await Promise.all([sendAll(0), sendAll(1)]);
    expect(ascending(await person.values())).toEqual(numbers(SENT_AT_ONCE));
  });

  it('keep a bounded number of keys in the record and move the others to a collection that expires', async () => {
    const person = newPerson();
    for (const number of numbers(SENT)) await person.submit(number).expect(200);
    const record = await person.stored();
    expect(record?.appliedKeys.length).toBeLessThanOrEqual(KEYS_IN_RECORD);
    const moved = await servers[0].db.collection('applied_keys').find().toArray();
    expect(moved.length).toBeGreaterThanOrEqual(SENT - KEYS_IN_RECORD);
    expect(JSON.stringify(moved)).not.toContain('key-');
    const indexes = await servers[0].db.collection('applied_keys').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { at: 1 }, expireAfterSeconds: 90_000 }));
  });

  it('are refused with 422 when a key is reused for other data, also after the key was moved', async () => {
    const person = newPerson();
    for (const number of numbers(SENT)) await person.submit(number).expect(200);
    await person.submit(0, servers[1], { list: ['other'] }).expect(422);
    await person.submit(SENT - 1, servers[1], { list: ['other'] }).expect(422);
    expect(await person.values()).toEqual(numbers(SENT));
  });

  it('are answered with 200 when an applied one is repeated after a change of the schema', async () => {
    const app = await servers[0].admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
    const person = newPerson(app);
    const first = await person.submit(1).expect(200);
    for (const number of numbers(150)) await person.submit(number + 10).expect(200);
    await servers[0].admin
      .putSchema(app.sourceAppId, { rejectUnknown: true, fields: [{ key: 'age', kind: 'number', required: true }] })
      .expect(200);
    for (const server of servers) {
      const { body } = await person.submit(1, server).expect(200);
      expect(body.id).toBe(first.body.id);
      await person.submit(100, server).expect(200);
      // The key is checked before the schema.
      await person.submit(1, server, { list: ['other'] }).expect(422);
      await person.submit(9_999, server).expect(400);
    }
    expect(await person.values()).toEqual([1, ...numbers(150).map((number) => number + 10)]);
  });

  it('leave no key after the record is deleted, and the same key then creates a new record', async () => {
    const app = await servers[0].admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
    const person = newPerson(app);
    for (const number of numbers(150)) await person.submit(number, servers[0]).expect(200);
    const record = await person.stored();
    const operator = await servers[0].client.logIn(app.sourceAppId, app.password);
    await operator.delete(`/auth/users/${record?._id}`).expect(200);
    const ofApp = { _id: { $gte: record?.appId } };
    expect(await servers[0].db.collection('applied_keys').countDocuments(ofApp)).toBe(0);
    await person.submit(0, servers[0]).expect(200);
    expect(await person.values()).toEqual([0]);
  });

  it('leave no key after the app is deleted', async () => {
    const app = await servers[0].admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
    const person = newPerson(app);
    const keys = servers[0].db.collection('applied_keys');
    const before = await keys.countDocuments();
    for (const number of numbers(150)) await person.submit(number, servers[0]).expect(200);
    expect(await keys.countDocuments()).toBeGreaterThan(before);
    await servers[0].admin.delete(`/auth/apps/${app.sourceAppId}`).expect(200);
    expect(await keys.countDocuments()).toBe(before);
  });
});
