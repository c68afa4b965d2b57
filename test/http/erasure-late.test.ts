// @module-tag long

import { Binary, type Document, type ObjectId } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPersonRecords } from '../../src/features/record-reads/record-reader.ts';
import { createRecordEraser } from '../../src/features/records/erasure.ts';
import type { DocumentId } from '../../src/platform/bson/documents.ts';
import { holdJob } from '../support/database/held-job.ts';
import { appDocument } from '../support/database/index-slots.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { beginChange, untilChange } from '../support/server/changes.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';
import { storePeople } from '../support/server/stored-people.ts';

// A server stops in the erasure of a record, and goes on when an operator has restored the record,
// or not at all.

const POLL = { timeout: 20_000 };

let main: TestServer;
let proxy: TcpProxy;
let slow: TestServer;
let app: string;
let record: Document;

beforeAll(async () => {
  main = await startServer();
  ({ proxy, slow } = await startSlow({}, main.database));
  await slow.services.jobs.stop();
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await slow.close();
  await main.close();
});
beforeEach(async () => {
  ({ sourceAppId: app } = await main.admin.buildApp());
  await storePeople(main, app, 1, () => ({ name: 'Ada' }));
  record = (await users().findOne({ sourceAppId: app })) as Document;
});

const users = () => main.db.collection('users');

/** An eraser without consumers, of a server that has read the records a minute ago. */
const eraserOf = (deps: Partial<Parameters<typeof createRecordEraser>[0]>) =>
  createRecordEraser({
    users: users() as never,
    erasures: main.db.collection('erasures') as never,
    newId: () => record._id,
    hasConsumers: async () => false,
    traces: [],
    guardOfErased: () => async () => new Date(),
    onEvents: () => undefined,
    ...deps,
  });

it('deletes no record a minute after it was read, also when nobody listens to the app', async () => {
  const stalled = new Proxy(users(), {
    get(target, name) {
      if (name !== 'find') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name);
      return (filter: object, options: object) =>
        target.find(filter, options).map((found) => ({ ...found, now: new Date(Date.now() - 60_000) }));
    },
  });
  expect(await eraserOf({ users: stalled as never })(record.appId, [record._id])).toBe(0);
  expect(await users().countDocuments({ sourceAppId: app })).toBe(1);
});

it('an erasure of a person ends although the person submits again and again', async () => {
  const erase = async (_appId: ObjectId, ids: DocumentId[]) => {
    await users().deleteMany({ _id: { $in: ids as never[] } });
    await storePeople(main, app, 1, () => ({ name: 'Ada' }));
    return ids.length;
  };
  const { eraseOf } = createPersonRecords(users() as never, async () => new Map(), erase);
  expect(await eraseOf([record.appId], record.email, async () => later())).toBe(1);
});

/** The collections of what names the record, and how it is stored. */
const TRACES: [string, () => Promise<unknown>][] = [
  ['deliveries', () => main.db.collection('deliveries').insertOne(delivery())],
  ['held_submissions', () => main.db.collection('held_submissions').insertOne(heldChange())],
  [
    'changes',
    async () => {
      const id = await beginChange(main.admin, app, 1, { set: { name: 'Grace' } });
      await untilChange(main.admin, app, id);
      record = (await users().findOne({ sourceAppId: app })) as Document;
    },
  ],
];

const delivery = () => ({
  _id: `event:${record._id}` as never,
  webhookId: record._id,
  appId: record.appId,
  recordId: record._id,
  type: 'user.created',
  revision: 1,
  at: new Date(),
  state: 'delivered',
  attempts: 1,
  log: [],
  expiresAt: later(),
});

const heldChange = () => ({
  _id: record._id,
  appId: record.appId,
  email: record.email,
  data: { name: 'Grace' },
  reason: 'confirm',
  schemaVersion: 1,
  at: new Date(),
  expiresAt: later(),
  size: 300,
  recordId: record._id,
});

const later = () => new Date(Date.now() + 3_600_000);

const countOf = (collection: string) => main.db.collection(collection).countDocuments({ appId: record.appId });

describe.each(TRACES)('%s of a record', (collection, store) => {
  beforeEach(store);

  it('stay when the record is restored before they are removed', async () => {
    await holdJob(main, 'events');
    const heldDeletion = proxy.holdNext('delete', 'users');
    const path = `/auth/users/${record._id}?sourceAppId=${app}`;
    const erased = slow.admin.delete(path).then(({ status }) => status);
    const forwardDeletion = await heldDeletion;
    const heldSearch = proxy.holdNext('find', collection);
    await forwardDeletion();
    const forwardSearch = await heldSearch;
    await users().insertOne(record);
    await forwardSearch();
    expect(await erased).toBe(503);
    expect(await countOf(collection)).toBe(1);
  });

  it('are removed by another server when one stops after the deletion', async () => {
    const { _id: appId } = await appDocument(main, app);
    const killed = new Error('the process ends');
    const traces = [{ exist: async () => true, remove: () => Promise.reject(killed) }];
    await expect(eraserOf({ traces })(appId, [record._id])).rejects.toBe(killed);
    await expect.poll(() => countOf(collection), POLL).toBe(0);
    await expect.poll(() => main.db.collection('erasures').countDocuments({ appId }), POLL).toBe(0);
  });
});

it('moved idempotency keys are removed by another server when one stops after the deletion', async () => {
  const { appId, _id } = record;
  const key = new Binary(Buffer.concat([appId.id, _id.buffer, Buffer.alloc(16)]));
  const keys = main.db.collection<{ _id: Binary }>('applied_keys');
  await keys.insertOne({ _id: key, content: new Binary(Buffer.alloc(16)), at: new Date() } as never);
  await users().updateOne({ _id }, { $set: { keyEpoch: 1 } });
  const killed = new Error('the process ends');
  const erased = eraserOf({ traces: [{ remove: () => Promise.reject(killed) }] })(appId, [_id]);
  await expect(erased).rejects.toBe(killed);
  await expect.poll(() => keys.countDocuments({ _id: key }), POLL).toBe(0);
  await expect.poll(() => main.db.collection('erasures').countDocuments({ appId }), POLL).toBe(0);
});
