// @module-tag long

import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRelay, type RecordEvent } from '../../../src/features/outbox/outbox.ts';
import { createDeliveryStore } from '../../../src/features/webhooks/deliveries.model.ts';
import { createDispatcher } from '../../../src/features/webhooks/dispatcher.ts';
import type { DeliveryDocument, WebhookDocument } from '../../../src/features/webhooks/webhooks.model.ts';
import { createWebhookStore } from '../../../src/features/webhooks/webhooks.model.ts';
import { createLogger } from '../../../src/platform/core/logger.ts';
import { type Connection, connectDatabase } from '../../../src/platform/database/client.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { NO_METRICS } from '../../../src/platform/metrics/metrics.ts';
import { randomName } from '../../support/database/databases.ts';
import { createModels, type Models } from '../../support/database/models.ts';
import { databaseUri } from '../../support/server/process.ts';

// What a server that stalled writes when another one, or an operator, has continued.

const NOW = Date.now();
const DAY_MS = 24 * 60 * 60 * 1_000;
const appId = new ObjectId();
const newId = createOrderedIds();

let connection: Connection;
let models: Models;
beforeAll(async () => {
  connection = await connectDatabase(databaseUri(randomName()));
  models = createModels(connection);
  for (const [keys, options] of models.deliveries.schema.indexes()) {
    await models.deliveries.collection.createIndex(keys, options);
  }
});
afterAll(async () => {
  await connection.getClient().db(connection.name).dropDatabase();
  await connection.close();
});

const deliveries = () => createDeliveryStore(models.deliveries.collection);
const of = ({ _id: webhookId }: WebhookDocument) => ({ appId, webhookId });
const webhooks = () => createWebhookStore(models.webhooks);

function webhook(): WebhookDocument {
  return {
    _id: newId(new Date()),
    appId,
    sourceAppId: 'app',
    url: 'https://example.com/',
    secrets: [],
    events: ['user.created'],
    format: 'standard',
    createdAt: new Date(NOW),
  };
}

function eventAt(at: number): RecordEvent {
  const recordId = newId(new Date(at));
  return { id: recordId.toString(), type: 'user.created', appId, recordId, at: new Date(at), revision: 1 };
}

const inTime = async () => new Date(Date.now() + 60_000);
const guardOfErased = () => inTime;

const ATTEMPT = { at: new Date(NOW), status: 500, durationMs: 1 } as unknown as DeliveryDocument['log'][number];

describe('a delivery', () => {
  let endpoint: WebhookDocument;
  let delivery: DeliveryDocument;
  const current = () => models.deliveries.collection.findOne({ _id: delivery._id });
  beforeEach(async () => {
    endpoint = webhook();
    await deliveries().add([eventAt(NOW)], [endpoint], NOW);
    [delivery] = (await deliveries().due(of(endpoint), { now: NOW, limit: 1, busy: [] })) as [DeliveryDocument];
  });

  it('that was replayed is not settled by an attempt from before', async () => {
    await deliveries().replay(appId, delivery._id, NOW + 1);
    await deliveries().settle(
      delivery,
      { attempt: ATTEMPT, isSuccess: true, isCounted: true, nextAt: undefined },
      NOW + 2,
    );
    expect(await current()).toMatchObject({ state: 'waiting', attempts: 0 });
  });

  it('is ended with its endpoint, unless the endpoint was enabled meanwhile', async () => {
    expect(await deliveries().giveUp(of(endpoint), async () => false, inTime)).toBe(0);
    expect(await current()).toMatchObject({ state: 'waiting' });
    expect(await deliveries().giveUp(of(endpoint), async () => true, inTime)).toBe(1);
    expect(await current()).toMatchObject({ state: 'failed' });
  });

  it('is not ended when the time in which its endpoint was off is over', async () => {
    expect(
      await deliveries().giveUp(
        of(endpoint),
        async () => true,
        async () => new Date(Date.now() - 1),
      ),
    ).toBe(0);
    expect(await current()).toMatchObject({ state: 'waiting' });
  });

  it('that was replayed since it was read is not ended', async () => {
    const replays = async (): Promise<boolean> => deliveries().replay(appId, delivery._id, NOW + 1);
    expect(await deliveries().giveUp(of(endpoint), replays, inTime)).toBe(0);
    expect(await current()).toMatchObject({ state: 'waiting' });
  });
});

describe('a delivery of a record that is gone', () => {
  it('still waits when the record was restored while the dispatcher stalled', async () => {
    const endpoint = webhook();
    await webhooks().insert(endpoint);
    const event = eventAt(NOW);
    await deliveries().add([event], [endpoint], NOW);
    const dispatcher = createDispatcher({
      webhooks: webhooks(),
      deliveries: deliveries(),
      readRecords: { many: async () => new Map(), one: async () => ({}) as never },
      readForm: async () => undefined,
      sender: {} as never,
      clock: { within: () => inTime },
      logger: createLogger({ logLevel: 'silent' }),
      metrics: NO_METRICS,
    });
    expect(await dispatcher.step()).toBe(1);
    await dispatcher.stop();
    expect(await models.deliveries.collection.countDocuments({ recordId: event.recordId, state: 'waiting' })).toBe(1);
  });
});

describe('an endpoint', () => {
  it('is not disabled by a failure from before an operator enabled it or changed its address', async () => {
    const failing = { ...webhook(), failingSince: new Date(NOW - 6 * DAY_MS) };
    await webhooks().insert(failing);
    await webhooks().update(failing, { set: {}, unset: { failingSince: 1 } }, inTime);
    expect(await webhooks().noteFailure(failing, false, NOW)).toBe(false);
    await webhooks().update(failing, { set: { url: 'https://example.org/' }, unset: {} }, inTime);
    expect(await webhooks().noteFailure(failing, true, NOW)).toBe(false);
    expect(await webhooks().isOff(failing._id)).toBe(false);
  });

  it('that fails since another time keeps that time after a success from before', async () => {
    const failing = { ...webhook(), failingSince: new Date(NOW) };
    await webhooks().insert(failing);
    await webhooks().noteSuccess({ ...failing, failingSince: new Date(NOW - DAY_MS) });
    expect(await webhooks().find(appId, failing._id)).toMatchObject({ failingSince: new Date(NOW) });
  });
});

describe('an event', () => {
  it('waits again when its record was restored while the relay stalled', async () => {
    const users = models.users.collection;
    const [_id, id] = [newId(new Date()), newId(new Date())];
    const outbox = [{ id, at: new Date(), changed: [] }];
    const record = { _id, appId, email: 'eve@example.com', eventCount: 1, outbox };
    await users.insertOne(record as never);
    const told: string[] = [];
    const consumers = [{ consume: async (all: readonly RecordEvent[]) => void told.push(...all.map((one) => one.id)) }];
    const relayTo = (collection: typeof users) =>
      createRelay({ users: collection, erasures: models.erasures.collection, consumers, guardOfErased })();
    // The records were read a minute ago.
    const stalling = new Proxy(users, {
      get(target, name) {
        if (name !== 'find') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name);
        return (filter: object, options: object) =>
          target.find(filter as never, options).map((found) => ({ ...found, now: new Date(Date.now() - 60_000) }));
      },
    });
    await relayTo(stalling);
    expect(await users.findOne({ _id })).toMatchObject({ outbox: [{ id }] });
    await relayTo(users);
    expect(await users.findOne({ _id })).toMatchObject({ outbox: [] });
    expect(told).toEqual([String(id), String(id)]);
    await users.deleteOne({ _id });
  });
});

describe('an announced erasure', () => {
  it('is told though the relay stalled for longer than an erasure takes', async () => {
    const users = models.users.collection;
    const erasures = models.erasures.collection;
    const _id = newId(new Date());
    await users.insertOne({ _id, appId, email: 'ada@example.com' } as never);
    await erasures.insertOne({ _id, appId, eventId: newId(new Date()), revision: 2, at: new Date() });
    const told: RecordEvent[] = [];
    const consumers = [{ consume: async (events: readonly RecordEvent[]) => void told.push(...events) }];
    // Between two statements of the relay, the record is deleted and a minute passes.
    const stalling = new Proxy(users, {
      get(target, name) {
        if (name !== 'find') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name);
        return (filter: Parameters<typeof users.find>[0], options: object) => {
          const cursor = target.find(filter as never, options);
          const toArray = cursor.toArray.bind(cursor);
          cursor.toArray = async () => {
            const found = await toArray();
            if (filter && '_id' in filter) {
              await users.deleteOne({ _id });
              await erasures.updateOne({ _id }, { $set: { at: new Date(NOW - DAY_MS) } });
            }
            return found;
          };
          return cursor;
        };
      },
    });
    await createRelay({ users: stalling, erasures, consumers, guardOfErased })();
    expect(told).toEqual([]);
    await createRelay({ users, erasures, consumers, guardOfErased })();
    expect(told).toMatchObject([{ type: 'user.erased', recordId: _id, revision: 2 }]);
    expect(await erasures.countDocuments()).toBe(0);
  });

  it('stays when its record was restored and is erased again while a consumer works', async () => {
    const [users, erasures] = [models.users.collection, models.erasures.collection];
    const _id = newId(new Date());
    await erasures.insertOne({ _id, appId, eventId: newId(new Date()), revision: 2, at: new Date(NOW - DAY_MS) });
    const again = { $set: { at: new Date(NOW) } };
    const consumers = [{ consume: async () => void (await erasures.updateOne({ _id }, again)) }];
    await createRelay({ users, erasures, consumers, guardOfErased })();
    expect(await erasures.countDocuments({ _id })).toBe(1);
    await erasures.deleteMany({});
  });

  it('of a record that still exists after a minute has failed', async () => {
    const [users, erasures] = [models.users.collection, models.erasures.collection];
    const _id = newId(new Date());
    await users.insertOne({ _id, appId, email: 'bob@example.com' } as never);
    await erasures.insertOne({ _id, appId, eventId: newId(new Date()), revision: 2, at: new Date(NOW - DAY_MS) });
    const told: RecordEvent[] = [];
    const consumers = [{ consume: async (all: readonly RecordEvent[]) => void told.push(...all) }];
    await createRelay({ users, erasures, consumers, guardOfErased })();
    expect(told).toEqual([]);
    expect(await erasures.countDocuments()).toBe(0);
  });
});
