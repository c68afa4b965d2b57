import { type Filter, ObjectId, UUID } from 'mongodb';
import type { RecordId } from '../../core/users/users.model.ts';
import { limitAttempts } from '../../platform/core/attempts.ts';
import type { Connection } from '../../platform/database/client.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { createModel, type DocumentOf, type Model, only, schema } from '../../platform/database/mongoose.ts';
import { parseUuid } from '../../platform/database/ordered-ids.ts';
import type { RemovalGuard } from '../../platform/database/removal.ts';
import type { EventType } from '../outbox/outbox.ts';
import type { PersonData } from '../people/person-data.ts';
import { type StoredConditions, withoutPerson, withoutVersion } from '../record-conditions/stored-conditions.ts';
import { shownUrl, type WebhookFormat } from './formats.ts';

/** Why no delivery is made: an operator disabled it, it answered 410, or it failed too long. */
type DisabledReason = 'operator' | 'gone' | 'failing';

/** `waiting`: an attempt follows at `nextAt`; `failed`: no attempt follows. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * `skipped`: the condition of the webhook did not hold. It is no delivery: it is the decision,
 * which another relay of the event finds, and no list has it.
 */
const STORED_STATES = [...DELIVERY_STATES, 'skipped'] as const;

const secretSchema = schema({
  /** `whsec_` and the key in base64. */
  secret: { type: String, required: true },
  /** The end of its use after a replacement. Absent: it is the current one. */
  until: Date,
});
type WebhookSecret = DocumentOf<typeof secretSchema>;

/** An address that receives the events of an app (spec 4.11). */
const webhookSchema = schema(
  {
    _id: { type: UUID, required: true },
    appId: { type: ObjectId, required: true },
    sourceAppId: { type: String, required: true },
    url: { type: String, required: true },
    events: { type: only<EventType[]>([String]), required: true },
    format: { type: only<WebhookFormat>(String), required: true },
    /** Absent: it gets the events of every record. */
    if: only<StoredConditions>(Object),
    /** The current secret first. */
    secrets: { type: [secretSchema], required: true },
    createdAt: { type: Date, required: true },
    disabled: schema({
      reason: { type: only<DisabledReason>(String), required: true },
      at: { type: Date, required: true },
    }),
    /** The first failure since the last success. */
    failingSince: Date,
  },
  { collection: 'webhooks', placement: 'a few for each app' },
).index({ appId: 1, _id: 1 });
export type WebhookDocument = DocumentOf<typeof webhookSchema>;

/** Matches webhooks that get no event at the moment, without a decision of an operator. */
export const FAILING = {
  $or: [{ failingSince: { $exists: true } }, { 'disabled.reason': { $in: ['gone', 'failing'] } }],
};

/** The next attempts of an endpoint. */
export const NEXT_ATTEMPTS = { state: 1, webhookId: 1, nextAt: 1, recordId: 1 } as const;

/** The order of the events of a record; what is held of a person. */
export const OF_RECORD = { recordId: 1, appId: 1, webhookId: 1, state: 1, revision: 1 } as const;

/** The log of an endpoint, newest first, of one state or merged of all. */
export const LOG_OF_WEBHOOK = { webhookId: 1, state: 1, _id: -1 } as const;

const attemptSchema = schema({
  at: { type: Date, required: true },
  ms: { type: Number, required: true },
  status: Number,
  error: String,
  response: String,
});
export type Attempt = DocumentOf<typeof attemptSchema>;

/** One event for one webhook. It has no values of the record, which is read later (decision 23). */
const deliverySchema = schema(
  {
    /** The ids of event and webhook, joined by a colon. In the order of the events. */
    _id: { type: String, required: true },
    webhookId: { type: UUID, required: true },
    appId: { type: ObjectId, required: true },
    recordId: { type: UUID, required: true },
    type: { type: only<EventType>(String), required: true },
    revision: { type: Number, required: true },
    changed: [String],
    at: { type: Date, required: true },
    state: { type: String, required: true, enum: STORED_STATES },
    /** The attempts since it was created or replayed. */
    attempts: { type: Number, required: true },
    /** The last attempts, oldest first. */
    log: { type: [attemptSchema], required: true },
    nextAt: Date,
    expiresAt: { type: Date, required: true },
  },
  {
    collection: 'deliveries',
    shardKey: { appId: 1, _id: 1 },
    placement: 'one for each event and webhook, kept for 30 days',
  },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index(NEXT_ATTEMPTS)
  .index(LOG_OF_WEBHOOK)
  .index(OF_RECORD)
  .index({ appId: 1, _id: -1 });
/** What is stored of one event for one webhook. */
export type StoredDelivery = DocumentOf<typeof deliverySchema>;

export interface DeliveryDocument extends StoredDelivery {
  state: DeliveryState;
}

export type WebhookOfApp = Pick<DeliveryDocument, 'appId' | 'webhookId'>;

/** As for apps: longer than any server may be suspended. */
const DELETED_KEPT_SECONDS = 90 * 24 * 60 * 60;

/** Outlives the webhook: an interrupted deletion is finished, and late deliveries are removed. */
const deletedWebhookSchema = schema(
  {
    _id: { type: UUID, required: true },
    appId: { type: ObjectId, required: true },
    /** By MongoDB's clock. */
    deletedAt: { type: Date, required: true },
    /** Whether everything was deleted once. */
    isDone: Boolean,
  },
  { collection: 'deleted_webhooks', placement: 'one document for each deleted webhook' },
)
  .index({ deletedAt: 1 }, { expireAfterSeconds: DELETED_KEPT_SECONDS })
  .index({ appId: 1 });
export type DeletedWebhookDocument = DocumentOf<typeof deletedWebhookSchema>;

export type WebhookModel = Model<WebhookDocument>;
export type DeliveryCollection = Collection<StoredDelivery>;
export type DeletedWebhookModel = Model<DeletedWebhookDocument>;

export const createWebhookModel = (connection: Connection): WebhookModel => createModel(connection, webhookSchema);

export const createDeliveryModel = (connection: Connection): Model<StoredDelivery> =>
  createModel(connection, deliverySchema);

export const createDeletedWebhookModel = (connection: Connection): DeletedWebhookModel =>
  createModel(connection, deletedWebhookSchema);

/** When all attempts failed for this time, an endpoint is disabled. */
const DISABLED_AFTER_MS = 5 * 24 * 60 * 60 * 1_000;

/** The webhooks whose conditions name a person by the email (spec 4.6). */
export function createWebhooksOfPerson(
  webhooks: Pick<WebhookStore, 'ofApps' | 'find' | 'replaceConditions'>,
): PersonData {
  async function eraseIn(read: WebhookDocument, email: string, guard: RemovalGuard): Promise<boolean> {
    let webhook: WebhookDocument | undefined = read;
    for (const again = limitAttempts(); ; again()) {
      const kept = webhook?.if && withoutPerson(webhook.if, email);
      if (!webhook || !kept) return false;
      if (await webhooks.replaceConditions(webhook, kept, guard)) return true;
      webhook = await webhooks.find(read.appId, read._id);
    }
  }

  return {
    name: 'conditions',

    async *entriesOf(appIds, email) {
      for (const { _id, appId, if: conditions } of await webhooks.ofApps(appIds)) {
        if (!conditions || !withoutPerson(conditions, email)) continue;
        yield { appId, shown: { kind: 'condition', webhook: _id.toString(), if: withoutVersion(conditions) } };
      }
    },

    /** The webhooks stay, and get the events of no other records than before. */
    async eraseOf(appIds, email, guard) {
      let erased = 0;
      for (const webhook of await webhooks.ofApps(appIds)) if (await eraseIn(webhook, email, guard)) erased += 1;
      return erased;
    },
  };
}

export type WebhookStore = ReturnType<typeof createWebhookStore>;

/** Reads and writes webhooks (spec 4.11). */
export function createWebhookStore(webhooks: WebhookModel) {
  /** Disables an endpoint in the state that was read; resolves with whether it did. */
  async function disable(
    { _id, url }: WebhookDocument,
    reason: DisabledReason,
    now: number,
    state: Filter<WebhookDocument> = {},
  ): Promise<boolean> {
    const filter = { _id, url, disabled: { $exists: false }, ...state };
    const { matchedCount } = await webhooks.updateOne(filter, { $set: { disabled: { reason, at: new Date(now) } } });
    return matchedCount === 1;
  }

  return {
    insert: (webhook: WebhookDocument): Promise<void> => webhooks.insertOne(webhook),

    find: async (appId: ObjectId, _id: RecordId): Promise<WebhookDocument | undefined> =>
      (await webhooks.findOne({ _id, appId })) ?? undefined,

    /** Resolves with whether an endpoint is disabled or deleted. */
    isOff: async (_id: RecordId): Promise<boolean> =>
      (await webhooks.findOne({ _id, disabled: { $exists: false } }, { projection: { _id: 1 } })) === null,

    /** Resolves with the webhooks of these apps, oldest first. */
    ofApps: (appIds: readonly ObjectId[]): Promise<WebhookDocument[]> =>
      webhooks.find({ appId: { $in: [...appIds] } }, { sort: { appId: 1, _id: 1 } }),

    /** Resolves with the shown URL of each webhook that exists, by its id. */
    async named(ids: readonly string[]): Promise<Map<string, string>> {
      const known = ids.flatMap((id) => parseUuid(id) ?? []);
      const found = await webhooks.find({ _id: { $in: known } }, { projection: { url: 1, format: 1 } });
      return new Map(found.map((webhook) => [webhook._id.toString(), shownUrl(webhook)]));
    },

    /**
     * Changes a webhook and resolves with it; undefined when the app does not have it, or when its
     * format changed since it was read.
     */
    update: async (
      { _id, appId, format }: Pick<WebhookDocument, '_id' | 'appId' | 'format'>,
      { set, unset }: { set: Partial<WebhookDocument>; unset: Partial<Record<keyof WebhookDocument, 1>> },
      until: Until,
    ): Promise<WebhookDocument | undefined> => {
      const update = {
        ...(Object.keys(set).length > 0 && { $set: set }),
        ...(Object.keys(unset).length > 0 && { $unset: unset as Record<string, 1> }),
      };
      const filter = { _id, appId, format, ...beginsBefore(await until()) };
      if (Object.keys(update).length === 0) return (await webhooks.findOne(filter)) ?? undefined;
      return (await webhooks.findOneAndUpdate(filter, update, { returnDocument: 'after' })) ?? undefined;
    },

    /** Replaces the conditions as they were read; resolves with false when they changed since. */
    replaceConditions: async (
      { _id, appId, if: read }: WebhookDocument,
      conditions: StoredConditions,
      until: Until,
    ): Promise<boolean> => {
      const filter = { _id, appId, if: read, ...beginsBefore(await until()) } as Filter<WebhookDocument>;
      return (await webhooks.updateOne(filter, { $set: { if: conditions } })).matchedCount === 1;
    },

    /** Replaces the secrets; resolves with false when the current one changed since it was read. */
    replaceSecrets: async (
      appId: ObjectId,
      _id: RecordId,
      [current]: readonly WebhookSecret[],
      secrets: WebhookSecret[],
      until: Until,
    ): Promise<boolean> => {
      const filter = { _id, appId, 'secrets.0.secret': current?.secret ?? '', ...beginsBefore(await until()) };
      return (await webhooks.updateOne(filter, { $set: { secrets } })).matchedCount === 1;
    },

    /** Deletes a webhook, unless the statement begins later by MongoDB's clock. */
    remove: async (appId: ObjectId, _id: RecordId, before: Date): Promise<void> =>
      void (await webhooks.deleteOne({ _id, appId, ...beginsBefore(before) })),

    async noteSuccess({ _id, failingSince }: WebhookDocument): Promise<void> {
      if (failingSince) await webhooks.updateOne({ _id, failingSince }, { $unset: { failingSince: 1 } });
    },

    /** Disables an endpoint that is gone or failed for five days; resolves with whether it did. */
    async noteFailure(webhook: WebhookDocument, isGone: boolean, now: number): Promise<boolean> {
      const { _id, failingSince } = webhook;
      if (isGone) return disable(webhook, 'gone', now);
      if (failingSince) {
        // Unless an operator enabled it again, or a delivery succeeded since.
        return now - failingSince.getTime() >= DISABLED_AFTER_MS && disable(webhook, 'failing', now, { failingSince });
      }
      await webhooks.updateOne({ _id, failingSince: { $exists: false } }, { $set: { failingSince: new Date(now) } });
      return false;
    },
  };
}
