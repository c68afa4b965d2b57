import { Binary, ObjectId } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRecordRemoval } from '../../src/core/users/record-removal.ts';
import type { UserCollection, UserDocument } from '../../src/core/users/users.model.ts';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { ownedBy } from '../../src/platform/database/removal.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';

const HOUR_MS = 3_600_000;

let server: TestServer;
let users: UserCollection;
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
  users = server.db.collection('users') as unknown as UserCollection;
});
afterAll(() => server.close());

/** Stores records of a new app, with ids of manual edits among them. */
async function appWithRecords(count: number, createdAt = () => new Date()): Promise<ObjectId> {
  const appId = new ObjectId();
  const newId = createOrderedIds();
  const own = {
    appId,
    sourceAppId: 'removed',
    data: {},
    schemaVersion: 1,
    createdAt: new Date(),
    updatedAt: new Date(),
  };
  const hex = appId.toHexString();
  // They sort before and after UUIDs.
  const odd = [Number.parseInt(hex.slice(-12), 16), hex, new Binary(Buffer.from(hex.slice(-8))), new ObjectId()];
  const ids: unknown[] = [...Array.from({ length: count }, () => newId(createdAt())), ...odd];
  const records = ids.map((_id, at) => ({ ...own, _id, email: `u${at}@example.com` }));
  await users.insertMany(records as unknown as UserDocument[]);
  return appId;
}

it('removes all records of an app and no others, whatever the type of their ids', async () => {
  const { removeAll } = createRecordRemoval(users);
  const [appId, other] = [await appWithRecords(2_300), await appWithRecords(10)];
  expect(await removeAll(appId)).toBe(2_304);
  expect(await users.countDocuments({ appId })).toBe(0);
  expect(await users.countDocuments({ appId: other })).toBe(14);
  expect(await removeAll(appId)).toBe(0);
});

it('removes only what was created since a time', async () => {
  const { removeAll } = createRecordRemoval(users);
  const start = Date.now() - 2 * HOUR_MS;
  let at = 0;
  const appId = await appWithRecords(3_000, () => new Date(start + (at++ % 2 ? HOUR_MS : 0)));
  expect(await removeAll(appId, new Date(start + HOUR_MS / 2))).toBe(1_500);
  expect(await users.countDocuments({ appId })).toBe(1_504);
});

/** A collection with documents of a new app, `before` older than `since`, and of another app. */
async function ownedDocuments(before: number, after: number) {
  const [appId, other] = [new ObjectId(), new ObjectId()];
  const since = new Date(Date.now() - HOUR_MS);
  const old = new Date(since.getTime() - 1);
  const at = [...Array.from({ length: before }, () => old), ...Array.from({ length: after }, () => since)];
  const collection = server.db.collection(`owned_${appId.toHexString()}`);
  await collection.insertMany([...at.map((time) => ({ appId, at: time })), { appId: other, at: since }]);
  return { appId, other, since, collection, owned: ownedBy(collection, 'at') };
}

it('removes the documents of an app from any collection, all or those since a time', async () => {
  const { appId, other, since, collection, owned } = await ownedDocuments(1_200, 1_300);
  expect(await owned.has(appId, 'before', since)).toBe(true);
  expect(await owned.removeAll(appId, since)).toBe(1_300);
  expect(await owned.has(appId, 'since', since)).toBe(false);
  expect(await owned.removeAll(appId)).toBe(1_200);
  expect(await collection.countDocuments({ appId: other })).toBe(1);
});

it('asks the guard before each step, and removes nothing in a step that begins too late', async () => {
  const { appId, collection, owned } = await ownedDocuments(0, 2_500);
  const answers = [new Date(Date.now() + HOUR_MS), new Date(0)];
  const guard = async (): Promise<Date> => {
    const answer = answers.shift();
    if (!answer) throw new Error('restored');
    return answer;
  };
  await expect(owned.removeAll(appId, undefined, guard)).rejects.toThrow('restored');
  expect(await collection.countDocuments({ appId })).toBe(1_500);
});
