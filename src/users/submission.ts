import { createHash } from 'node:crypto';
import { mongo, type Types } from 'mongoose';
import type { RecordChange } from '../fields/compile.ts';
import type { RecordId } from './record-id.ts';
import type { AppliedKey, UserDocument } from './users.model.ts';

/** How many keys a record remembers: a client that repeats does so soon, not after twenty other submissions of the same person. */
const KEPT_KEYS = 20;
const HASH_BYTES = 16;

/** One accepted submission, ready to be stored. */
export interface Submission {
  appId: Types.ObjectId;
  sourceAppId: string;
  email: string;
  schemaVersion: number;
  now: Date;
  change: RecordChange;
  applied: AppliedKey | undefined;
}

/** What stores a submission, in one atomic step. */
export type RecordWrite = Insert | Upsert;

/** Creates the record, or fails with a duplicate key because the person has one. */
export interface Insert {
  kind: 'insert';
  record: UserDocument;
  creation: Written;
}

/** One atomic upsert: it creates the record, changes it, or fails with a duplicate key because its filter refused the record that exists. */
export interface Upsert {
  kind: 'upsert';
  appId: Types.ObjectId;
  email: string;
  filter: mongo.Filter<UserDocument>;
  update: mongo.UpdateFilter<UserDocument>;
  /** What the record will be when this upsert creates it. */
  creation: Written;
  /** The record that this upsert is bound to: if it changes one, it is this. */
  known: Written | undefined;
}

/** The record that an upsert created or changed. */
export interface Written {
  id: RecordId;
  createdAt: Date;
}

/**
 * The insert that stores a submission of somebody who has no record. The record is the one that the upsert below would create; a test holds the two against each other.
 */
export function insertOf(submission: Submission, newId: RecordId): Insert {
  const { appId, sourceAppId, email, schemaVersion, now, change, applied } = submission;
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
    ...(applied && { appliedKeys: [applied] }),
  };
  return { kind: 'insert', record, creation: { id: newId, createdAt: now } };
}

/**
 * The upsert that stores a submission in one atomic step (DESIGN section 3, invariants 2 and 3). The filter names the record and everything that
 * must hold for the change to be right: the key was not applied before, the record carries no newer schema version, each
 * array has room. A record that does not match makes MongoDB try to insert a second one, which the unique index refuses: E11000. Why is found out after that,
 * in submission-conflict.ts.
 *
 * @param known the record, where an earlier submission told its id: the filter then binds to that, and what it changes is that record, so the answer is known without a look.
 * Should that record be gone, the upsert creates a new one, or is refused by the one that another server made (E11000).
 */
export function upsertOf(submission: Submission, newId: RecordId, maxArrayItems: number, known?: Written): Upsert {
  const { appId, sourceAppId, email, schemaVersion, now, change, applied } = submission;
  const filter: Record<string, unknown> = { appId, email, schemaVersion: { $lte: schemaVersion } };
  // As a range: with an equality on `_id` MongoDB sees one plan only, keeps no such plan in its cache and plans anew for each (docs/performance.md).
  if (known) filter._id = { $gte: known.id, $lte: known.id };
  const set: Record<string, unknown> = { schemaVersion };
  const push: Record<string, unknown> = {};
  const sizes: Record<string, number> = {};
  const create: Record<string, unknown> = { _id: newId, sourceAppId, createdAt: now };
  let fields = 0;

  for (const [key, value] of Object.entries(change.set)) {
    set[`data.${key}`] = value;
    // An array under a key that is no array field now may be one later: its size must be known then.
    if (Array.isArray(value)) set[`arraySizes.${key}`] = value.length;
    fields += 1;
  }
  for (const [key, items] of Object.entries(change.append)) {
    // `$not $gt` also matches a record that has no such array yet.
    filter[`arraySizes.${key}`] = { $not: { $gt: maxArrayItems - items.length } };
    push[`data.${key}`] = { $each: items };
    sizes[`arraySizes.${key}`] = items.length;
    fields += 1;
  }
  if (applied) {
    filter['appliedKeys.key'] = { $ne: applied.key };
    push.appliedKeys = { $each: [applied], $slice: -KEPT_KEYS };
  }
  if (fields === 0) create.data = {};

  const update: Record<string, unknown> = { $set: set, $setOnInsert: create, $max: { updatedAt: now } };
  if (Object.keys(push).length > 0) update.$push = push;
  if (Object.keys(sizes).length > 0) update.$inc = sizes;
  return {
    kind: 'upsert',
    appId,
    email,
    filter: filter as mongo.Filter<UserDocument>,
    update: update as mongo.UpdateFilter<UserDocument>,
    creation: { id: newId, createdAt: now },
    known,
  };
}

/** What a record remembers of a submission with an `Idempotency-Key`: hashes, so that the record stays small whatever the client sends. */
export function appliedKey(key: string, data: Record<string, unknown>): AppliedKey {
  return { key: digest(key), content: digest(JSON.stringify(data)) };
}

function digest(text: string): mongo.Binary {
  return new mongo.Binary(createHash('sha256').update(text).digest().subarray(0, HASH_BYTES));
}
