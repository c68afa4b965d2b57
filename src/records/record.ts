import { type Binary, type Filter, MaxKey, MinKey, type ObjectId, type UpdateFilter, type UUID } from 'mongodb';
import type { SlotName } from '../apps/index-slots.ts';
import type { DocumentId } from '../database/bson/documents.ts';
import type { Connection } from '../database/client.ts';
import { type Collection, createModel, declareCollection, type Model } from '../database/collections.ts';
import type { IndexValue } from '../fields/base/kind.ts';
import type { RecordId } from './record-id.ts';

/**
 * A submission that was applied under an `Idempotency-Key`: hashes of the key and of the data, and
 * the time.
 */
export interface AppliedKey {
  key: Binary;
  content: Binary;
  at: Date;
}

/** One change of a consent (spec 2.8). */
export interface ConsentEntry {
  /** The key of the consent field. */
  key: string;
  /** True when the consent was given, false when it was withdrawn. */
  given: boolean;
  /** The time of the submission. */
  at: Date;
  /** The version of the text that the schema named at that time. */
  version: string;
  schemaVersion: number;
  label: string;
  /** The URL of the page, without query and fragment. */
  page?: string;
}

/**
 * The last recorded state of each consent field, by key: the version that was given, or false after
 * a withdrawal.
 */
export type ConsentState = Record<string, string | false>;

/** A confirmation email of a record: the event that caused it, and when it may be sent. */
export interface ConfirmationMail {
  event: string;
  at: Date;
}

/**
 * The last import that created or changed a record, the line that did, and what it did. A line that
 * finds its own mark was applied before (src/imports).
 */
export interface LineMark {
  id: ObjectId;
  line: number;
  result: 'created' | 'updated';
}

/** What imports keep in a record. An update by an import requires that it has not changed. */
interface ImportMark extends Partial<LineMark> {
  /** Set by a run that took an import over, so that no update of the run before matches. */
  fence?: ObjectId;
}

/**
 * An event of a record that has a consumer. The write that it tells of stores it in the record, so
 * that both are committed, or neither (decision 23).
 */
export interface OutboxEntry {
  /** The id of the event. It is the id of the record if the write created the record. */
  id: RecordId;
  at: Date;
  /** The paths that the write changed. */
  changed: string[];
}

/**
 * A stored user record (spec 2.1). The optional members but `consents` and `confirmedAt` are
 * internal; no response contains them.
 */
export interface UserDocument extends Partial<Record<SlotName, IndexValue>> {
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
  /** The newest submissions with a key, oldest first. Older ones are in `applied_keys`. */
  appliedKeys?: AppliedKey[];
  /** The number of moves from `appliedKeys` to `applied_keys` (idempotency-keys.ts). */
  keyEpoch?: number;
  /** An upper bound on the counted size, in bytes (record-limits.ts). Absent in small records. */
  sizeBound?: number;
  /** The changes of consents in the order in which they were stored. Absent before the first. */
  consents?: ConsentEntry[];
  /** The result of `consents`: the filter of an upsert cannot search for the last entry. */
  consentState?: ConsentState;
  /** When the person confirmed the email address (spec 4.12). */
  confirmedAt?: Date;
  /** The confirmation emails of a record that is not confirmed (notifications/confirmation). */
  confirmation?: { mails: ConfirmationMail[] };
  import?: ImportMark;
  /**
   * The highest epoch of the app's slots under which the record was written (decision 21). A write
   * of a lower one is refused.
   */
  slotEpoch?: number;
  /** Events that consumers have not got yet, in their order (outbox.ts). */
  outbox?: OutboxEntry[];
  /** The number of events of the record so far. */
  eventCount?: number;
}

/** The index on the records of an app, newest first: ids are in order of creation. */
export const NEWEST_FIRST = { appId: 1, _id: -1 } as const;
/** The index on the email: at most one record per app and email (invariant 2). */
export const BY_EMAIL = { appId: 1, email: 1 } as const;

const USERS = declareCollection('users').index(BY_EMAIL, { unique: true }).index(NEWEST_FIRST);

export type UserCollection = Collection<UserDocument>;
export type RecordFilter = Filter<UserDocument>;
export type RecordUpdate = UpdateFilter<UserDocument>;

type Operator = '$set' | '$setOnInsert' | '$unset' | '$max' | '$inc' | '$push' | '$pull';

/** An update of a record with computed paths, such as `data.<key>`, which the types refuse. */
export const recordUpdate = (update: { [Name in Operator]?: Readonly<Record<string, unknown>> }): RecordUpdate =>
  update as RecordUpdate;

/** Joins filters; an empty one has no effect. */
export function allOf(...filters: readonly RecordFilter[]): RecordFilter {
  const conditions = filters.filter((filter) => Object.keys(filter).length > 0);
  if (conditions.length <= 1) return conditions[0] ?? {};
  return { $and: conditions } as RecordFilter;
}

/**
 * Returns the options of a `find` for the records of an app, newest first, with ids of any type.
 * These are bounds of the index, because `$lt` finds only ids of the type that it names.
 *
 * @param from the first id, which is included; undefined: the newest one
 * @param end the id at which the result ends, which is excluded; undefined: after the oldest one
 */
export function newestFirst(appId: ObjectId, from?: DocumentId, end?: DocumentId) {
  return {
    ...{ hint: NEWEST_FIRST, sort: NEWEST_FIRST },
    min: { appId, _id: from ?? new MaxKey() },
    max: { appId, _id: end ?? new MinKey() },
  };
}

/** The model of `users`, with its indexes. */
export const createUserModel = (connection: Connection): Model<UserDocument> => createModel(connection, USERS);
