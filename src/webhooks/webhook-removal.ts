import type { AppConsumers } from '../apps/app-consumers.ts';
import type { Job } from '../jobs/job-runner.ts';
import { createPassJob } from '../jobs/pass-job.ts';
import type { RecordId } from '../records/record-id.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { DeletedWebhookCollection, DeletedWebhookDocument, WebhookStore } from './webhook-store.ts';

const EVERY_MS = 60_000;
const BATCH = 200;

type DeletedWebhookStore = ReturnType<typeof createDeletedWebhookStore>;

export function createDeletedWebhookStore(deleted: DeletedWebhookCollection) {
  return {
    /** Stores the intent to delete a webhook. Idempotent. */
    async add({ _id, appId }: Pick<DeletedWebhookDocument, '_id' | 'appId'>): Promise<void> {
      const update = { $setOnInsert: { appId }, $currentDate: { deletedAt: true as const } };
      await deleted.updateOne({ _id }, update, { upsert: true });
    },

    async setDone(_id: RecordId): Promise<void> {
      await deleted.updateOne({ _id }, { $set: { isDone: true } });
    },

    /** Resolves with the next deleted webhooks after this id, in the order of ids. */
    after: (_id: RecordId | undefined): Promise<DeletedWebhookDocument[]> =>
      deleted.find(_id ? { _id: { $gt: _id } } : {}, { sort: { _id: 1 }, limit: BATCH }).toArray(),
  };
}

export type WebhookRemoval = ReturnType<typeof createWebhookRemoval>;

/** The stored intent lets the job finish deletions, and delete what a stalled server adds later. */
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
    await deliveries.removeOf({ appId, webhookId: _id });
    await deleted.setDone(_id);
  }

  /** Resolves with the last webhook of the batch; undefined at the end. */
  async function sweep(after: RecordId | undefined): Promise<RecordId | undefined> {
    const found = await deleted.after(after);
    for (const one of found) if (!one.isDone) await finish(one);
    const ofApps = found.map(({ _id: webhookId, appId }) => ({ webhookId, appId }));
    const late = new Set((await deliveries.withDeliveries(ofApps)).map(String));
    for (const one of ofApps) if (late.has(String(one.webhookId))) await deliveries.removeOf(one);
    return found.length < BATCH ? undefined : found.at(-1)?._id;
  }

  return {
    /** Deletes a webhook, its deliveries and its consumer. */
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

/** Returns the name of a webhook among the consumers of its app. */
export const consumerName = (_id: RecordId): string => `webhook ${_id}`;
