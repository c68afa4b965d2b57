import type { EventConsumer } from '../records/outbox.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { WebhookStore } from './webhook-store.ts';

/** Turns events into deliveries to the webhooks of their apps. */
export function createDeliveryConsumer(deps: {
  webhooks: WebhookStore;
  deliveries: DeliveryStore;
  dispatcher: Pick<Dispatcher, 'notify'>;
  now?: (() => number) | undefined;
}): EventConsumer {
  const { webhooks, deliveries, dispatcher, now = Date.now } = deps;
  return {
    async consume(events) {
      const appIds = [...new Map(events.map(({ appId }) => [appId.toHexString(), appId])).values()];
      const active = (await webhooks.ofApps(appIds)).filter(({ disabled }) => !disabled);
      const erased = events.filter(({ type }) => type === 'user.erased').map(({ recordId }) => recordId);
      if (erased.length > 0) await deliveries.forget(erased);
      await deliveries.add(events, active, now());
      dispatcher.notify(active.map(({ _id }) => _id));
    },
  };
}
