import type { AppConsumers } from '../apps/app-consumers.ts';
import type { Job } from '../jobs/job-runner.ts';
import { createPassJob } from '../jobs/pass-job.ts';
import type { RecordId } from '../records/record-id.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { DeletedWebhookCollection, DeletedWebhookDocument, WebhookStore } from './webhook-store.ts';

const EVERY_MS = 60_000;
/** The deleted webhooks that one query names. */
const BATCH = 200;

type DeletedWebhookStore = ReturnType<typeof createDeletedWebhookStore>;

/** Reads and writes which webhooks were deleted. */
export function createDeletedWebhookStore(deleted: DeletedWebhookCollection) {
  return {
    /** Notes that a webhook is to be deleted. Idempotent. */
    async add({ _id, appId }: Pick<DeletedWebhookDocument, '_id' | 'appId'>): Promise<void> {
      const update = { $setOnInsert: { appId }, $currentDate: { deletedAt: true as const } };
      await deleted.updateOne({ _id }, update, { upsert: true });
    },

    async setDone(_id: RecordId): Promise<void> {
      await deleted.updateOne({ _id }, { $set: { isDone: true } });
    },

    /** The next deleted webhooks after this id, in the order of their ids. */
    after: (_id: RecordId | undefined): Promise<DeletedWebhookDocument[]> =>
      deleted.find(_id ? { _id: { $gt: _id } } : {}, { sort: { _id: 1 }, limit: BATCH }).toArray(),
  };
}

export type WebhookRemoval = ReturnType<typeof createWebhookRemoval>;

/**
 * Deletes webhooks with their deliveries. The intent is stored first. The job finishes deletions
 * that were cut short, and deletes what a server that had read the webhook before stored later.
 *
 * @param deps.rest called between batches of the job with the time when the last one began
 */
export function createWebhookRemoval(deps: {
  webhooks: Pick<WebhookStore, 'remove'>;
  deleted: DeletedWebhookStore;
  deliveries: Pick<DeliveryStore, 'removeOf' | 'withDeliveries'>;
  consumers: Pick<AppConsumers, 'remove'>;
  rest(begun: number, signal: AbortSignal): Promise<void>;
}) {
  const { webhooks, deleted, deliveries, consumers, rest } = deps;

  async function finish({ _id, appId }: Pick<DeletedWebhookDocument, '_id' | 'appId'>): Promise<void> {
    await webhooks.remove(appId, _id);
    await consumers.remove(appId, consumerName(_id));
    await deliveries.removeOf(_id);
    await deleted.setDone(_id);
  }

  /** Resolves with the last of the next deleted webhooks; undefined at the end. */
  async function sweep(after: RecordId | undefined): Promise<RecordId | undefined> {
    const found = await deleted.after(after);
    for (const one of found) if (!one.isDone) await finish(one);
    for (const late of await deliveries.withDeliveries(found.map(({ _id }) => _id))) await deliveries.removeOf(late);
    return found.length < BATCH ? undefined : found.at(-1)?._id;
  }

  return {
    /** Deletes a webhook, its deliveries and its place among the listeners of its app. */
    async remove(webhook: Pick<DeletedWebhookDocument, '_id' | 'appId'>): Promise<void> {
      await deleted.add(webhook);
      await finish(webhook);
    },

    job: createPassJob<{ after: RecordId | undefined }>({
      name: 'webhook-removal',
      everyMs: EVERY_MS,
      rest,
      begin: () => Promise.resolve({ after: undefined }),
      async advance(pass) {
        pass.after = await sweep(pass.after);
        return pass.after !== undefined;
      },
    }) satisfies Job,
  };
}

/** The name of a webhook among the listeners of its app. */
export const consumerName = (_id: RecordId): string => `webhook ${_id}`;
