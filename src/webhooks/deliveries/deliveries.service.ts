import type { ScopedApp } from '../../apps/app-scope.ts';
import { NotFound } from '../../core/errors.ts';
import type { Message } from '../sending/sender.ts';
import type { WebhookStore } from '../webhook-store.ts';
import type { DeliveryDocument, DeliveryState, WebhookDocument } from '../webhooks.model.ts';
import { findWebhook } from '../webhooks.service.ts';
import { messageOf } from './attempts.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { bodyOf, type RecordReader } from './payload.ts';

/** The most deliveries that one request replays. */
const MAX_REPLAYED = 100_000;

/** A delivery with what would be sent now; undefined: the record is gone. */
export interface DeliveryDetails {
  delivery: DeliveryDocument;
  request: Message | undefined;
}

export type DeliveryService = ReturnType<typeof createDeliveryService>;

/** What operators do with deliveries (spec 4.11). */
export function createDeliveryService(deps: {
  webhooks: Pick<WebhookStore, 'ofApp'>;
  deliveries: DeliveryStore;
  readRecords: RecordReader;
  /** Makes this server look for work soon. */
  wake: () => void;
}) {
  const { webhooks, deliveries, readRecords, wake } = deps;
  return {
    /** Resolves with a page of deliveries, newest first. @throws {NotFound} */
    async page(
      app: ScopedApp,
      id: string,
      page: { limit: number; before?: string | undefined; state?: DeliveryState | undefined },
    ): Promise<DeliveryDocument[]> {
      const { _id } = await findWebhook(webhooks, app, id);
      return deliveries.page(_id, page);
    },

    /** Resolves with one delivery, and with what an attempt would send now. @throws {NotFound} */
    async get(app: ScopedApp, id: string): Promise<DeliveryDetails> {
      const delivery = await deliveries.find(app.id, id);
      if (!delivery) throw notFound();
      const webhook = await webhooks.ofApp(app.id, delivery.webhookId);
      const body = webhook && bodyOf(delivery, webhook, await readRecords.one(delivery));
      const request =
        body === undefined ? undefined : messageOf(webhook as WebhookDocument, delivery, body, new Date());
      return { delivery, request };
    },

    /** Lets a delivery be attempted again, soon. @throws {NotFound} */
    async replay(app: ScopedApp, id: string): Promise<void> {
      if (!(await deliveries.replay(app.id, id, Date.now()))) throw notFound();
      wake();
    },

    /**
     * Lets the deliveries of events since a time be attempted again, the oldest first, at most
     * 100,000; resolves with their number.
     * @throws {NotFound}
     */
    async replaySince(app: ScopedApp, id: string, since: Date): Promise<number> {
      const { _id } = await findWebhook(webhooks, app, id);
      const replayed = await deliveries.replaySince(_id, since, MAX_REPLAYED, Date.now());
      wake();
      return replayed;
    },
  };
}

function notFound(): NotFound {
  return new NotFound('Delivery not found');
}
