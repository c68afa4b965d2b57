import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import type { Schemas } from '../../core/schemas/schemas.ts';
import type { Config } from '../../platform/core/config.ts';
import type { Logger } from '../../platform/core/logger.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { firstIdAt } from '../../platform/database/ordered-ids.ts';
import { ownedBy } from '../../platform/database/removal.ts';
import type { JobSignal } from '../../platform/jobs/job-runner.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { Pace } from '../activity/activity.ts';
import { createMailApps } from '../notifications/mail-apps.ts';
import type { AppConsumers } from '../outbox/app-consumers.ts';
import type { EventConsumer, RecordEvent } from '../outbox/outbox.ts';
import { numbersByApp } from '../overview/overview-part.ts';
import type { ConditionReader, ConditionRules } from '../record-conditions/record-conditions.service.ts';
import type { RecordTraces } from '../records/erasure.ts';
import type { Records } from '../records/records.ts';
import { createDeliveriesOfPerson, createDeliveryStore, type DeliveryStore } from './deliveries.model.ts';
import { deliveryRoutes } from './deliveries.ts';
import { createDispatcher, type Dispatcher } from './dispatcher.ts';
import { createEventJob, EVENT_JOB } from './event-job.ts';
import { createDeliveryRecords, createFormReader } from './payload.ts';
import { createSender } from './sender.ts';
import { createWebhookRemoval } from './webhook-removal.ts';
import {
  createDeletedWebhookModel,
  createDeliveryModel,
  createWebhookModel,
  createWebhookStore,
  createWebhooksOfPerson,
  FAILING,
  type WebhookDocument,
  type WebhookStore,
} from './webhooks.model.ts';
import { webhookRoutes } from './webhooks.routes.ts';
import { createWebhookService } from './webhooks.service.ts';

/** How long the request that erases a record deletes deliveries; the relay deletes the others. */
const ERASURE_MS = 1_000;
/** The events of other records wait meanwhile. */
const FORGET_MS = 200;

/** Creates the store of deliveries. The erasure of a record deletes those that name it. */
export function createDeliveryStorage(connection: Connection) {
  const model = createDeliveryModel(connection);
  const store = createDeliveryStore(model.collection);
  const traces: RecordTraces = { exist: store.names, remove: (...of) => store.forgetSome(...of, ERASURE_MS) };
  return { model, store, traces };
}

/** Creates the relay of events and their delivery to webhooks. `now`: given in tests only. */
export function createWebhooks(deps: {
  config: Pick<Config, 'publicUrl' | 'webhooksAllowPrivate'>;
  connection: Connection;
  apps: Apps;
  pace: Pace;
  consumers: AppConsumers;
  schemas: Pick<Schemas, 'store'>;
  storage: ReturnType<typeof createDeliveryStorage>;
  records: Records;
  conditionRules: Pick<ConditionRules, 'shown' | 'checked'>;
  conditions: Pick<ConditionReader, 'evaluate'>;
  clock: DatabaseClock;
  otherConsumers: readonly EventConsumer[];
  signal: JobSignal;
  logger: Logger;
  metrics: Metrics;
  now: (() => number) | undefined;
}) {
  const { config, connection, apps, pace, consumers, schemas, storage, records, clock } = deps;
  const { conditionRules, conditions } = deps;
  const { otherConsumers, signal, logger, metrics, now = clock.now } = deps;
  const { reader, newId, outboxSignal } = records;
  const models = {
    webhooks: createWebhookModel(connection),
    deliveries: storage.model,
    deletedWebhooks: createDeletedWebhookModel(connection),
  };
  const webhooks = createWebhookStore(models.webhooks);
  const deliveries = storage.store;
  const wake = (): void => signal.wake(EVENT_JOB);
  const allowPrivate = config.webhooksAllowPrivate;
  const sender = createSender({ allowPrivate });
  const readRecords = createDeliveryRecords(reader);
  const { fieldsOf } = schemas.store;
  const { publicUrl } = config;
  const readForm = createFormReader({ apps: createMailApps(apps.model), fieldsOf, publicUrl });
  const dispatcher = createDispatcher({
    webhooks,
    deliveries,
    readRecords,
    readForm,
    sender,
    clock,
    logger,
    now,
    metrics,
  });
  const { evaluate } = conditions;
  const consumer = createDeliveryConsumer({ webhooks, deliveries, dispatcher, evaluate, now });
  const relay = records.relayTo([consumer, ...otherConsumers]);
  const removal = createWebhookRemoval({
    models: { webhooks: models.webhooks, deleted: models.deletedWebhooks },
    webhooks,
    deliveries,
    consumers,
    clock,
    throttle: pace.throttle,
  });
  const service = createWebhookService({
    webhooks,
    deliveries,
    consumers,
    removal,
    sender,
    readForm,
    fieldsOf,
    conditionRules,
    newId,
    allowPrivate,
    wake,
  });
  const feature: Feature = {
    routes: [...webhookRoutes(service), ...deliveryRoutes({ webhooks, deliveries, readRecords, readForm, wake, now })],
    models: Object.values(models),
    jobs: [
      createEventJob({ consumers, erasures: records.erasureStore, relay, dispatcher, stored: outboxSignal }),
      removal.job,
    ],
    owned: [
      ownedBy(models.webhooks.collection, '_id', { valueAt: firstIdAt }),
      ownedBy(models.deliveries.collection, '_id', { valueAt: (time) => firstIdAt(time).toString() }),
      ownedBy(models.deletedWebhooks.collection, 'deletedAt'),
    ],
    personal: [createDeliveriesOfPerson(reader, deliveries), createWebhooksOfPerson(webhooks)],
    names: { webhooks: webhooks.named },
    overview: { webhooksFailing: (read) => numbersByApp(models.webhooks.collection, read, { where: FAILING }) },
    async stop() {
      await dispatcher.stop();
      sender.close();
    },
  };
  return feature;
}

/** Stores the deliveries of events to the webhooks of their apps. */
export function createDeliveryConsumer(deps: {
  webhooks: WebhookStore;
  deliveries: DeliveryStore;
  dispatcher: Pick<Dispatcher, 'notify'>;
  evaluate: ConditionReader['evaluate'];
  now?: (() => number) | undefined;
}): EventConsumer {
  const { webhooks, deliveries, dispatcher, evaluate, now = Date.now } = deps;

  /** Resolves with a function that says whether the condition of a webhook holds for an event. */
  async function decisions(events: readonly RecordEvent[], active: readonly WebhookDocument[]) {
    const held = new Map<WebhookDocument, (record: string) => boolean | undefined>();
    const asked = active.flatMap((webhook) => (webhook.if ? [{ webhook, if: webhook.if }] : []));
    const appIds = new Map(asked.map(({ webhook: { appId } }) => [appId.toHexString(), appId]));
    for (const appId of appIds.values()) {
      const ofApp = asked.filter(({ webhook }) => webhook.appId.equals(appId));
      const changes = events.filter((event) => event.type !== 'user.erased' && event.appId.equals(appId));
      const ids = new Map(changes.map(({ recordId }) => [recordId.toHexString(), recordId]));
      const conditions = ofApp.map((one) => one.if);
      const results = await evaluate(appId, conditions, [...ids.values()]);
      for (const [place, { webhook }] of ofApp.entries()) held.set(webhook, (record) => results.get(record)?.[place]);
    }
    return ({ type, recordId }: RecordEvent, webhook: WebhookDocument): boolean | undefined => {
      const holds = held.get(webhook);
      // An erasure has no data, and goes to every webhook.
      return holds && type !== 'user.erased' ? holds(recordId.toHexString()) : true;
    };
  }

  return {
    forget: (...of) => deliveries.forgetSome(...of, FORGET_MS),

    async consume(events) {
      const appIds = [...new Map(events.map(({ appId }) => [appId.toHexString(), appId])).values()];
      const active = (await webhooks.ofApps(appIds)).filter(({ disabled }) => !disabled);
      await deliveries.add(events, active, now(), await decisions(events, active));
      dispatcher.notify(active);
    },
  };
}
