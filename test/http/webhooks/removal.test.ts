import { type ObjectId, UUID } from 'mongodb';
import { v7 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppDocument } from '../../../src/core/apps/app.ts';
import { createAppConsumers } from '../../../src/features/outbox/app-consumers.ts';
import type { RecordEvent } from '../../../src/features/outbox/outbox.ts';
import { createRecordEraser } from '../../../src/features/records/erasure.ts';
import { createDeliveryStore } from '../../../src/features/webhooks/deliveries.model.ts';
import { createWebhookRemoval } from '../../../src/features/webhooks/webhook-removal.ts';
import type { StoredDelivery, WebhookDocument, WebhookStore } from '../../../src/features/webhooks/webhooks.model.ts';
import { createDeletedWebhookModel, createWebhookStore } from '../../../src/features/webhooks/webhooks.model.ts';
import { createDeliveryConsumer } from '../../../src/features/webhooks/webhooks.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { holdJob } from '../../support/database/held-job.ts';
import { appDocument } from '../../support/database/index-slots.ts';
import { createModels } from '../../support/database/models.ts';
import { Receiver } from '../../support/peers/receiver.ts';
import { Client, type TestApp } from '../../support/server/client.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const EVENTS = ['user.created', 'user.updated', 'user.erased'];
const DAY_MS = 86_400_000;
const TOKEN = 'the-token-of-the-metrics-of-this-test';
const SETTINGS = { WEBHOOKS_ALLOW_PRIVATE: 'true', METRICS_TOKEN: TOKEN };

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer(SETTINGS, undefined, { retentionEveryMs: 200 });
  b = await startServer(SETTINGS, a.database, { retentionEveryMs: 200 });
});
afterAll(async () => {
  await b.close();
  await a.close();
});

let receiver: Receiver;
let app: TestApp;
let appId: ObjectId;
let operator: Client;
beforeEach(async () => {
  // The receiver repeats what it got, also of a record that is erased.
  receiver = await Receiver.start(() => ({ body: 'Thank you, zebulon@example.com' }));
  app = await a.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  appId = (await appDocument(a, app.sourceAppId))._id;
  operator = await new Client(a.client.url).logIn(app.sourceAppId, app.password);
});
afterEach(() => receiver.close());

const collection = () => a.db.collection<StoredDelivery>('deliveries');
const countOf = (webhookId: string) => collection().countDocuments({ webhookId: new UUID(webhookId) });

async function createWebhook(): Promise<string> {
  return (await operator.post('/auth/webhooks', { url: receiver.url, events: EVENTS }).expect(200)).body.id;
}

async function submit(email: string): Promise<UUID> {
  const { body } = await a.client.submit(app.sourceAppId, { email, data: { name: 'Zebulon' } }).expect(200);
  return new UUID(body.id as string);
}

/** Stores deliveries with the answer of a receiver. */
async function seed(webhookId: string, recordIds: readonly UUID[]): Promise<void> {
  const at = new Date();
  const attempt = { at, ms: 5, status: 200, response: 'Thank you, zebulon@example.com' };
  const documents = recordIds.map(
    (recordId): StoredDelivery => ({
      _id: `${v7()}:${webhookId}`,
      webhookId: new UUID(webhookId),
      appId,
      recordId,
      type: 'user.created',
      revision: 1,
      at,
      state: 'delivered',
      attempts: 1,
      log: [attempt],
      expiresAt: new Date(at.getTime() + DAY_MS),
    }),
  );
  await collection().insertMany(documents);
}

async function expectNothingOfPerson(): Promise<void> {
  for (const { name } of await a.db.listCollections().toArray()) {
    const text = JSON.stringify(await a.db.collection(name).find({}).toArray());
    expect([name, /zebulon/i.test(text)]).toEqual([name, false]);
  }
}

/** A promise that others resolve. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** The attempts of deliveries that both servers have ended. */
async function attempts(): Promise<number> {
  const counts = [a, b].map(async ({ client }) => {
    const { text } = await client.get('/metrics').set('Authorization', `Bearer ${TOKEN}`).expect(200);
    const lines = text.split('\n').filter((line) => line.startsWith('webhook_attempts_total{'));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Runs the job, and resolves when the database has no delivery of the webhook. */
async function untilSwept(webhookId: string): Promise<void> {
  await expect
    .poll(async () => {
      b.services.jobs.wake('webhook-removal');
      return countOf(webhookId);
    })
    .toBe(0);
}

describe('a deleted webhook', () => {
  it('takes its deliveries with it, however many, and leaves those of others', { tags: 'long' }, async () => {
    const [id, other] = [await createWebhook(), await createWebhook()];
    const records = Array.from({ length: 2_500 }, () => new UUID());
    await seed(id, records);
    await seed(other, records.slice(0, 3));
    await operator.delete(`/auth/webhooks/${id}`).expect(200);
    expect(await countOf(id)).toBe(0);
    expect(await countOf(other)).toBe(3);
    expect((await appDocument(a, app.sourceAppId)).consumers).toEqual([`webhook ${other}`]);
    await operator.delete(`/auth/webhooks/${other}`).expect(200);
  });

  it('is deleted by another server when its server stopped after any of its statements', { tags: 'long' }, async () => {
    const ids = [await createWebhook(), await createWebhook(), await createWebhook()];
    for (const id of ids) await seed(id, [new UUID()]);
    const deleted = a.db.collection<{ _id: UUID }>('deleted_webhooks');
    const uuids = ids.map((id) => new UUID(id));
    await deleted.insertMany(uuids.map((_id) => ({ _id, appId, deletedAt: new Date() })));
    const [, second, third] = uuids as [UUID, UUID, UUID];
    await a.db.collection<WebhookDocument>('webhooks').deleteMany({ _id: { $in: [second, third] } });
    await a.db.collection<AppDocument>('apps').updateOne({ _id: appId }, { $pull: { consumers: `webhook ${third}` } });
    for (const id of ids) await untilSwept(id);
    await expect.poll(async () => (await appDocument(a, app.sourceAppId)).consumers).toEqual([]);
    expect((await operator.get('/auth/webhooks').expect(200)).body).toEqual({ webhooks: [] });
    await expect.poll(() => deleted.countDocuments({ _id: { $in: uuids }, isDone: true })).toBe(3);
  });

  it('that is restored keeps its deliveries, and can be deleted again', async () => {
    const id = await createWebhook();
    const [webhooks, deleted] = ['webhooks', 'deleted_webhooks'].map((name) => a.db.collection<{ _id: UUID }>(name));
    const _id = new UUID(id);
    const backup = (await webhooks?.findOne({ _id })) as { _id: UUID };
    await operator.delete(`/auth/webhooks/${id}`).expect(200);
    await expect.poll(() => deleted?.countDocuments({ _id, isDone: true })).toBe(1);
    await webhooks?.insertOne(backup);
    await seed(id, [new UUID()]);
    await expect
      .poll(() => {
        b.services.jobs.wake('webhook-removal');
        return deleted?.countDocuments({ _id });
      })
      .toBe(0);
    expect(await countOf(id)).toBe(1);
    await operator.delete(`/auth/webhooks/${id}`).expect(200);
    expect(await countOf(id)).toBe(0);
  });

  it('that is restored while its server stalled keeps its events', async () => {
    await holdJob(a, 'webhook-removal');
    const _id = new UUID(await createWebhook());
    const { webhooks, apps } = createModels(a.connection);
    const deleted = createDeletedWebhookModel(a.connection);
    const removal = createWebhookRemoval({
      // It was not there when the server read it.
      webhooks: { find: async () => undefined, remove: async () => undefined },
      models: { webhooks, deleted },
      deliveries: createDeliveryStore(collection()),
      consumers: createAppConsumers(apps, { publish: async () => undefined }),
      clock: { read: async () => new Date(Date.now() - 60_000) },
      throttle: async () => undefined,
    });
    await removal.remove({ _id, appId }, async () => new Date(Date.now() + 60_000));
    expect((await appDocument(a, app.sourceAppId)).consumers).toEqual([`webhook ${_id}`]);
    expect(await deleted.findOne({ _id })).not.toHaveProperty('isDone');
  });

  it('keeps no delivery that a server stores later which had read the webhook before', async () => {
    const id = await createWebhook();
    const webhooks: WebhookStore = createWebhookStore(createModels(b.connection).webhooks);
    const [read, resumed] = [gate(), gate()];
    const consumer = createDeliveryConsumer({
      webhooks: {
        ...webhooks,
        async ofApps(appIds) {
          const found = await webhooks.ofApps(appIds);
          read.open();
          await resumed.opened;
          return found;
        },
      },
      deliveries: createDeliveryStore(b.db.collection<StoredDelivery>('deliveries')),
      dispatcher: { notify: () => undefined },
      evaluate: async () => new Map(),
    });
    const event: RecordEvent = {
      id: v7(),
      type: 'user.created',
      appId,
      recordId: new UUID(),
      at: new Date(),
      revision: 1,
    };
    const consumed = consumer.consume([event]);
    await read.opened;
    await operator.delete(`/auth/webhooks/${id}`).expect(200);
    resumed.open();
    await consumed;
    expect(await countOf(id)).toBe(1);
    await untilSwept(id);
  });

  it('keeps no result of an attempt that was in flight', { tags: 'long' }, async () => {
    const answered = gate();
    receiver.answer = () => ({ body: 'zebulon@example.com', after: answered.opened });
    const id = await createWebhook();
    await submit('zebulon@example.com');
    await receiver.until(1);
    await operator.delete(`/auth/webhooks/${id}`).expect(200);
    expect(await countOf(id)).toBe(0);
    const before = await attempts();
    answered.open();
    // Counted after the result was stored.
    await expect.poll(attempts).toBe(before + 1);
    expect(await countOf(id)).toBe(0);
    await operator.post('/auth/people/erase', { email: 'zebulon@example.com' }).expect(200);
  });
});

describe('an erasure', () => {
  const WEBHOOK = new UUID().toString();
  const people = { one: 'zebulon1@example.com', two: 'zebulon2@example.com' };

  it.each<[string, (id: UUID) => Promise<unknown>]>([
    ['of one record', (id) => operator.delete(`/auth/users/${id}`).expect(200)],
    ['by a query', () => operator.delete(`/auth/users?where=email:eq:${people.one}&confirm=1`).expect(200)],
    ['of a person', () => operator.post('/auth/people/erase', { email: people.one }).expect(200)],
    ['for age', () => operator.put(`/auth/apps/${app.sourceAppId}/retention`, { days: 1, basis: 'createdAt' })],
  ])('%s forgets the deliveries of an app that nobody listens to', { tags: 'long' }, async (kind, erase) => {
    const [one, two] = [await submit(people.one), await submit(people.two)];
    let old = one;
    if (kind === 'for age') {
      // An id that is old enough.
      old = new UUID(v7({ msecs: Date.now() - 3 * DAY_MS }));
      const users = a.db.collection<{ _id: UUID }>('users');
      const record = await users.findOneAndDelete({ _id: one });
      await users.insertOne({ ...record, _id: old, createdAt: new Date(Date.now() - 3 * DAY_MS) } as never);
    }
    await seed(WEBHOOK, [...Array.from({ length: 1_500 }, () => old), two]);
    await erase(old);
    await expect.poll(() => collection().countDocuments({ recordId: old })).toBe(0);
    expect(await collection().countDocuments({ recordId: two })).toBe(1);
    await expect.poll(() => a.db.collection('erasures').countDocuments({})).toBe(0);
    await operator.post('/auth/people/erase', { email: people.two }).expect(200);
  });

  it('that is cut short after the deletion of the record is finished by another server', async () => {
    const id = await submit(people.one);
    await seed(WEBHOOK, [id]);
    const store = createDeliveryStore(collection());
    const killed = new Error('the process ends');
    const erase = createRecordEraser({
      users: a.db.collection('users') as never,
      erasures: a.db.collection('erasures') as never,
      newId: createOrderedIds(),
      hasConsumers: async () => false,
      traces: [{ exist: store.names, remove: () => Promise.reject(killed) }],
      guardOfErased: () => async () => new Date(),
      onEvents: () => undefined,
    });
    await expect(erase(appId, [id])).rejects.toBe(killed);
    await expect.poll(() => collection().countDocuments({ recordId: id })).toBe(0);
    await expect.poll(() => a.db.collection('erasures').countDocuments({})).toBe(0);
  });

  it('keeps no answer about a deleted record', { tags: 'long' }, async () => {
    await createWebhook();
    await submit('zebulon@example.com');
    const answers = () => collection().countDocuments({ 'log.response': /zebulon/ });
    await expect.poll(answers).toBe(1);
    const { body } = await operator.post('/auth/people/export', { email: 'zebulon@example.com' }).expect(200);
    expect(body.entries).toContainEqual({
      kind: 'delivery',
      sourceAppId: app.sourceAppId,
      id: expect.any(String),
      type: 'user.created',
      at: expect.any(String),
      state: 'delivered',
      record: expect.any(String),
      attempts: [
        { at: expect.any(String), ms: expect.any(Number), status: 200, response: 'Thank you, zebulon@example.com' },
      ],
    });
    await operator.post('/auth/people/erase', { email: 'zebulon@example.com' }).expect(200);
    const erased = () => collection().findOne({ appId, type: 'user.erased', state: 'delivered' });
    await expect.poll(erased).toMatchObject({ log: [{ status: 200 }] });
    await expectNothingOfPerson();
  });
});
