import type { Pace } from '../apps/activity.ts';
import type { Config } from '../core/config.ts';
import type { Logger } from '../core/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createRelay, type EventConsumer } from '../records/relay.ts';
import { createDeliveryService } from '../webhooks/deliveries.ts';
import { createDeliveryConsumer } from '../webhooks/delivery-consumer.ts';
import { createDispatcher } from '../webhooks/dispatcher.ts';
import { createEventJob } from '../webhooks/event-job.ts';
import { createRecordReader } from '../webhooks/payload.ts';
import { createSender } from '../webhooks/sender.ts';
import { createWebhookRemoval } from '../webhooks/webhook-removal.ts';
import { createWebhookService } from '../webhooks/webhooks.service.ts';
import type { Models } from './models.ts';
import type { Stores } from './stores.ts';

/** Creates what relays events and delivers them to webhooks. */
export function createWebhooks(deps: {
  config: Pick<Config, 'webhooksAllowPrivate'>;
  models: Models;
  stores: Stores;
  logger: Logger;
  /** Other features that listen to events. */
  otherConsumers: readonly EventConsumer[];
  /** Runs the job of events soon. */
  wake: () => void;
  /** The time of deliveries; another one in tests only. */
  now: (() => number) | undefined;
  metrics: Metrics;
  pace: Pick<Pace, 'rest'>;
}) {
  const { config, models, stores, logger, otherConsumers, wake, now, metrics, pace } = deps;
  const { webhooks, deliveries, deletedWebhooks, consumers, erasures, renames, outboxSignal, newId } = stores;
  const allowPrivate = config.webhooksAllowPrivate;
  const sender = createSender({ allowPrivate });
  const readRecords = createRecordReader(models.users.collection, renames.recent);
  const dispatcher = createDispatcher({ webhooks, deliveries, readRecords, sender, logger, now, metrics });
  const relay = createRelay({
    ...{ users: models.users.collection, erasures: models.erasures.collection },
    consumers: [createDeliveryConsumer({ webhooks, deliveries, dispatcher, now }), ...otherConsumers],
  });
  const removal = createWebhookRemoval({
    ...{ webhooks, deliveries, consumers },
    ...{ deleted: deletedWebhooks, rest: pace.rest },
  });
  return {
    service: createWebhookService({ webhooks, deliveries, consumers, removal, sender, newId, allowPrivate, wake }),
    deliveries: createDeliveryService({ webhooks, deliveries, readRecords, wake }),
    jobs: [createEventJob({ consumers, erasures, relay, dispatcher, stored: outboxSignal }), removal.job],
    async stop(): Promise<void> {
      await dispatcher.stop();
      sender.close();
    },
  };
}
