import { ObjectId, UUID } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UserDocument } from '../../../src/core/users/users.model.ts';
import { createRelay, type RecordEvent } from '../../../src/features/outbox/outbox.ts';
import { type Connection, connectDatabase } from '../../../src/platform/database/client.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { randomName } from '../../support/database/databases.ts';
import { createModels, type Models } from '../../support/database/models.ts';
import { databaseUri } from '../../support/server/process.ts';

// Events that wait since an outage.

let connection: Connection;
let models: Models;
beforeAll(async () => {
  connection = await connectDatabase(databaseUri(randomName()));
  models = createModels(connection);
});
afterAll(async () => {
  await connection.getClient().db(connection.name).dropDatabase();
  await connection.close();
});
beforeEach(() => models.users.collection.deleteMany({}));

const appId = new ObjectId();
const newId = createOrderedIds();
let number = 0;

/** Stores a record with waiting events, the last of `revision`. */
async function store(waiting: number, revision = waiting): Promise<UUID> {
  const _id = newId(new Date());
  number += 1;
  const at = new Date();
  const outbox = Array.from({ length: waiting }, () => ({ id: newId(new Date()), at, changed: ['data.name'] }));
  const document = { _id, appId, email: `${number}@example.com`, outbox, eventCount: revision };
  await models.users.collection.insertOne(document as unknown as UserDocument);
  return _id;
}

/** A relay to a consumer that keeps what it gets. @param forget the answers of the consumer */
function relayTo(forget: boolean[] = []) {
  const batches: (readonly RecordEvent[])[] = [];
  const consumer = {
    forget: async () => forget.shift() ?? true,
    consume: async (events: readonly RecordEvent[]) => void batches.push(events),
  };
  const { users, erasures } = models;
  const relay = createRelay({
    users: users.collection,
    erasures: erasures.collection,
    consumers: [consumer],
    guardOfErased: () => async () => new Date(),
  });
  return { relay, batches };
}

describe('waiting events', () => {
  it('are relayed in bounded batches, in the order of each record', { tags: 'long' }, async () => {
    const EVENTS = 1_000;
    const RECORDS = 120;
    const ids: string[] = [];
    for (let count = 0; count < RECORDS; count += 1) ids.push((await store(EVENTS, EVENTS + 5)).toHexString());
    const { relay, batches } = relayTo();
    for (let sum = 0; sum < 5_000; ) sum += await relay();
    expect(Math.max(...batches.map((events) => events.length))).toBeLessThan(2_100);
    await models.users.collection.deleteMany({ _id: { $in: ids.slice(1).map((id) => new UUID(id)) } });
    while ((await relay()) > 0);
    const ofFirst = batches.flat().filter(({ recordId }) => recordId.toHexString() === ids[0]);
    expect(ofFirst.map(({ revision }) => revision)).toEqual(Array.from({ length: EVENTS }, (_, index) => index + 6));
  });

  it('do not wait for the end of what names an erased record, whose event does', async () => {
    const erased = newId(new Date());
    const eventId = newId(new Date());
    await models.erasures.collection.insertOne({ _id: erased, appId, eventId, revision: 2, at: new Date() });
    const other = await store(1);
    const { relay, batches } = relayTo([false, false, true]);
    expect(await relay()).toBe(2);
    expect(batches.flat().map(({ recordId }) => recordId)).toEqual([other]);
    await relay();
    expect(batches.flat()).toHaveLength(1);
    await relay();
    expect(batches.flat().at(-1)).toMatchObject({ type: 'user.erased', recordId: erased, revision: 2 });
    expect(await relay()).toBe(0);
  });
});
