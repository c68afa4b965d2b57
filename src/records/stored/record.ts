import {
  Binary,
  type Document,
  type Filter,
  type FindOptions,
  MaxKey,
  MinKey,
  MongoBulkWriteError,
  ObjectId,
  type UpdateFilter,
  UUID,
} from 'mongodb';
import type { SlotName } from '../../apps/index-slots.ts';
import type { IndexValue } from '../../fields/base/index-value.ts';
import type { DocumentId } from '../../platform/bson/documents.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import type { Members } from '../../platform/database/members.ts';
import {
  createModel,
  type Definition,
  type DocumentOf,
  Mixed,
  type Model,
  only,
  schema,
  schemaOf,
} from '../../platform/database/mongoose.ts';

/** A submission with an `Idempotency-Key`: hashes of the key and of the data, and the time. */
export const appliedKeySchema = schema(
  {
    key: { type: Binary, required: true },
    content: { type: Binary, required: true },
    at: { type: Date, required: true },
    /**
     * The kept submission that is all its submission stores (known-people.ts). The key is applied
     * when that one exists.
     */
    keptAs: UUID,
  },
  { _id: false },
);
export type AppliedKey = DocumentOf<typeof appliedKeySchema>;

/** A confirmation email: the event that caused it, and when it may be sent. */
const confirmationMailSchema = schema(
  {
    event: { type: String, required: true },
    at: { type: Date, required: true },
    /** The language of the person; absent: that of the app. */
    lang: String,
  },
  { _id: false },
);
export type ConfirmationMail = DocumentOf<typeof confirmationMailSchema>;

const confirmationSchema = schema({ mails: { type: [confirmationMailSchema], required: true } }, { _id: false });

/**
 * The last import and line that wrote a record. A line with its own mark was applied before. An
 * update by an import requires that the mark has not changed.
 */
const importMarkSchema = schema(
  {
    id: ObjectId,
    line: Number,
    result: only<'created' | 'updated'>(String),
    /** Set by a run that took the import over: no update of the earlier run matches. */
    fence: ObjectId,
  },
  { _id: false },
);
type ImportMark = DocumentOf<typeof importMarkSchema>;
export type LineMark = Required<Omit<ImportMark, 'fence'>>;

/** The last change of many records that wrote a record, or undid that. As an import mark. */
const changeMarkSchema = schema(
  {
    id: ObjectId,
    undone: Boolean,
    fence: ObjectId,
  },
  { _id: false },
);
export type ChangeMark = DocumentOf<typeof changeMarkSchema>;

/** An event, committed with the write of its change or not at all (decision 23). */
export const eventSchema = schema(
  {
    /** The id of the event: that of the record if the write created the record. */
    id: { type: UUID, required: true },
    at: { type: Date, required: true },
    changed: { type: [String], required: true },
    /** The language of the person who sent the change, if the app has several. */
    lang: String,
    /** It is a submission that the app keeps (kept-submissions.ts). */
    kept: only<true>(Boolean),
    /** The page that sent it, without query and fragment, if known. */
    page: String,
    /** It is a submission to which the app replies (notifications/reply.ts). */
    reply: only<true>(Boolean),
  },
  { _id: false },
);
export type OutboxEntry = DocumentOf<typeof eventSchema>;

/** A changed value. `data.<key>[]`: items of a list; `after` were appended, `before` removed. */
const historyChangeSchema = schema(
  {
    path: { type: String, required: true },
    before: Mixed,
    after: Mixed,
    /** The values were too large to keep. */
    omitted: only<true>(Boolean),
  },
  { _id: false },
);
export type HistoryChange = DocumentOf<typeof historyChangeSchema>;

/**
 * Who changed a record. No member but `kind`: the shared password of the app, the public, or the
 * virus scanner (`scan`), which marked a file.
 */
export const authorSchema = schema(
  {
    kind: { type: only<'submission' | 'edit' | 'import' | 'revert' | 'scan'>(String), required: true },
    /** The ids of an account, an API key, an import and a bulk change. */
    account: String,
    key: String,
    import: String,
    change: String,
    /** The revision that a revert undid. */
    reverted: Number,
  },
  { _id: false },
);
export type HistoryAuthor = DocumentOf<typeof authorSchema>;

/** The paths of a change of a record. */
export const historyEntry = {
  /** Of a submission: the id of its event. */
  id: UUID,
  at: { type: Date, required: true },
  by: { type: authorSchema, required: true },
  /** The schema version whose keys the paths have. */
  version: { type: Number, required: true },
  changes: { type: [historyChangeSchema], required: true },
} as const;

/** One change of a record, committed with its write (decision 47). Its place is its revision. */
export const entrySchema = schema(historyEntry, { _id: false });
export type HistoryEntry = DocumentOf<typeof entrySchema>;

export const historyMoveSchema = schema(
  { token: { type: ObjectId, required: true }, until: { type: Date, required: true } },
  { _id: false },
);

/** The members that a record has whatever its app uses. */
interface CoreRecord {
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
  /** When the person confirmed the email address (spec 4.12). */
  confirmedAt?: Date;
  /** The confirmation emails of an unconfirmed record (notifications/confirmation). */
  confirmation?: DocumentOf<typeof confirmationSchema>;
  import?: ImportMark;
  change?: ChangeMark;
}

/** Those of parts/keys.ts. */
export interface WithKeys {
  /** The newest submissions with a key, oldest first. Others are in `applied_keys`. */
  appliedKeys?: AppliedKey[];
  /** The number of moves from `appliedKeys` to `applied_keys` (idempotency-keys.ts). */
  keyEpoch?: number;
}

/** Those of parts/indexes.ts. */
export interface WithIndexes extends Partial<Record<SlotName, IndexValue>> {
  /** The highest epoch of the app's slots at a write (decision 21). Lower ones are refused. */
  slotEpoch?: number;
  /** The words of the email and of the texts in `data`, and others (word-records.ts). */
  words?: string[];
}

/** Those of parts/outbox.ts. */
export interface WithOutbox {
  /** Events for consumers, in their order (outbox.ts). */
  outbox?: OutboxEntry[];
  eventCount?: number;
}

/** Those of parts/history.ts. */
export interface WithHistory {
  /** The newest entries of the history, oldest first. Others are in `history`. */
  history?: HistoryEntry[];
  /** The number of entries ever made: the revision of the last one. */
  revision?: number;
  /** The size of `history` in bytes. It does not count for the size of the record. */
  historyBytes?: number;
  /** While entries are moved to `history`, no erasure deletes the record. */
  historyMove?: DocumentOf<typeof historyMoveSchema>;
  /** Whether entries were ever moved. */
  movedHistory?: true;
}

/** A stored record. Of the optional members, responses have only `confirmedAt` (spec 2.1). */
export interface UserDocument extends CoreRecord, WithKeys, WithIndexes, WithOutbox, WithHistory {}

/** Newest first: ids are in order of creation. */
export const NEWEST_FIRST = { appId: 1, _id: -1 } as const;
/** At most one record per app and email (invariant 2). */
export const BY_EMAIL = { appId: 1, email: 1 } as const;

export const CORE_MEMBERS: Definition<CoreRecord> = {
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
  confirmedAt: Date,
  confirmation: confirmationSchema,
  import: importMarkSchema,
  change: changeMarkSchema,
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

/** A filter of records with computed members, for folders that do not name the stored record. */
export const recordFilter = typedFilter<UserDocument>;

/** Joins filters; an empty one has no effect. */
export function allOf(...filters: readonly RecordFilter[]): RecordFilter {
  const conditions = filters.filter((filter) => Object.keys(filter).length > 0);
  if (conditions.length <= 1) return conditions[0] ?? {};
  return typedFilter<UserDocument>({ $and: conditions });
}

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

/** Reads the next `limit` records after `from`, newest first. */
export function readNext<Read extends Document>(
  users: UserCollection,
  appId: ObjectId,
  { from, limit }: { from: UUID | undefined; limit: number },
  options: Pick<FindOptions, 'projection' | 'raw'>,
): Promise<Read[]> {
  const next = { appId, ...(from && { _id: { $ne: from } }) };
  return users.find<Read>(next, { ...newestFirst(appId, from), limit, batchSize: limit + 1, ...options }).toArray();
}

/**
 * Updates records as they were read, in one statement. Resolves with whether all were as read, and
 * took their updates. @throws {Unavailable} when it is unknown whether the updates are durable
 */
export async function updateAsRead(
  users: UserCollection,
  updates: readonly { filter: RecordFilter; update: RecordUpdate }[],
): Promise<boolean> {
  try {
    // Without a hint MongoDB compares plans for each write.
    const operations = updates.map(({ filter, update }) => ({ updateOne: { filter, update, hint: BY_EMAIL } }));
    return (await users.bulkWrite(operations, { ordered: false })).matchedCount === operations.length;
  } catch (error) {
    // A stored value has another type since it was read; another attempt reads it again.
    if (!(error instanceof MongoBulkWriteError) || [error.writeErrors].flat().length === 0) throw error;
    if (error.result.getWriteConcernError()) throw new Unavailable();
    return false;
  }
}

/** The model of `users`, with its indexes. @param members also those of parts (record-part.ts) */
export const createUserModel = (connection: Connection, members: Members = CORE_MEMBERS): Model<UserDocument> =>
  createModel(connection, userSchema(members));
