import type { ObjectId } from 'mongodb';
import { notAfterEpoch } from '../../apps/index-slots.ts';
import { changing } from '../../platform/database/filters.ts';
import { HAS_ROOM, replacedKeys, type SizedEntry, valuesAre } from '../history/history-entries.ts';
import { HAS_ROOM_FOR_WORDS } from '../indexes/record-words.ts';
import type { SlotWrite } from '../indexes/slot-records.ts';
import { HAS_ROOM_FOR_EVENT } from '../stored/outbox.ts';
import type {
  AppliedKey,
  HistoryEntry,
  OutboxEntry,
  RecordFilter,
  RecordUpdate,
  UserDocument,
} from '../stored/record.ts';
import type { RecordId } from '../stored/record-id.ts';
import { unmovedFilter } from '../stored/record-moves.ts';
import { type Growth, increment, push, type Statement } from './record-part.ts';
import { buildEntry, buildEvent, estimateBytes, type Submission, type Written } from './submission.ts';

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
  const { parts } = submission;
  const { bytes: growth } = growthOf(submission);
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
    ...(submission.hasConsumers && { outbox: [buildEvent(submission, newId)], eventCount: 1 }),
    ...(entry && { history: [buildEntry(entry, newId)], revision: 1, historyBytes: entry.bytes }),
  };
  // Absent fields too, so that one index serves the filters and the order of all records.
  if (slots) for (const { slot, initial = null, value = initial } of slots) record[slot] = value;
  if (parts) for (const part of parts) part.insert(record);
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
  /** What the parts of the write know of the record, by their names. */
  parts?: Readonly<Record<string, unknown>> | undefined;
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
  const filter: Statement['filter'] = { appId, email, schemaVersion: { $lte: schemaVersion } };
  // A range, because MongoDB does not cache a plan for an equality on `_id` (decision 36).
  if (known) filter._id = { $gte: known.id, $lte: known.id };
  // A moved record never has both the old key and the new one.
  if (submission.renames) filter.$nor = [unmovedFilter(submission.renames)];
  const update: Statement['update'] = {
    $set: { schemaVersion },
    $setOnInsert: { _id: newId, sourceAppId, createdAt: now },
    $max: { updatedAt: now },
  };
  const statement = { filter, update };
  addChange(statement, submission, maxArrayItems);
  if (slots) addSlots(statement, slots);
  if (words) addWords(statement, words);
  if (slotEpoch !== undefined) {
    // Also without slots: those of the record may belong to a later use.
    Object.assign(filter, notAfterEpoch(slotEpoch));
    update.$set.slotEpoch = slotEpoch;
  }
  addSize(statement, submission, view);
  if (applied) addKey(statement, applied, view.keyEpoch);
  let { requiresRecord = false } = submission;
  for (const part of submission.parts ?? []) {
    if (part.upsert(statement, view.parts?.[part.name])) requiresRecord = true;
  }
  if (submission.hasConsumers) addEvent(statement, buildEvent(submission, newId));
  const entry = view.replaced?.entry ?? submission.entry;
  if (entry) addEntry(statement, buildEntry(entry, newId), entry.bytes);
  // The entry has the values that it removes or resets, so the filter requires them.
  const before = entry && replacedKeys(change);
  if (before) Object.assign(filter, valuesAre(view.replaced?.values ?? change.reset ?? {}, before));
  if (requiresRecord || view.replaced || isCreatedByInsert(submission)) update.$setOnInsert[NO_CREATION] = null;
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

/** The growth of a record, with that of the parts in a state that they know or assume. */
export function growthOf(
  { growth, parts = [] }: Pick<Submission, 'growth' | 'parts'>,
  known?: RecordView['parts'],
): Growth {
  const sum = { bytes: growth, limited: growth };
  for (const part of parts) {
    const { bytes, limited } = part.growth(known?.[part.name]);
    sum.bytes += bytes;
    sum.limited += limited;
  }
  return sum;
}

function addChange(statement: Statement, { change, defaults }: Submission, maxArrayItems: number): void {
  const { filter, update } = statement;
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
    push(statement, `data.${key}`, { $each: items });
    increment(statement, `arraySizes.${key}`, items.length);
    fields += 1;
  }
  for (const [key, value] of Object.entries(change.reset ?? NONE)) update.$set[`data.${key}`] = value;
  if (defaults) addDefaults(statement, defaults.values, change.reset);
  else if (fields === 0 && !change.unset) update.$setOnInsert.data = {};
}

type Values = Readonly<Record<string, unknown>>;

const NONE: Values = {};

/** @param reset those that the update sets in every record */
function addDefaults({ update: { $setOnInsert } }: Statement, values: Values, reset = NONE): void {
  for (const [key, value] of Object.entries(values)) {
    if (Object.hasOwn(reset, key)) continue;
    $setOnInsert[`data.${key}`] = value;
    if (Array.isArray(value)) $setOnInsert[`arraySizes.${key}`] = value.length;
  }
}

function addSlots({ update }: Statement, slots: readonly SlotWrite[]): void {
  for (const { slot, initial = null, value } of slots) {
    if (value === undefined) update.$setOnInsert[slot] = initial;
    else update.$set[slot] = value;
  }
}

/** The words of replaced values stay: they are not known. */
function addWords({ filter, update }: Statement, words: readonly string[]): void {
  Object.assign(filter, HAS_ROOM_FOR_WORDS);
  update.$addToSet = { words: { $each: words } };
}

/** Raises `sizeBound`, beyond its limit only by what no limit applies to, or makes it exact. */
function addSize(statement: Statement, submission: Submission, { exactBound: exact, parts }: RecordView): void {
  const { filter, update } = statement;
  if (exact) {
    filter.sizeBound = exact.was === undefined ? { $exists: false } : exact.was;
    update.$set.sizeBound = exact.becomes;
    return;
  }
  const { bytes, limited } = growthOf(submission, parts);
  if (limited > 0) filter.sizeBound = { $not: { $gt: submission.maxBound - limited } };
  if (bytes > 0) increment(statement, 'sizeBound', bytes);
}

/** Appends the key if it was not applied before and the list has room. */
function addKey(statement: Statement, applied: AppliedKey, keyEpoch: number): void {
  const { filter } = statement;
  filter['appliedKeys.key'] = { $ne: applied.key };
  filter[`appliedKeys.${MAX_INLINE_KEYS - 1}`] = { $exists: false };
  filter.keyEpoch = { $not: { $gt: keyEpoch } };
  push(statement, 'appliedKeys', applied);
}

function addEntry(statement: Statement, entry: HistoryEntry, bytes: number): void {
  Object.assign(statement.filter, HAS_ROOM);
  push(statement, 'history', entry);
  increment(statement, 'revision', 1);
  increment(statement, 'historyBytes', bytes);
}

function addEvent(statement: Statement, event: OutboxEntry): void {
  Object.assign(statement.filter, HAS_ROOM_FOR_EVENT);
  push(statement, 'outbox', event);
  increment(statement, 'eventCount', 1);
}
