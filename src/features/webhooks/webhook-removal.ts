import type { RecordId } from '../../core/users/users.model.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import { beginsBefore, type DatabaseClock, type Until } from '../../platform/database/clock.ts';
import { createPassJob } from '../../platform/jobs/pass-job.ts';
import type { AppConsumers } from '../outbox/app-consumers.ts';
import type { DeliveryStore } from './deliveries.model.ts';
import type {
  DeletedWebhookDocument,
  DeletedWebhookModel,
  WebhookModel,
  WebhookOfApp,
  WebhookStore,
} from './webhooks.model.ts';

const EVERY_MS = 60_000;
const BATCH = 200;
/** A removal that begins later may meet a webhook that was restored. */
const VALID_MS = 10_000;

export type WebhookRemoval = ReturnType<typeof createWebhookRemoval>;

/** The stored intent lets the job finish deletions, and delete what a stalled server adds later. */
export function createWebhookRemoval(deps: {
  webhooks: Pick<WebhookStore, 'find' | 'remove'>;
  models: { webhooks: WebhookModel; deleted: DeletedWebhookModel };
  deliveries: Pick<DeliveryStore, 'removeOf' | 'withDeliveries'>;
  consumers: Pick<AppConsumers, 'remove'>;
  clock: Pick<DatabaseClock, 'read'>;
  throttle(begun: number, signal: AbortSignal): Promise<void>;
}) {
  const { webhooks, models, deliveries, consumers, clock, throttle } = deps;
  const { deleted } = models;

  const validUntil = async (): Promise<Date> => new Date((await clock.read()).getTime() + VALID_MS);

  /** Deletes the deliveries of a webhook that is gone. */
  const removeDeliveries = (of: WebhookOfApp): Promise<number> =>
    deliveries.removeOf(of, async () => {
      const until = await validUntil();
      if (await webhooks.find(of.appId, of.webhookId)) throw new Unavailable();
      return until;
    });

  /** @throws {Unavailable} when the intent is gone, or the webhook was not deleted in time */
  async function finish({ _id, appId }: Pick<DeletedWebhookDocument, '_id' | 'appId'>): Promise<void> {
    const before = await validUntil();
    if (!(await deleted.findOne({ _id }))) throw new Unavailable();
    await webhooks.remove(appId, _id, before);
    if (await webhooks.find(appId, _id)) throw new Unavailable();
    await consumers.remove(appId, consumerName(_id), before);
    await removeDeliveries({ appId, webhookId: _id });
    await deleted.updateOne({ _id, ...beginsBefore(before) }, { $set: { isDone: true } });
  }

  /** Ends the intent if a restore has brought the webhook; resolves with whether it has. */
  async function isBack({ _id, appId, deletedAt }: DeletedWebhookDocument): Promise<boolean> {
    if (!(await webhooks.find(appId, _id))) return false;
    await deleted.deleteOne({ _id, deletedAt });
    return true;
  }

  return {
    /**
     * Deletes a webhook, its deliveries and its consumer.
     * @throws {Unavailable} when the time is over; then it stays, or the job deletes it
     */
    async remove({ _id, appId }: Pick<DeletedWebhookDocument, '_id' | 'appId'>, until: Until): Promise<void> {
      // By the collection: a pipeline, because the filter of an upsert may not compare times.
      await models.webhooks.collection
        .aggregate([
          { $match: { _id, appId, ...beginsBefore(await until()) } },
          { $project: { appId: 1, deletedAt: '$$NOW' } },
          { $merge: { into: deleted.collection.collectionName, whenMatched: 'keepExisting' } },
        ])
        .toArray();
      await finish({ _id, appId });
    },

    job: createPassJob<{ after: RecordId | undefined }>({
      name: 'webhook-removal',
      everyMs: EVERY_MS,
      throttle,
      begin: async () => ({ after: undefined }),
      async advance(pass) {
        const filter = pass.after ? { _id: { $gt: pass.after } } : {};
        const found = await deleted.find(filter, { sort: { _id: 1 }, limit: BATCH });
        for (const one of found) if (!one.isDone) await finish(one);
        const ofApps = found.map(({ _id: webhookId, appId }) => ({ webhookId, appId }));
        const late = new Set((await deliveries.withDeliveries(ofApps)).map(String));
        for (const one of found) {
          if (!late.has(String(one._id)) || (await isBack(one))) continue;
          await removeDeliveries({ webhookId: one._id, appId: one.appId });
        }
        pass.after = found.at(-1)?._id;
        return found.length === BATCH;
      },
    }),
  };
}

/** Returns the name of a webhook among the consumers of its app. */
export const consumerName = (_id: RecordId): string => `webhook ${_id}`;
