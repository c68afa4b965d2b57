import type { mongo, Types } from 'mongoose';
import type { RecordChange } from '../../fields/compile.ts';
import type { RecordId } from '../../users/record-id.ts';
import type { AppliedKey, UserDocument } from '../../users/users.model.ts';
import type { ChangeSize } from './record-limits.ts';

/** A record holds this many applied keys before they are moved to `applied_keys` (idempotency-keys.ts). */
export const MAX_INLINE_KEYS = 128;

/** What a write carries besides the values of the change, in bytes, roughly. */
const OVERHEAD = 300;

/** One accepted submission, ready to be stored. */
export interface Submission {
  appId: Types.ObjectId;
  sourceAppId: string;
  email: string;
  schemaVersion: number;
  /** The keys of the schema's fields. */
  fieldKeys: readonly string[];
  now: Date;
  change: RecordChange;
  size: ChangeSize;
  /** By how much the change raises the record's `sizeBound` at most, and the largest bound (record-limits.ts). */
  growth: number;
  maxBound: number;
  applied: AppliedKey | undefined;
}

/** What stores a submission, in one atomic step. */
export type RecordWrite = Insert | Upsert;

/** Creates the record, or fails with a duplicate key because the person has one. */
export interface Insert {
  kind: 'insert';
  record: UserDocument;
  creation: Written;
  /** About how large the write is. */
  bytes: number;
}

/**
 * One atomic upsert: it creates the record, changes it, or fails with a duplicate key because its filter does not match
 * the record that exists.
 */
export interface Upsert {
  kind: 'upsert';
  appId: Types.ObjectId;
  email: string;
  filter: mongo.Filter<UserDocument>;
  update: mongo.UpdateFilter<UserDocument>;
  /** The record, when this upsert creates it. */
  creation: Written;
  /** The record that this upsert is bound to: if it changes one, it is this. */
  known: Written | undefined;
  /** About how large the write is. */
  bytes: number;
}

/** The record that a write created or changed. */
export interface Written {
  id: RecordId;
  createdAt: Date;
}

/** What the server knows of the record before it writes. The filter of the upsert makes sure that it still holds. */
export interface RecordView {
  /** The record itself, when an earlier submission returned it. */
  known?: Written | undefined;
  /** The record's `keyEpoch`; for it, `applied_keys` does not hold the submission's key. */
  keyEpoch: number;
  /** The record's exact size was read: its `sizeBound` at that time, and what it becomes by this write. */
  exactBound?: { was: number | undefined; becomes: number };
}

/** What is known of a record that the server has not seen. */
export const UNSEEN: RecordView = { keyEpoch: 0 };

/**
 * The insert that stores a submission of a person without a record. The record is the one that `upsertOf` creates; a
 * property test compares the two.
 */
export function insertOf(submission: Submission, newId: RecordId): Insert {
  const { appId, sourceAppId, email, schemaVersion, now, change, growth, applied } = submission;
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
  };
  return { kind: 'insert', record, creation: { id: newId, createdAt: now }, bytes: bytesOf(submission) };
}

/**
 * The upsert that stores a submission in one atomic step. The filter names the record and every condition of the change:
 * the key was not applied before, the record carries no newer schema version, each array has room, the record stays
 * within its limits. When the record does not match, MongoDB tries to insert a second one, which the unique index
 * refuses: E11000. Only then conflict.ts reads the record to find the reason.
 *
 * With `view.known` the filter also binds to the record's id, so the answer is known without a read. When that record is
 * gone, the upsert creates a new one, or another server's record refuses it (E11000).
 */
export function upsertOf(submission: Submission, newId: RecordId, maxArrayItems: number, view: RecordView): Upsert {
  const { appId, sourceAppId, email, schemaVersion, now, change, growth, applied } = submission;
  const { known, keyEpoch, exactBound } = view;
  const filter: Record<string, unknown> = { appId, email, schemaVersion: { $lte: schemaVersion } };
  // A range, because MongoDB does not cache a plan for an equality on `_id` (docs/performance.md).
  if (known) filter._id = { $gte: known.id, $lte: known.id };
  const set: Record<string, unknown> = { schemaVersion };
  const push: Record<string, unknown> = {};
  const increments: Record<string, number> = {};
  const create: Record<string, unknown> = { _id: newId, sourceAppId, createdAt: now };
  let fields = 0;

  for (const [key, value] of Object.entries(change.set)) {
    set[`data.${key}`] = value;
    // The size is kept for every array, because the key may become an array field later.
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

function bytesOf({ size }: Submission): number {
  return size.set + size.append + OVERHEAD;
}
