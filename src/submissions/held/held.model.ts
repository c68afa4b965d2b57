import type { Connection, mongo, Types } from 'mongoose';
import { type Collection, createModel, type Model, Schema } from '../../database/collections.ts';

/**
 * Why a submission is held: a field that people do not see was filled, or an HTML form came without
 * a solved challenge.
 */
export const HOLD_REASONS = ['honeypot', 'no-proof'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** A valid submission that waits for an operator (spec 4.5). `_id` is a UUID of version 7. */
export interface HeldDocument {
  _id: mongo.UUID;
  appId: Types.ObjectId;
  /** Normalized. */
  email: string;
  /** As it was sent, under the keys of `schemaVersion`. */
  data: Record<string, unknown>;
  reason: HoldReason;
  /** The schema version that it was checked against. */
  schemaVersion: number;
  at: Date;
  expiresAt: Date;
  /** The approximate size of the document, in bytes. */
  size: number;
  /** The URL of the page that sent it. */
  page?: string;
  /** Hashes of the `Idempotency-Key` and of the data that came with it. */
  key?: mongo.Binary;
  content?: mongo.Binary;
}

const heldSchema = new Schema(
  {
    _id: { type: Schema.Types.UUID, required: true },
    appId: { type: Schema.Types.ObjectId, required: true },
    email: { type: String, required: true },
    data: { type: Schema.Types.Mixed, required: true },
    reason: { type: String, required: true, enum: HOLD_REASONS },
    schemaVersion: { type: Number, required: true },
    at: { type: Date, required: true },
    expiresAt: { type: Date, required: true, expires: 0 },
    size: { type: Number, required: true },
    page: { type: String },
    key: { type: Schema.Types.Mixed },
    content: { type: Schema.Types.Mixed },
  },
  { collection: 'held_submissions', versionKey: false, minimize: false },
)
  // The entries of an app, newest first.
  .index({ appId: 1, _id: -1 })
  // The size of an app's queue is summed from the keys of this index.
  .index({ appId: 1, reason: 1, size: 1 })
  // The entries of a person, in any app.
  .index({ email: 1, appId: 1 })
  // A repeat with the same key and email is held once.
  .index({ appId: 1, email: 1, key: 1 }, { unique: true, partialFilterExpression: { key: { $exists: true } } });

export type HeldCollection = Collection<HeldDocument>;

/** The model of `held_submissions`, with its indexes. */
export const createHeldModel = (connection: Connection): Model<HeldDocument> =>
  createModel(connection, 'HeldSubmission', heldSchema);
