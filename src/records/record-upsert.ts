import type { ObjectId } from 'mongodb';
import { notAfterEpoch } from '../apps/index-slots.ts';
import type { RecordChange } from '../fields/compile.ts';
import { type ConsentChange, consentChange, onlyWithdraws, stateAfter } from './consents.ts';
import { MAX_OUTBOX } from './outbox.ts';
import {
  type AppliedKey,
  type ConsentEntry,
  type ConsentState,
  type OutboxEntry,
  type RecordFilter,
  type RecordUpdate,
  recordUpdate,
  type UserDocument,
} from './record.ts';
import type { RecordId } from './record-id.ts';
import { unmovedFilter } from './record-moves.ts';
import type { SlotWrite } from './slot-records.ts';
import { buildEvent, estimateBytes, growthWith, type Submission, type Written } from './submission.ts';

/** Creates the record, or fails with a duplicate key because the person has a record. */
export interface Insert {
  kind: 'insert';
  record: UserDocument;
  creation: Written;
  /** The approximate size of the write, in bytes. */
  bytes: number;
}

/**
 * Builds the insert that stores a submission of a person without a record. The record equals the
 * one that `buildUpsert` creates; a property test compares the two.
 */
export function buildInsert(submission: Submission, newId: RecordId): Insert {
  const { appId, sourceAppId, email, schemaVersion, now, change, slots, slotEpoch, applied } = submission;
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
    ...(slotEpoch !== undefined && { slotEpoch }),
    ...(applied && { appliedKeys: [applied] }),
    ...(consents && consents.length > 0 && { consents, consentState: stateAfter(consents) }),
    ...(submission.hasConsumers && { outbox: [buildEvent(submission, newId)], eventCount: 1 }),
  };
  // Absent fields too, so that one index serves filters and sorting of all records.
  if (slots) for (const { slot, value = null } of slots) record[slot] = value;
  return { kind: 'insert', record, creation: { id: newId, createdAt: now }, bytes: estimateBytes(submission) };
}

/**
 * The number of applied keys in a record at which they are moved to `applied_keys`
 * (idempotency-keys.ts).
 */
export const MAX_INLINE_KEYS = 128;

/**
 * A path that cannot exist, because `email` is a text. An upsert with it in `$setOnInsert` changes
 * a record, but fails instead of creating one (`isRefusedCreation`).
 */
const NO_CREATION = 'email.none';

/**
 * Creates the record, changes it, or fails with a duplicate key because its filter does not match
 * the existing record.
 */
export interface Upsert {
  kind: 'upsert';
  appId: ObjectId;
  email: string;
  filter: RecordFilter;
  update: RecordUpdate;
  /** The result if this upsert creates the record. */
  creation: Written;
  /** The only record that this upsert can change, if the filter names one. */
  known: Written | undefined;
  /** The approximate size of the write, in bytes. */
  bytes: number;
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
export function buildUpsert(submission: Submission, newId: RecordId, maxArrayItems: number, view: RecordView): Upsert {
  const { appId, sourceAppId, email, schemaVersion, now, slots, slotEpoch, applied } = submission;
  const { known } = view;
  const consents = submission.consents && consentChange(submission.consents, view.consents);
  const filter: Filter = { appId, email, schemaVersion: { $lte: schemaVersion } };
  // A range, because MongoDB does not cache a plan for an equality on `_id` (decision 36).
  if (known) filter._id = { $gte: known.id, $lte: known.id };
  // A record is moved before it is changed, so that it never has an old key and the new one.
  if (submission.renames) filter.$nor = [unmovedFilter(submission.renames)];
  const update: Update = {
    $set: { schemaVersion },
    $setOnInsert: { _id: newId, sourceAppId, createdAt: now },
    $max: { updatedAt: now },
  };
  addChange(filter, update, submission.change, maxArrayItems);
  if (slots) addSlots(update, slots);
  if (slotEpoch !== undefined) {
    // Also without slots: those of the record may belong to a use that began later.
    Object.assign(filter, notAfterEpoch(slotEpoch));
    update.$set.slotEpoch = slotEpoch;
  }
  addSize(filter, update, submission, view.exactBound, consents?.entries);
  if (applied) addKey(filter, update, applied, view.keyEpoch);
  if (consents) addConsents(filter, update, consents);
  if (submission.hasConsumers) addEvent(filter, update, buildEvent(submission, newId));
  if (submission.requiresRecord || consents?.requiresRecord) update.$setOnInsert[NO_CREATION] = null;
  return {
    kind: 'upsert',
    appId,
    email,
    filter,
    update: recordUpdate(update),
    creation: { id: newId, createdAt: now },
    known,
    bytes: estimateBytes(submission),
  };
}

/** The filter of an upsert while it is built. */
type Filter = RecordFilter & Record<string, unknown>;

/** The update of an upsert while it is built. An operator without members is left out. */
interface Update {
  $set: Record<string, unknown>;
  $setOnInsert: Record<string, unknown>;
  $max: { updatedAt: Date };
  $push?: Record<string, unknown>;
  $inc?: Record<string, number>;
}

function push(update: Update, path: string, value: unknown): void {
  update.$push ??= {};
  update.$push[path] = value;
}

function increment(update: Update, path: string, by: number): void {
  update.$inc ??= {};
  update.$inc[path] = by;
}

/** Sets the values of the change and appends its items, if each array has room for them. */
function addChange(filter: Filter, update: Update, change: RecordChange, maxArrayItems: number): void {
  let fields = 0;
  for (const [key, value] of Object.entries(change.set)) {
    update.$set[`data.${key}`] = value;
    // Every array has a size, because its key may become an array field later.
    if (Array.isArray(value)) update.$set[`arraySizes.${key}`] = value.length;
    fields += 1;
  }
  for (const [key, items] of Object.entries(change.append)) {
    // `$not $gt` also matches a record without the member.
    filter[`arraySizes.${key}`] = { $not: { $gt: maxArrayItems - items.length } };
    push(update, `data.${key}`, { $each: items });
    increment(update, `arraySizes.${key}`, items.length);
    fields += 1;
  }
  if (fields === 0) update.$setOnInsert.data = {};
}

function addSlots(update: Update, slots: readonly SlotWrite[]): void {
  for (const { slot, value } of slots) {
    if (value === undefined) update.$setOnInsert[slot] = null;
    else update.$set[slot] = value;
  }
}

/**
 * Raises `sizeBound` by the growth, up to its maximum, which withdrawals of consents may exceed; or
 * replaces it after the exact size was read.
 */
function addSize(
  filter: Filter,
  update: Update,
  submission: Submission,
  exact: RecordView['exactBound'],
  appended: readonly ConsentEntry[] = [],
): void {
  if (exact) {
    filter.sizeBound = exact.was === undefined ? { $exists: false } : exact.was;
    update.$set.sizeBound = exact.becomes;
    return;
  }
  const growth = growthWith(submission, appended);
  const limited = onlyWithdraws(appended) ? submission.growth : growth;
  if (limited > 0) filter.sizeBound = { $not: { $gt: submission.maxBound - limited } };
  if (growth > 0) increment(update, 'sizeBound', growth);
}

/**
 * Appends the key if it was not applied before, here or in `applied_keys`, and the list has room.
 */
function addKey(filter: Filter, update: Update, applied: AppliedKey, keyEpoch: number): void {
  filter['appliedKeys.key'] = { $ne: applied.key };
  filter[`appliedKeys.${MAX_INLINE_KEYS - 1}`] = { $exists: false };
  filter.keyEpoch = { $not: { $gt: keyEpoch } };
  push(update, 'appliedKeys', applied);
}

function addConsents(filter: Filter, update: Update, consents: ConsentChange): void {
  Object.assign(filter, consents.filter);
  if (consents.entries.length > 0) push(update, 'consents', { $each: consents.entries });
  for (const [key, state] of Object.entries(stateAfter(consents.entries))) update.$set[`consentState.${key}`] = state;
}

function addEvent(filter: Filter, update: Update, event: OutboxEntry): void {
  filter[`outbox.${MAX_OUTBOX - 1}`] = { $exists: false };
  push(update, 'outbox', event);
  increment(update, 'eventCount', 1);
}
