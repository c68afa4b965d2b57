import type { Connection, mongo, Types } from 'mongoose';
import type { Scope } from '../api/principal.ts';
import { type Collection, createModel, type Model, Schema } from '../database/collections.ts';

/** The keys of one app at most (spec 8). */
export const MAX_KEYS = 50;

/** One API key (spec 4.8). The key itself is not stored. */
export interface ApiKeyDocument {
  _id: Types.ObjectId;
  appId: Types.ObjectId;
  /**
   * A number below {@link MAX_KEYS} that no other key of the app has: the index bounds the keys.
   */
  place: number;
  /** The SHA-256 of the key. */
  hash: mongo.Binary;
  name: string;
  scopes: Scope[];
  createdAt: Date;
  expiresAt?: Date;
  /** The only networks that may use the key, as `canonicalNetwork` returns them. */
  cidrs?: string[];
  /** May lag by a minute. */
  lastUsedAt?: Date;
  /** The address of that request. */
  lastUsedFrom?: string;
}

const apiKeySchema = new Schema(
  {
    appId: { type: Schema.Types.ObjectId, required: true },
    place: { type: Number, required: true },
    hash: { type: Schema.Types.Mixed, required: true, unique: true },
    name: { type: String, required: true },
    scopes: { type: [String], required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date },
    cidrs: { type: [String], default: undefined },
    lastUsedAt: { type: Date },
    lastUsedFrom: { type: String },
  },
  { collection: 'api_keys', versionKey: false },
).index({ appId: 1, place: 1 }, { unique: true });

export type ApiKeyCollection = Collection<ApiKeyDocument>;

/** The model of `api_keys`, with its indexes. */
export const createApiKeyModel = (connection: Connection): Model<ApiKeyDocument> =>
  createModel(connection, 'ApiKey', apiKeySchema);
