import type { mongo, Types } from 'mongoose';
import type { RecordChange } from '../../fields/compile.ts';
import type { PendingRenames } from '../../fields/renames.ts';
import type { SlotWrite } from '../../users/index-slots/slot-writes.ts';
import { MAX_OUTBOX, type OutboxEntry, outboxEntry } from '../../users/outbox/outbox.ts';
import type { RecordId } from '../../users/record-id.ts';
import { unmovedFilter } from '../../users/renames/record-moves.ts';
import type { AppliedKey, ConsentState, UserDocument } from '../../users/users.model.ts';
import { consentChange, type SentConsents, stateAfter } from './consents.ts';
import type { ChangeSize } from './record-limits.ts';

/**
 * The number of applied keys in a record at which they are moved to `applied_keys`
 * (idempotency-keys.ts).
 */
export const MAX_INLINE_KEYS = 128;

/** The approximate size of a write without the values of its change, in bytes. */
const OVERHEAD = 300;

/**
 * A path that cannot exist, because `email` is a text. An upsert with it in `$setOnInsert` changes
 * a record, but fails instead of creating one (`isRefusedCreation`).
 */
const NO_CREATION = 'email.none';

/** An accepted submission: valid against the schema, with every value that its write needs. */
export interface Submission {
  appId: Types.ObjectId;
  sourceAppId: string;
  /** Normalized. */
  email: string;
  /** The version that it was checked against. */
  schemaVersion: number;
  /** The keys of the schema's fields. */
  fieldKeys: readonly string[];
  now: Date;
  change: RecordChange;
  size: ChangeSize;
  /** What it writes to the index slots of the app; undefined when the app has none. */
  slots: readonly SlotWrite[] | undefined;
  /** The most that the change raises the record's `sizeBound`, in bytes (record-limits.ts). */
  growth: number;
  /** The maximum of `sizeBound`, in bytes. */
  maxBound: number;
  /** The idempotency key, if the client sent one. */
  applied: AppliedKey | undefined;
  /** The consent fields that were sent, if the schema has any. */
  consents: SentConsents | undefined;
  /** The renames whose values are being moved, if any. */
  renames?: PendingRenames | undefined;
  /** Whether the write stores an event for consumers of the app (users/outbox). */
  hasConsumers: boolean;
  /** It may change a record but not create one: an app with `maxRecords` has no seat for it. */
  requiresRecord?: boolean;
}

/** The atomic write that stores a submission. */
export type RecordWrite = Insert | Upsert;

/** Creates the record, or fails with a duplicate key because the person has a record. */
export interface Insert {
  kind: 'insert';
  record: UserDocument;
  creation: Written;
  /** The approximate size of the write, in bytes. */
  bytes: number;
}

/**
 * Creates the record, changes it, or fails with a duplicate key because its filter does not match
 * the existing record.
 */
export interface Upsert {
  kind: 'upsert';
  appId: Types.ObjectId;
  email: string;
  filter: mongo.Filter<UserDocument>;
  update: mongo.UpdateFilter<UserDocument>;
  /** The result if this upsert creates the record. */
  creation: Written;
  /** The only record that this upsert can change, if the filter names one. */
  known: Written | undefined;
  /** The approximate size of the write, in bytes. */
  bytes: number;
}

/** The result of a write: the record that it created or changed. */
export interface Written {
  id: RecordId;
  createdAt: Date;
}

/** What the server knows of a record before the write. The filter of the upsert verifies it. */
export interface RecordView {
  /** The cached result of an earlier submission. */
  known?: Written | undefined;
  /** The `keyEpoch` at which `applied_keys` does not hold the submission's key. */
  keyEpoch: number;
  /** The last state of the consent fields; a field that is missing here counts as not given. */
  consents?: ConsentState | undefined;
  /**
   * Set when the exact size was read: the `sizeBound` at that time, and its value after this write.
   */
  exactBound?: { was: number | undefined; becomes: number };
}

/** The view of an uncached record. */
export const UNSEEN: RecordView = { keyEpoch: 0 };

/**
 * Builds the insert that stores a submission of a person without a record. The record equals the
 * one that `upsertOf` creates; a property test compares the two.
 */
export function insertOf(submission: Submission, newId: RecordId): Insert {
  const { appId, sourceAppId, email, schemaVersion, now, change, slots, applied } = submission;
  const consents = submission.consents && consentChange(submission.consents).entries;
  const growth = growthWith(submission, consents);
  const data = { ...change.set, ...change.append };
  const sizes = Object.entries(data).flatMap(([key, value]) => (Array.isArray(value) ? [[key, value.length]] : []));
  const record: UserDocument = {
    _id: newId,
    appId,
    sourceAppId,
    email,
    data,
    schemaVersion,
    createdAt: now,
    updatedAt: now,
    ...(sizes.length > 0 && { arraySizes: Object.fromEntries(sizes) }),
    ...(growth > 0 && { sizeBound: growth }),
    ...(applied && { appliedKeys: [applied] }),
    ...(consents && consents.length > 0 && { consents, consentState: stateAfter(consents) }),
    ...(submission.hasConsumers && { outbox: [eventOf(submission, newId)], eventCount: 1 }),
  };
  // Absent fields too, so that one index serves filters and sorting of all records.
  if (slots) for (const { slot, value = null } of slots) record[slot] = value;
  return { kind: 'insert', record, creation: { id: newId, createdAt: now }, bytes: bytesOf(submission) };
}

/**
 * Builds the upsert that stores a submission in one atomic step (spec 2.4 and 4.1). The filter
 * names the record and every condition of the change: the key was not applied before, the record
 * has no newer schema version, each array has room, the record stays within its limits, and its
 * consents are in the state that the view names. When the record does not match, MongoDB tries to
 * insert a second one, and the unique index refuses it with E11000. Then conflict.ts reads the
 * record to find the reason (decision 3).
 *
 * With `view.known` the filter also names the record's id, so its result is known without a read.
 * When a cached id is stale because the record was erased, the upsert creates a new record, or
 * fails with E11000 because the person has a newer one.
 *
 * @param newId the id of the record if the upsert creates it
 */
export function upsertOf(submission: Submission, newId: RecordId, maxArrayItems: number, view: RecordView): Upsert {
  const { appId, sourceAppId, email, schemaVersion, now, change, slots, applied } = submission;
  const { known, keyEpoch, exactBound } = view;
  const consents = submission.consents && consentChange(submission.consents, view.consents);
  const growth = growthWith(submission, consents?.entries);
  const filter: Record<string, unknown> = { appId, email, schemaVersion: { $lte: schemaVersion } };
  // A range, because MongoDB does not cache a plan for an equality on `_id` (docs/performance.md).
  if (known) filter._id = { $gte: known.id, $lte: known.id };
  // A record is moved before it is changed, so that it never has an old key and the new one.
  if (submission.renames) filter.$nor = [unmovedFilter(submission.renames)];
  const set: Record<string, unknown> = { schemaVersion };
  const push: Record<string, unknown> = {};
  const increments: Record<string, number> = {};
  const create: Record<string, unknown> = { _id: newId, sourceAppId, createdAt: now };
  let fields = 0;

  for (const [key, value] of Object.entries(change.set)) {
    set[`data.${key}`] = value;
    // Every array has a size, because its key may become an array field later.
    if (Array.isArray(value)) set[`arraySizes.${key}`] = value.length;
    fields += 1;
  }
  // `$not $gt` also matches a record without the member.
  for (const [key, items] of Object.entries(change.append)) {
    filter[`arraySizes.${key}`] = { $not: { $gt: maxArrayItems - items.length } };
    push[`data.${key}`] = { $each: items };
    increments[`arraySizes.${key}`] = items.length;
    fields += 1;
  }
  if (slots) {
    for (const { slot, value } of slots) {
      if (value === undefined) create[slot] = null;
      else set[slot] = value;
    }
  }
  if (exactBound) {
    filter.sizeBound = exactBound.was === undefined ? { $exists: false } : exactBound.was;
    set.sizeBound = exactBound.becomes;
  } else if (growth > 0) {
    filter.sizeBound = { $not: { $gt: submission.maxBound - growth } };
    increments.sizeBound = growth;
  }
  if (applied) {
    filter['appliedKeys.key'] = { $ne: applied.key };
    filter[`appliedKeys.${MAX_INLINE_KEYS - 1}`] = { $exists: false };
    filter.keyEpoch = { $not: { $gt: keyEpoch } };
    push.appliedKeys = applied;
  }
  if (fields === 0) create.data = {};
  if (consents) {
    Object.assign(filter, consents.filter);
    if (consents.entries.length > 0) push.consents = { $each: consents.entries };
    for (const [key, state] of Object.entries(stateAfter(consents.entries))) set[`consentState.${key}`] = state;
  }
  if (submission.hasConsumers) {
    filter[`outbox.${MAX_OUTBOX - 1}`] = { $exists: false };
    push.outbox = eventOf(submission, newId);
    increments.eventCount = 1;
  }
  if (submission.requiresRecord || consents?.requiresRecord) create[NO_CREATION] = null;

  const update: Record<string, unknown> = { $set: set, $setOnInsert: create, $max: { updatedAt: now } };
  if (Object.keys(push).length > 0) update.$push = push;
  if (Object.keys(increments).length > 0) update.$inc = increments;
  return {
    kind: 'upsert',
    appId,
    email,
    filter: filter as mongo.Filter<UserDocument>,
    update: update as mongo.UpdateFilter<UserDocument>,
    creation: { id: newId, createdAt: now },
    known,
    bytes: bytesOf(submission),
  };
}

/** The id that a new record would get identifies the event too: it is unique to the submission. */
function eventOf({ now, change }: Submission, newId: RecordId): OutboxEntry {
  return outboxEntry(newId, now, [...Object.keys(change.set), ...Object.keys(change.append)]);
}

/** The most that the change and its appended consents raise `sizeBound`, in bytes. */
function growthWith({ growth, consents }: Submission, appended: readonly unknown[] = []): number {
  return consents && appended.length > 0 ? growth + consents.bytes : growth;
}

function bytesOf({ size, consents }: Submission): number {
  return size.set + size.append + (consents ? consents.bytes : 0) + OVERHEAD;
}
