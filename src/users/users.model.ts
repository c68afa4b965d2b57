import type { Connection, mongo, Types } from 'mongoose';
import { type Collection, createModel, type Model, Schema } from '../database/collections.ts';

/** A submission that was applied under an `Idempotency-Key`: hashes of the key and of the data, and when. */
export interface AppliedKey {
  key: mongo.Binary;
  content: mongo.Binary;
  at: Date;
}

/** A user record as it is stored (spec 2.1). */
export interface UserDocument {
  _id: mongo.UUID;
  appId: Types.ObjectId;
  sourceAppId: string;
  email: string;
  data: Record<string, unknown>;
  schemaVersion: number;
  createdAt: Date;
  updatedAt: Date;
  /** How many items each array field holds: MongoDB cannot ask for a length in the filter of an upsert. */
  arraySizes?: Record<string, number>;
  /** The newest submissions that came with a key, oldest first. Older ones are in `applied_keys`. */
  appliedKeys?: AppliedKey[];
  /** How often keys were moved from `appliedKeys` to `applied_keys` (idempotency-keys.ts). */
  keyEpoch?: number;
  /** Upper bound on what the record takes of its limits, in bytes (record-limits.ts). Absent: it is small. */
  sizeBound?: number;
}

const userSchema = new Schema(
  {
    _id: { type: Schema.Types.UUID, required: true },
    appId: { type: Schema.Types.ObjectId, required: true },
    sourceAppId: { type: String, required: true },
    email: { type: String, required: true },
    data: { type: Schema.Types.Mixed, required: true },
    schemaVersion: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    arraySizes: { type: Schema.Types.Mixed },
    appliedKeys: { type: [Schema.Types.Mixed], default: undefined },
    keyEpoch: { type: Number },
    sizeBound: { type: Number },
  },
  { collection: 'users', versionKey: false, minimize: false },
)
  // One record for each app and email, whatever the concurrency (invariant 2).
  .index({ appId: 1, email: 1 }, { unique: true })
  // An app's records, newest first: ids are in order of creation.
  .index({ appId: 1, _id: -1 });

export type UserCollection = Collection<UserDocument>;

export const createUserModel = (connection: Connection): Model<UserDocument> =>
  createModel(connection, 'User', userSchema);
