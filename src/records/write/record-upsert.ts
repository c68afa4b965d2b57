import type { ObjectId } from 'mongodb';
import { notAfterEpoch } from '../../apps/index-slots.ts';
import { changing } from '../../platform/database/filters.ts';
import { HAS_ROOM, replacedKeys, type SizedEntry, valuesAre } from '../history/history-entries.ts';
import { HAS_ROOM_FOR_WORDS } from '../indexes/record-words.ts';
import type { SlotWrite } from '../indexes/slot-records.ts';
import { HAS_ROOM_FOR_EVENT } from '../stored/outbox.ts';
import type {
  AppliedKey,
  ConsentEntry,
  ConsentState,
  HistoryEntry,
  OutboxEntry,
  RecordFilter,
  RecordUpdate,
  UserDocument,
} from '../stored/record.ts';
import type { RecordId } from '../stored/record-id.ts';
import { unmovedFilter } from '../stored/record-moves.ts';
import { type ConsentChange, consentChange, onlyWithdraws, stateAfter } from './consents.ts';
import { buildEntry, buildEvent, estimateBytes, growthWith, type Submission, type Written } from './submission.ts';

/** Creates the record, or fails with a duplicate key because the person has a record. */
export interface Insert {
  kind: 'insert';
  record: UserDocument;
  creation: Written;
  /** Approximate. */
  bytes: number;
}

/** The record equals that of `buildUpsert`; a property test compares them. */
export function buildInsert(submission: Submission, newId: RecordId): Insert {
  const { appId, sourceAppId, email, schemaVersion, now, change, slots, words, slotEpoch, applied, entry } = submission;
  const consents = submission.consents && consentChange(submission.consents).entries;
  const growth = growthWith(submission, consents);
  const data = { ...change.set, ...change.append, ...submission.defaults?.values };
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
    ...(words && { words: [...words] }),
    ...(slotEpoch !== undefined && { slotEpoch }),
    ...(applied && { appliedKeys: [applied] }),
    ...(consents && consents.length > 0 && { consents, consentState: stateAfter(consents) }),
    ...(submission.hasConsumers && { outbox: [buildEvent(submission, newId)], eventCount: 1 }),
    ...(entry && { history: [buildEntry(entry, newId)], revision: 1, historyBytes: entry.bytes }),
  };
  // Absent fields too, so that one index serves the filters and the order of all records.
  if (slots) for (const { slot, initial = null, value = initial } of slots) record[slot] = value;
  return { kind: 'insert', record, creation: { id: newId, createdAt: now }, bytes: estimateBytes(submission) };
}

/** With this many keys a record moves them to `applied_keys` (idempotency-keys.ts). */
export const MAX_INLINE_KEYS = 128;

/** In `$setOnInsert`, this impossible path refuses the creation (`isRefusedCreation`). */
const NO_CREATION = 'email.none';

/** Creates or changes the record; a duplicate key means that its filter does not match. */
export interface Upsert {
  kind: 'upsert';
  appId: ObjectId;
  email: string;
  filter: RecordFilter;
  update: RecordUpdate;
  /** The result if this upsert creates the record. */
  creation: Written;
  /** The only record that the filter can match, if it names one. */
  known: Written | undefined;
  /** Approximate. */
  bytes: number;
}

/** The known state of a record before the write. The filter of the upsert verifies it. */
export interface RecordView {
  known?: Written | undefined;
  /** The `keyEpoch` at which `applied_keys` does not hold the submission's key. */
  keyEpoch: number;
  /** The last state of the consent fields; an absent field is not given. */
  consents?: ConsentState | undefined;
  /** The stored values that it removes or resets, and its entry with them; or none. */
  replaced?: { values: Readonly<Record<string, unknown>>; entry: SizedEntry };
  /** The `sizeBound` when the exact size was read, and its value after this write. */
  exactBound?: { was: number | undefined; becomes: number };
}

export const UNSEEN: RecordView = { keyEpoch: 0 };

/**
 * Stores a submission in one atomic step (spec 2.4 and 4.1). When an existing record does not match
 * the filter, MongoDB tries to insert a second one, and the unique index refuses it with E11000;
 * then conflict.ts reads the record to find the reason (decision 3). With `view.known` the filter
 * names the record's id, so the result is known without a read. With the id of an erased record, it
 * creates one or fails with E11000.
 */
export function buildUpsert(submission: Submission, newId: RecordId, maxArrayItems: number, view: RecordView): Upsert {
  const { appId, sourceAppId, email, schemaVersion, now, change, slots, words, slotEpoch, applied } = submission;
  const { known } = view;
  const consents = submission.consents && consentChange(submission.consents, view.consents);
  const filter: Filter = { appId, email, schemaVersion: { $lte: schemaVersion } };
  // A range, because MongoDB does not cache a plan for an equality on `_id` (decision 36).
  if (known) filter._id = { $gte: known.id, $lte: known.id };
  // A moved record never has both the old key and the new one.
  if (submission.renames) filter.$nor = [unmovedFilter(submission.renames)];
  const update: Update = {
    $set: { schemaVersion },
    $setOnInsert: { _id: newId, sourceAppId, createdAt: now },
    $max: { updatedAt: now },
  };
  addChange(filter, update, submission, maxArrayItems);
  if (slots) addSlots(update, slots);
  if (words) addWords(filter, update, words);
  if (slotEpoch !== undefined) {
    // Also without slots: those of the record may belong to a later use.
    Object.assign(filter, notAfterEpoch(slotEpoch));
    update.$set.slotEpoch = slotEpoch;
  }
  addSize(filter, update, submission, view.exactBound, consents?.entries);
  if (applied) addKey(filter, update, applied, view.keyEpoch);
  if (consents) addConsents(filter, update, consents);
  if (submission.hasConsumers) addEvent(filter, update, buildEvent(submission, newId));
  const entry = view.replaced?.entry ?? submission.entry;
  if (entry) addEntry(filter, update, buildEntry(entry, newId), entry.bytes);
  // The entry has the values that it removes or resets, so the filter requires them.
  const before = entry && replacedKeys(change);
  if (before) Object.assign(filter, valuesAre(view.replaced?.values ?? change.reset ?? {}, before));
  if (submission.requiresRecord || consents?.requiresRecord || view.replaced || isCreatedByInsert(submission))
    update.$setOnInsert[NO_CREATION] = null;
  return {
    kind: 'upsert',
    appId,
    email,
    filter,
    update: changing<UserDocument>(update),
    creation: { id: newId, createdAt: now },
    known,
    // The filter and the entry have these values.
    bytes: estimateBytes(submission) + 2 * (view.replaced?.entry.bytes ?? 0),
  };
}

/**
 * Whether only `buildInsert` can create the record: one update cannot create an empty `data` and
 * remove values of it.
 */
export function isCreatedByInsert({ change, defaults }: Submission): boolean {
  if (!change.unset || defaults) return false;
  return Object.keys(change.set).length === 0 && Object.keys(change.append).length === 0;
}

type Filter = RecordFilter & Record<string, unknown>;

interface Update {
  $set: Record<string, unknown>;
  $setOnInsert: Record<string, unknown>;
  $max: { updatedAt: Date };
  $unset?: Record<string, ''>;
  $push?: Record<string, unknown>;
  $inc?: Record<string, number>;
  $addToSet?: Record<string, unknown>;
}

function push(update: Update, path: string, value: unknown): void {
  update.$push ??= {};
  update.$push[path] = value;
}

function increment(update: Update, path: string, by: number): void {
  update.$inc ??= {};
  update.$inc[path] = by;
}

function addChange(filter: Filter, update: Update, { change, defaults }: Submission, maxArrayItems: number): void {
  let fields = 0;
  for (const key of change.unset ?? []) {
    update.$unset ??= {};
    update.$unset[`data.${key}`] = '';
    update.$unset[`arraySizes.${key}`] = '';
  }
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
  for (const [key, value] of Object.entries(change.reset ?? NONE)) update.$set[`data.${key}`] = value;
  if (defaults) addDefaults(update, defaults.values, change.reset);
  else if (fields === 0 && !change.unset) update.$setOnInsert.data = {};
}

type Values = Readonly<Record<string, unknown>>;

const NONE: Values = {};

/** @param reset those that the update sets in every record */
function addDefaults({ $setOnInsert }: Update, values: Values, reset = NONE): void {
  for (const [key, value] of Object.entries(values)) {
    if (Object.hasOwn(reset, key)) continue;
    $setOnInsert[`data.${key}`] = value;
    if (Array.isArray(value)) $setOnInsert[`arraySizes.${key}`] = value.length;
  }
}

function addSlots(update: Update, slots: readonly SlotWrite[]): void {
  for (const { slot, initial = null, value } of slots) {
    if (value === undefined) update.$setOnInsert[slot] = initial;
    else update.$set[slot] = value;
  }
}

/** The words of replaced values stay: they are not known. */
function addWords(filter: Filter, update: Update, words: readonly string[]): void {
  Object.assign(filter, HAS_ROOM_FOR_WORDS);
  update.$addToSet = { words: { $each: words } };
}

/** Raises `sizeBound`, for withdrawals of consents also above its limit, or makes it exact. */
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

/** Appends the key if it was not applied before and the list has room. */
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

function addEntry(filter: Filter, update: Update, entry: HistoryEntry, bytes: number): void {
  Object.assign(filter, HAS_ROOM);
  push(update, 'history', entry);
  increment(update, 'revision', 1);
  increment(update, 'historyBytes', bytes);
}

function addEvent(filter: Filter, update: Update, event: OutboxEntry): void {
  Object.assign(filter, HAS_ROOM_FOR_EVENT);
  push(update, 'outbox', event);
  increment(update, 'eventCount', 1);
}
