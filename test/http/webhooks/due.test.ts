import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { RecordId } from '../../../src/core/users/users.model.ts';
import type { RecordEvent } from '../../../src/features/outbox/outbox.ts';
import { createDeliveryStore, type DeliveryStore } from '../../../src/features/webhooks/deliveries.model.ts';
import type { WebhookDocument } from '../../../src/features/webhooks/webhooks.model.ts';
import { type Connection, connectDatabase } from '../../../src/platform/database/client.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { randomName } from '../../support/database/databases.ts';
import { createModels } from '../../support/database/models.ts';
import { databaseUri } from '../../support/server/process.ts';

// Which deliveries a server attempts when more of them wait for earlier ones than one read finds.

const BEFORE = Date.now();
const LATER = BEFORE + 5_000;
const CHANGES = 1_200;
const appId = new ObjectId();
const newId = createOrderedIds();

let connection: Connection;
let store: DeliveryStore;
beforeAll(async () => {
  connection = await connectDatabase(databaseUri(randomName()));
  const { deliveries } = createModels(connection);
  for (const [keys, options] of deliveries.schema.indexes()) await deliveries.collection.createIndex(keys, options);
  store = createDeliveryStore(deliveries.collection);
});
afterAll(async () => {
  await connection.getClient().db(connection.name).dropDatabase();
  await connection.close();
});

let webhook: WebhookDocument;
let recordId: RecordId;
beforeEach(async () => {
  webhook = {
    _id: newId(new Date()),
    appId,
    sourceAppId: 'app',
    url: 'https://example.com/',
    secrets: [],
    events: ['user.created', 'user.updated'],
    format: 'standard',
    createdAt: new Date(BEFORE),
  };
  recordId = newId(new Date());
  const revisions = Array.from({ length: CHANGES }, (_, index) => index + 1);
  await store.add(
    revisions.map((revision) => eventOf(recordId, revision)),
    [webhook],
    BEFORE,
  );
  const [first] = await due(BEFORE);
  if (!first) throw new Error('nothing is due');
  const attempt = { at: new Date(BEFORE), ms: 1, status: 500 };
  await store.settle(first, { attempt, isSuccess: false, isCounted: true, nextAt: LATER }, BEFORE);
});

function eventOf(id: RecordId, revision: number): RecordEvent {
  const type = revision === 1 ? 'user.created' : 'user.updated';
  return { id: newId(new Date()).toString(), type, appId, recordId: id, at: new Date(BEFORE), revision };
}

const due = (now: number, busy: RecordId[] = []) =>
  store.due({ appId, webhookId: webhook._id }, { now, limit: 200, busy });

it('finds the failed delivery of a record in front of those that wait for it', async () => {
  expect(await due(LATER)).toMatchObject([{ recordId, revision: 1, attempts: 1 }]);
});

it('finds nothing of the record before the time of the failed delivery, and other records soon', async () => {
  const other = newId(new Date());
  await store.add([eventOf(other, 1)], [webhook], LATER - 1_000);
  const found = [];
  for (let reads = 1; reads <= 3; reads += 1) found.push(...(await due(LATER - 1)));
  expect(found).toMatchObject([{ recordId: other, revision: 1 }]);
  expect(await due(LATER, [other])).toMatchObject([{ recordId, revision: 1 }]);
});

it('reads one delivery of a record, however many wait', async () => {
  const database = connection.getClient().db(connection.name);
  await database.command({ profile: 2 });
  expect(await due(LATER)).toHaveLength(1);
  await database.command({ profile: 0 });
  const filter = { 'command.aggregate': 'deliveries' };
  const [read] = await database.collection('system.profile').find(filter).toArray();
  expect(read).toMatchObject({ docsExamined: 1 });
});

const inTime = async () => new Date(Date.now() + 60_000);

it('ends some deliveries of an endpoint that is off, and the others in the next steps', async () => {
  const giveUp = async () => store.giveUp({ appId, webhookId: webhook._id }, async () => true, inTime);
  expect([await giveUp(), await giveUp(), await giveUp()]).toEqual([1_000, 200, 0]);
});

it('removes some of what names an erased record, and then the others', async () => {
  expect(await store.forgetSome([appId], [recordId], inTime, 0)).toBe(false);
  expect(await store.names([appId], [recordId])).toBe(true);
  expect(await store.forgetSome([appId], [recordId], inTime, 60_000)).toBe(true);
  expect(await store.names([appId], [recordId])).toBe(false);
});

it('drops all that waits of a record that is gone, but its erasure', async () => {
  const other = newId(new Date());
  const erased = { ...eventOf(recordId, CHANGES + 1), type: 'user.erased' } as const;
  await store.add([eventOf(other, 1), erased], [{ ...webhook, events: [...webhook.events, 'user.erased'] }], LATER);
  const [first] = await due(LATER);
  if (!first) throw new Error('nothing is due');
  // It ends after a moment: on a busy machine after one statement, of at most 1,000.
  for (let times = 0; times < 3; times += 1) await store.drop(first, inTime);
  const left = await due(LATER);
  expect(left.map((one) => [one.recordId, one.type])).toEqual(
    expect.arrayContaining([
      [other, 'user.created'],
      [recordId, 'user.erased'],
    ]),
  );
  expect(left).toHaveLength(2);
});
