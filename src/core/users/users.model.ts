import { type Filter, MaxKey, MinKey, ObjectId, type UpdateFilter, UUID } from 'mongodb';
import type { DocumentId } from '../../platform/bson/documents.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { Collection } from '../../platform/database/collections.ts';
import type { Members } from '../../platform/database/members.ts';
import { createModel, type Definition, type Model, schemaOf } from '../../platform/database/mongoose.ts';

/** In order of creation (ordered-ids.ts). */
export type RecordId = UUID;

/** A stored record (spec 2.1). Features add members (record-part.ts). */
export interface UserDocument {
  _id: UUID;
  appId: ObjectId;
  sourceAppId: string;
  email: string;
  data: Record<string, unknown>;
  schemaVersion: number;
  createdAt: Date;
  updatedAt: Date;
  /** The length of each array in `data`: the filter of an upsert cannot compute a length. */
  arraySizes?: Record<string, number>;
  /** An upper bound on the size in bytes (record-limits.ts). Absent in small records. */
  sizeBound?: number;
}

/** Newest first: ids are in order of creation. */
export const NEWEST_FIRST = { appId: 1, _id: -1 } as const;
/** At most one record per app and email (invariant 2). */
export const BY_EMAIL = { appId: 1, email: 1 } as const;

export const CORE_MEMBERS: Record<string, object> = {
  _id: { type: UUID, required: true },
  appId: { type: ObjectId, required: true },
  sourceAppId: { type: String, required: true },
  email: { type: String, required: true },
  data: { type: Object, required: true },
  schemaVersion: { type: Number, required: true },
  createdAt: { type: Date, required: true },
  updatedAt: { type: Date, required: true },
  arraySizes: Object,
  sizeBound: Number,
};

const userSchema = (members: Members) =>
  schemaOf<UserDocument>(members as Definition<UserDocument>, {
    collection: 'users',
    shardKey: BY_EMAIL,
    placement: 'one record for each person of an app',
  })
    .index(BY_EMAIL, { unique: true })
    .index(NEWEST_FIRST);

export type UserCollection = Collection<UserDocument>;
export type RecordFilter = Filter<UserDocument>;
export type RecordUpdate = UpdateFilter<UserDocument>;

/** Matches these records of an app. A write of several records names their emails (shard key). */
export const theseRecords = (
  appId: ObjectId,
  records: readonly { _id: DocumentId; email: string }[],
): RecordFilter => ({
  appId,
  email: { $in: records.map(({ email }) => email) },
  _id: { $in: records.map(({ _id }) => _id) },
});

/**
 * Returns filters, each of one app, that match the records of these emails. One filter of all apps
 * would combine each app with each email, which a router of a sharded cluster does.
 */
export function byAppAndEmail(records: readonly Pick<UserDocument, 'appId' | 'email'>[]): RecordFilter[] {
  const byApp = new Map<string, { appId: ObjectId; email: { $in: string[] } }>();
  for (const { appId, email } of records) {
    const ofApp = byApp.get(appId.toHexString());
    if (ofApp) ofApp.email.$in.push(email);
    else byApp.set(appId.toHexString(), { appId, email: { $in: [email] } });
  }
  return [...byApp.values()];
}

/**
 * Bounds of the index match ids of any type; `$lt` matches only ids of its own type.
 * @param from inclusive; undefined: the newest id @param end exclusive; undefined: after the oldest
 */
export function newestFirst(appId: ObjectId, from?: DocumentId, end?: DocumentId) {
  return {
    hint: NEWEST_FIRST,
    sort: NEWEST_FIRST,
    min: { appId, _id: from ?? new MaxKey() },
    max: { appId, _id: end ?? new MinKey() },
  };
}

/** The model of `users`, with its indexes. @param members also those of parts (record-part.ts) */
export const createUserModel = (connection: Connection, members: Members = CORE_MEMBERS): Model<UserDocument> =>
  createModel(connection, userSchema(members));
