import type { Connection, mongo, Types } from 'mongoose';
import { type Collection, createModel, type Model, Schema } from '../database/collections.ts';
import { EVENT_TYPES, type EventType } from '../users/outbox/outbox.ts';

/** A key with which deliveries are signed. */
export interface WebhookSecret {
  /** `whsec_` and the key in base64. */
  secret: string;
  /** When it signs no longer, after it was replaced. Absent: it is the current one. */
  until?: Date;
}

/** Why no delivery is made: an operator switched it off, it answered 410, or it failed too long. */
export type DisabledReason = 'operator' | 'gone' | 'failing';

/** An address that gets the events of an app (spec 4.11). */
export interface WebhookDocument {
  _id: mongo.UUID;
  appId: Types.ObjectId;
  sourceAppId: string;
  url: string;
  events: EventType[];
  /** The current secret first. */
  secrets: WebhookSecret[];
  createdAt: Date;
  disabled?: { reason: DisabledReason; at: Date };
  /** When the first of the failures since the last success happened. */
  failingSince?: Date;
}

/**
 * - `waiting`: an attempt follows at `nextAt`;
 * - `delivered`: the endpoint answered 2xx;
 * - `failed`: no attempt follows.
 */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One attempt to deliver. */
export interface Attempt {
  at: Date;
  /** How long it took, in milliseconds. */
  ms: number;
  /** The HTTP status, if the endpoint answered. */
  status?: number;
  /** Why there is no status. */
  error?: string;
  /** The beginning of the answer. */
  response?: string;
}

/**
 * The delivery of one event to one webhook. It has no values of the record: the body of an attempt
 * is made from the record as it is then (decision 23).
 */
export interface DeliveryDocument {
  /** The ids of event and webhook, joined by a colon. In the order of the events. */
  _id: string;
  webhookId: mongo.UUID;
  appId: Types.ObjectId;
  recordId: mongo.UUID;
  type: EventType;
  revision: number;
  changed?: string[];
  /** When the event happened. */
  at: Date;
  state: DeliveryState;
  /** The number of attempts since it was created or replayed. */
  attempts: number;
  /** The last attempts, oldest first. */
  log: Attempt[];
  /** The earliest time of the next attempt, while it waits. */
  nextAt?: Date;
  expiresAt: Date;
}

/**
 * A webhook that is or was deleted. It outlives the webhook, so that a deletion that was cut short
 * is finished, and deliveries that a stalled server stores afterwards are removed.
 */
export interface DeletedWebhookDocument {
  /** The id of the webhook. */
  _id: mongo.UUID;
  appId: Types.ObjectId;
  /** By MongoDB's clock. */
  deletedAt: Date;
  /** Whether everything was deleted once. */
  isDone?: boolean;
}

const webhookSchema = new Schema(
  {
    _id: { type: Schema.Types.UUID, required: true },
    appId: { type: Schema.Types.ObjectId, required: true },
    sourceAppId: { type: String, required: true },
    url: { type: String, required: true },
    events: { type: [String], required: true, enum: EVENT_TYPES },
    secrets: { type: [Schema.Types.Mixed], required: true },
    createdAt: { type: Date, required: true },
    disabled: { type: Schema.Types.Mixed },
    failingSince: { type: Date },
  },
  { collection: 'webhooks', versionKey: false },
).index({ appId: 1, _id: 1 });

const deliverySchema = new Schema(
  {
    _id: { type: String, required: true },
    webhookId: { type: Schema.Types.UUID, required: true },
    appId: { type: Schema.Types.ObjectId, required: true },
    recordId: { type: Schema.Types.UUID, required: true },
    type: { type: String, required: true, enum: EVENT_TYPES },
    revision: { type: Number, required: true },
    changed: { type: [String], default: undefined },
    at: { type: Date, required: true },
    state: { type: String, required: true, enum: DELIVERY_STATES },
    attempts: { type: Number, required: true },
    log: { type: [Schema.Types.Mixed], required: true },
    nextAt: { type: Date },
    expiresAt: { type: Date, required: true, expires: 0 },
  },
  { collection: 'deliveries', versionKey: false },
)
  // The next attempts of an endpoint.
  .index({ state: 1, webhookId: 1, nextAt: 1 })
  // The log of an endpoint, newest first, of one state or merged of all.
  .index({ webhookId: 1, state: 1, _id: -1 })
  // The order of the events of a record; what is held of a person.
  .index({ recordId: 1, webhookId: 1, state: 1, revision: 1 })
  .index({ appId: 1, _id: -1 });

/** As for apps: longer than any server may be suspended. */
const DELETED_KEPT_SECONDS = 90 * 24 * 60 * 60;

const deletedWebhookSchema = new Schema(
  {
    _id: { type: Schema.Types.UUID, required: true },
    appId: { type: Schema.Types.ObjectId, required: true },
    deletedAt: { type: Date, required: true, expires: DELETED_KEPT_SECONDS },
    isDone: { type: Boolean },
  },
  { collection: 'deleted_webhooks', versionKey: false },
).index({ appId: 1 });

export type WebhookCollection = Collection<WebhookDocument>;
export type DeliveryCollection = Collection<DeliveryDocument>;
export type DeletedWebhookCollection = Collection<DeletedWebhookDocument>;

/** The model of `webhooks`, with its index. */
export const createWebhookModel = (connection: Connection): Model<WebhookDocument> =>
  createModel(connection, 'Webhook', webhookSchema);

/** The model of `deliveries`, with its indexes. */
export const createDeliveryModel = (connection: Connection): Model<DeliveryDocument> =>
  createModel(connection, 'Delivery', deliverySchema);

/** The model of `deleted_webhooks`, with its indexes. */
export const createDeletedWebhookModel = (connection: Connection): Model<DeletedWebhookDocument> =>
  createModel(connection, 'DeletedWebhook', deletedWebhookSchema);
