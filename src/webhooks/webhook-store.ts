import type { mongo, Types } from 'mongoose';
import type { AppOwned } from '../apps/app-owned.ts';
import { firstIdAt, type RecordId } from '../users/record-id.ts';
import type { DisabledReason, WebhookCollection, WebhookDocument, WebhookSecret } from './webhooks.model.ts';

/** An endpoint whose attempts all failed for this time is disabled. */
const DISABLED_AFTER_MS = 5 * 24 * 60 * 60 * 1_000;

export type WebhookStore = ReturnType<typeof createWebhookStore>;

/** Reads and writes webhooks (spec 4.11). */
export function createWebhookStore(webhooks: WebhookCollection) {
  /** Disables an endpoint that is as it was read; resolves with whether it was. */
  async function disable(
    { _id, url }: WebhookDocument,
    reason: DisabledReason,
    now: number,
    state: mongo.Filter<WebhookDocument> = {},
  ): Promise<boolean> {
    const filter = { _id, url, disabled: { $exists: false }, ...state };
    const { matchedCount } = await webhooks.updateOne(filter, { $set: { disabled: { reason, at: new Date(now) } } });
    return matchedCount === 1;
  }

  return {
    insert: async (webhook: WebhookDocument): Promise<void> => void (await webhooks.insertOne(webhook)),

    find: async (_id: RecordId): Promise<WebhookDocument | undefined> => (await webhooks.findOne({ _id })) ?? undefined,

    /** Whether an endpoint is disabled or deleted. */
    isOff: async (_id: RecordId): Promise<boolean> => {
      const found = await webhooks.findOne({ _id }, { projection: { disabled: 1 } });
      return !found || found.disabled !== undefined;
    },

    /** Resolves with a webhook of an app, or undefined. */
    ofApp: async (appId: Types.ObjectId, _id: RecordId): Promise<WebhookDocument | undefined> =>
      (await webhooks.findOne({ _id, appId })) ?? undefined,

    /** The webhooks of these apps, oldest first. */
    ofApps: (appIds: readonly Types.ObjectId[]): Promise<WebhookDocument[]> =>
      webhooks
        .find({ appId: { $in: [...appIds] } })
        .sort({ appId: 1, _id: 1 })
        .toArray(),

    /**
     * Changes a webhook and resolves with it, or with undefined when the app has none of this id.
     */
    update: async (
      appId: Types.ObjectId,
      _id: RecordId,
      { set, unset }: { set: Partial<WebhookDocument>; unset: Partial<Record<keyof WebhookDocument, 1>> },
    ): Promise<WebhookDocument | undefined> => {
      const update = {
        ...(Object.keys(set).length > 0 && { $set: set }),
        ...(Object.keys(unset).length > 0 && { $unset: unset as Record<string, 1> }),
      };
      if (Object.keys(update).length === 0) return (await webhooks.findOne({ _id, appId })) ?? undefined;
      return (await webhooks.findOneAndUpdate({ _id, appId }, update, { returnDocument: 'after' })) ?? undefined;
    },

    /**
     * Replaces the secrets. Resolves with false when somebody replaced the current one since it was
     * read.
     */
    replaceSecrets: async (
      appId: Types.ObjectId,
      _id: RecordId,
      [current]: readonly WebhookSecret[],
      secrets: WebhookSecret[],
    ): Promise<boolean> => {
      const filter = { _id, appId, 'secrets.0.secret': current?.secret ?? '' };
      return (await webhooks.updateOne(filter, { $set: { secrets } })).matchedCount === 1;
    },

    remove: async (appId: Types.ObjectId, _id: RecordId): Promise<boolean> =>
      (await webhooks.deleteOne({ _id, appId })).deletedCount === 1,

    /** Notes that a delivery succeeded. */
    async noteSuccess({ _id, failingSince }: WebhookDocument): Promise<void> {
      if (failingSince) await webhooks.updateOne({ _id, failingSince }, { $unset: { failingSince: 1 } });
    },

    /**
     * Notes that a delivery failed, and disables an endpoint that is gone, or that only failed for
     * five days. Resolves with whether it was disabled.
     */
    async noteFailure(webhook: WebhookDocument, isGone: boolean, now: number): Promise<boolean> {
      const { _id, failingSince } = webhook;
      if (isGone) return disable(webhook, 'gone', now);
      if (failingSince) {
        // Not one that an operator enabled again, or that has succeeded since.
        return now - failingSince.getTime() >= DISABLED_AFTER_MS && disable(webhook, 'failing', now, { failingSince });
      }
      await webhooks.updateOne({ _id, failingSince: { $exists: false } }, { $set: { failingSince: new Date(now) } });
      return false;
    },

    removeAll: async (appId: Types.ObjectId, since?: Date): Promise<number> =>
      (await webhooks.deleteMany({ appId, ...(since && { _id: { $gte: firstIdAt(since) } }) })).deletedCount,

    has: async (appId: Types.ObjectId, made: 'before' | 'since', time: Date): Promise<boolean> => {
      const _id = { [made === 'before' ? '$lt' : '$gte']: firstIdAt(time) };
      return (await webhooks.findOne({ appId, _id }, { projection: { _id: 1 } })) !== null;
    },
  } satisfies AppOwned & Record<string, unknown>;
}
