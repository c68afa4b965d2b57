import { UUID } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import { createSchemaStorage } from '../../../src/core/schemas/schemas.ts';
import type { RecordEvent } from '../../../src/features/outbox/outbox.ts';
import {
  createConditionReader,
  createConditionRules,
} from '../../../src/features/record-conditions/record-conditions.service.ts';
import { createRecordRanges } from '../../../src/features/record-reads/ranges.ts';
import { createRecordReader } from '../../../src/features/record-reads/record-reader.ts';
import { createRenameStore } from '../../../src/features/renames/rename-store.ts';
import { createDeliveryStore } from '../../../src/features/webhooks/deliveries.model.ts';
import type { StoredDelivery } from '../../../src/features/webhooks/webhooks.model.ts';
import { createWebhookStore } from '../../../src/features/webhooks/webhooks.model.ts';
import { createDeliveryConsumer } from '../../../src/features/webhooks/webhooks.ts';
import { SCHEMA_PARTS } from '../../../src/services.ts';
import { appDocument } from '../../support/database/index-slots.ts';
import { createModels } from '../../support/database/models.ts';
import { Receiver } from '../../support/peers/receiver.ts';
import { Client, type TestApp } from '../../support/server/client.ts';
import { eventOf } from '../../support/server/mail-events.ts';
import { NO_RENAMES, rename, untilRenamed } from '../../support/server/renames.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const EVENTS = ['user.created', 'user.updated', 'user.erased'];
const OF_PRO = { all: [{ field: 'plan', op: 'eq', value: 'pro' }] };
const PLAN: FieldDefinitionInput = { key: 'plan', kind: 'text' };
const STATUS: FieldDefinitionInput = { key: 'status', kind: 'select', enum: ['new', 'urgent'], writers: 'staff' };

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' }, undefined, { writesEndMs: 200 });
  b = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' }, a.database, { writesEndMs: 200 });
});
afterAll(async () => {
  await b.close();
  await a.close();
});

let receiver: Receiver;
let app: TestApp;
let operator: Client;
beforeEach(async () => {
  receiver = await Receiver.start();
  app = await a.admin.buildApp({ fields: [PLAN, STATUS] });
  operator = await new Client(a.client.url).logIn(app.sourceAppId, app.password);
});
afterEach(() => receiver.close());

const listen = async (conditions: object | null): Promise<string> => {
  const sent = { url: receiver.url, events: EVENTS, if: conditions };
  return (await operator.post('/auth/webhooks', sent).expect(200)).body.id;
};
const submit = async (data: object, email = 'ada@example.com', server = a): Promise<string> =>
  (await server.client.submit(app.sourceAppId, { email, data }).expect(200)).body.id;
const collection = () => a.db.collection<StoredDelivery>('deliveries');
const users = () => a.db.collection('users');
const relayed = async () => {
  const waiting = async () => users().countDocuments({ sourceAppId: app.sourceAppId, 'outbox.0': { $exists: true } });
  await expect.poll(waiting, { timeout: 20_000, interval: 10 }).toBe(0);
};
const statesOf = async (id: string) =>
  (
    await collection()
      .find({ webhookId: new UUID(id) })
      .sort({ revision: 1 })
      .toArray()
  ).map(({ state }) => state);
const arrived = async (count: number) =>
  (await receiver.until(count)).map(({ body: { type, data } }) => [type, data.email, data.revision]);

/** As the relay leaves a record when its server stops before it removes the event. */
async function tellAgain(id: string, change: object = {}): Promise<void> {
  const record = await users().findOne({ _id: new UUID(id) as never });
  const outbox = [{ id: record?._id, at: record?.createdAt, changed: ['data.plan'] }];
  await users().updateOne({ _id: record?._id as never }, { $set: { outbox, ...change } });
}

describe('a webhook with conditions (spec 4.11)', () => {
  it('gets the events of the records for which they hold, in their order, and each erasure', {
    tags: 'long',
  }, async () => {
    const id = await listen(OF_PRO);
    const ada = await submit({ plan: 'free' });
    await relayed();
    await submit({ plan: 'pro' }, undefined, b);
    await relayed();
    await operator.patch(`/auth/users/${ada}`, { set: { status: 'urgent' } }).expect(200);
    await relayed();
    await operator.patch(`/auth/users/${ada}`, { set: { plan: 'free' } }).expect(200);
    await relayed();
    await operator.delete(`/auth/users/${ada}`).expect(200);
    expect(await arrived(3)).toEqual([
      ['user.updated', 'ada@example.com', 2],
      ['user.updated', 'ada@example.com', 3],
      ['user.erased', undefined, 5],
    ]);
    const { body } = await operator.get(`/auth/webhooks/${id}/deliveries`).expect(200);
    expect(body.deliveries.map(({ type }: { type: string }) => type)).toContain('user.erased');
  });

  it('compares fields of the staff and the email', async () => {
    await listen({
      any: [
        { field: 'status', op: 'eq', value: 'urgent' },
        { field: 'email', op: 'eq', value: 'Grace@Example.com' },
      ],
    });
    const ada = await submit({});
    await submit({}, 'grace@example.com');
    await receiver.until(1);
    await operator.patch(`/auth/users/${ada}`, { set: { status: 'urgent' } }).expect(200);
    expect(await arrived(2)).toEqual([
      ['user.created', 'grace@example.com', 1],
      ['user.updated', 'ada@example.com', 2],
    ]);
  });

  it('keeps the decision about an event that is relayed again after a crash', async () => {
    const id = await listen(OF_PRO);
    const skipped = await submit({ plan: 'free' });
    await submit({ plan: 'pro' }, 'grace@example.com');
    await relayed();
    await receiver.until(1);
    await tellAgain(skipped, { 'data.plan': 'pro' });
    await relayed();
    expect((await statesOf(id)).toSorted()).toEqual(['delivered', 'skipped']);

    const delivered = await users().findOne({ email: 'grace@example.com', sourceAppId: app.sourceAppId });
    await tellAgain(String(delivered?._id), { 'data.plan': 'free' });
    await relayed();
    expect((await statesOf(id)).toSorted()).toEqual(['delivered', 'skipped']);
    expect(receiver.received).toHaveLength(1);
  });

  it('keeps the decision of the relay before a server that decided otherwise, and stalled', async () => {
    const id = await listen(OF_PRO);
    const ada = await submit({ plan: 'free' });
    await relayed();
    const stalled = createDeliveryConsumer({
      webhooks: createWebhookStore(createModels(b.connection).webhooks),
      deliveries: createDeliveryStore(b.db.collection<StoredDelivery>('deliveries')),
      dispatcher: { notify: () => undefined },
      // As it read the record before its last change.
      evaluate: async (_, __, ids) => new Map(ids.map((one) => [one.toHexString(), [true]])),
    });
    await stalled.consume([await eventOf(b, app.sourceAppId, ada)]);
    expect(await statesOf(id)).toEqual(['skipped']);
  });

  it('has nothing of an event whose record was erased before it was relayed', async () => {
    const id = await listen(OF_PRO);
    const { reader } = evaluation();
    const consumer = createDeliveryConsumer({
      webhooks: createWebhookStore(createModels(a.connection).webhooks),
      deliveries: createDeliveryStore(collection()),
      dispatcher: { notify: () => undefined },
      evaluate: reader.evaluate,
    });
    const { _id: appId } = await appDocument(a, app.sourceAppId);
    const gone = new UUID();
    const event = { id: gone.toString(), appId, recordId: gone, at: new Date(), revision: 1 };
    await consumer.consume([{ ...event, type: 'user.created' }]);
    expect(await statesOf(id)).toEqual([]);
    const erasure: RecordEvent = { ...event, id: new UUID().toString(), type: 'user.erased', revision: 2 };
    await consumer.consume([erasure]);
    expect(await statesOf(id)).toEqual(['waiting']);
  });

  it('lists, shows and replays no event that was skipped, and an erasure removes it', async () => {
    const id = await listen(OF_PRO);
    await submit({ plan: 'free' });
    await relayed();
    const [{ _id } = { _id: '' }] = await collection()
      .find({ webhookId: new UUID(id) })
      .toArray();
    const { body } = await operator.get(`/auth/webhooks/${id}/deliveries`).expect(200);
    expect(body).toEqual({ deliveries: [] });
    await operator.get(`/auth/webhooks/deliveries/${_id}`).expect(404);
    await operator.post(`/auth/webhooks/deliveries/${_id}/replay`).expect(404);
    const { body: replay } = await operator
      .post(`/auth/webhooks/${id}/replay`, { since: new Date(0).toISOString() })
      .expect(200);
    expect(replay).toEqual({ replayed: 0 });
    expect(await statesOf(id)).toEqual(['skipped']);
    await operator.post('/auth/people/erase', { email: 'ada@example.com' }).expect(200);
    await receiver.until(1);
    await expect.poll(() => statesOf(id)).toEqual(['delivered']);
  });

  it('follows the rename of a field before and after its values are moved', { tags: 'long' }, async () => {
    const id = await listen(OF_PRO);
    const ada = await submit({ plan: 'pro' });
    await receiver.until(1);
    const fields = [{ ...PLAN, key: 'tariff' }, STATUS];
    await rename(a.admin, app.sourceAppId, { fields, renames: [{ from: 'plan', to: 'tariff' }] }).expect(200);
    await operator.patch(`/auth/users/${ada}`, { set: { status: 'new' } }).expect(200);
    await receiver.until(2);
    await untilRenamed(a, app.sourceAppId);
    await operator.patch(`/auth/users/${ada}`, { set: { status: 'urgent' } }).expect(200);
    expect(await arrived(3)).toHaveLength(3);
    const { body } = await operator.get('/auth/webhooks').expect(200);
    expect(body.webhooks).toMatchObject([{ id, if: { all: [{ field: 'tariff', op: 'eq', value: 'pro' }] } }]);
  });

  it('is decided by the schema that the record has', { tags: 'long' }, async () => {
    const ada = new UUID(await submit({ plan: 'pro' }));
    const { rules, readerWith } = evaluation();
    const { _id: appId } = await appDocument(a, app.sourceAppId);
    const conditions = { ...OF_PRO, version: 2 } as never;
    const early = await rules.readSchema(appId, [conditions]);
    await rename(a.admin, app.sourceAppId, {
      fields: [{ ...PLAN, key: 'tariff' }, STATUS],
      renames: [{ from: 'plan', to: 'tariff' }],
    }).expect(200);
    await untilRenamed(a, app.sourceAppId);
    // A server that read the schema before the rename, and the record after its move.
    const reads = [early];
    const late = readerWith({ ...rules, readSchema: async (...of) => reads.pop() ?? rules.readSchema(...of) });
    const results = await late.evaluate(appId, [conditions], [ada]);
    expect([...results.values()]).toEqual([[true]]);
    expect(reads).toEqual([]);
    // As after a restore of an earlier schema, whose records must not stop the relay.
    await users().updateOne({ _id: ada as never }, { $set: { schemaVersion: 99 } });
    expect([...(await late.evaluate(appId, [conditions], [ada])).values()]).toEqual([[true]]);
  });
});

function evaluation() {
  const { store, model } = createSchemaStorage(a.connection, SCHEMA_PARTS);
  const rules = createConditionRules({ store, renames: createRenameStore(model) });
  const collectionOfUsers = createModels(a.connection).users.collection;
  const readerWith = (given: typeof rules) =>
    createConditionReader({
      rules: given,
      reader: createRecordReader(collectionOfUsers, NO_RENAMES),
      ranges: createRecordRanges(collectionOfUsers),
      budgetMs: undefined,
    });
  return { rules, readerWith, reader: readerWith(rules) };
}

describe('the conditions of a webhook', () => {
  const shown = async (id: string) =>
    (await operator.get('/auth/webhooks').expect(200)).body.webhooks.find((one: { id: string }) => one.id === id);

  it('are checked, shown, replaced and removed', async () => {
    const sent = { url: receiver.url, events: EVENTS };
    const unknown = { all: [{ field: 'gone', op: 'exists' }] };
    const { body } = await operator.post('/auth/webhooks', { ...sent, if: unknown }).expect(400);
    expect(body.errors).toMatchObject([{ path: 'if.all.0.field', code: 'unknownField' }]);
    const id = await listen(OF_PRO);
    expect(await shown(id)).toMatchObject({ if: OF_PRO });
    const path = `/auth/webhooks/${id}`;
    const wrong = { any: [{ field: 'status', op: 'eq', value: 'gold' }] };
    const { body: refused } = await operator.patch(path, { if: wrong }).expect(400);
    expect(refused.errors).toMatchObject([{ path: 'if.any.0.value' }]);
    const urgent = { any: [{ field: 'status', op: 'eq', value: 'urgent' }] };
    expect((await operator.patch(path, { if: urgent }).expect(200)).body.if).toEqual(urgent);
    expect((await operator.patch(path, { events: ['user.created'] }).expect(200)).body.if).toEqual(urgent);
    expect((await operator.patch(path, { if: null }).expect(200)).body).not.toHaveProperty('if');
    expect(await a.db.collection('webhooks').findOne({ _id: new UUID(id) as never })).not.toHaveProperty('if');
  });

  it('count for events from their change on', async () => {
    const id = await listen(OF_PRO);
    await submit({ plan: 'free' });
    await relayed();
    await operator.patch(`/auth/webhooks/${id}`, { if: null }).expect(200);
    await submit({ plan: 'free' }, 'grace@example.com');
    await relayed();
    await operator.patch(`/auth/webhooks/${id}`, { if: OF_PRO }).expect(200);
    expect(await arrived(1)).toEqual([['user.created', 'grace@example.com', 1]]);
  });

  it('are marked when their field was removed, and can be sent back', async () => {
    const id = await listen(OF_PRO);
    await a.admin.putSchema(app.sourceAppId, { fields: [STATUS] }).expect(200);
    const problem = { path: 'if.all.0.field', message: 'is not a field of this app', code: 'unknownField' };
    expect(await shown(id)).toMatchObject({ if: OF_PRO, problem });
    await operator.patch(`/auth/webhooks/${id}`, { if: OF_PRO }).expect(200);
    await submit({ plan: 'pro' });
    await relayed();
    expect(await statesOf(id)).toEqual(['skipped']);
  });

  it('are in the audit log without emails', async () => {
    await listen({ all: [{ field: 'email', op: 'eq', value: 'zebulon@example.com' }] });
    const events = await a.db.collection('audit_events').find({ sourceAppId: app.sourceAppId }).toArray();
    expect(JSON.stringify(events)).toContain('"if"');
    expect(JSON.stringify(events)).not.toContain('zebulon');
  });
});
