import type { ObjectId } from 'mongodb';
import { changing, typedFilter } from '../../platform/database/filters.ts';
import { estimateBytes, type Submission, type Written } from './submission.ts';
import type { RecordFilter, RecordId, RecordUpdate, UserDocument } from './users.model.ts';
import {
  type Growth,
  increment,
  type KnownStates,
  push,
  type Statement,
  type UpsertStatement,
  unset,
} from './write-part.ts';

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
  const { appId, sourceAppId, email, schemaVersion, now, change, parts } = submission;
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
  };
  if (parts) for (const part of parts) part.insert?.(record);
  return { kind: 'insert', record, creation: { id: newId, createdAt: now }, bytes: estimateBytes(submission) };
}

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
  parts?: KnownStates | undefined;
  /** The `sizeBound` when the exact size was read, and its value after this write. */
  exactBound?: { was: number | undefined; becomes: number };
}

export const UNSEEN: RecordView = {};

/**
 * Stores a submission in one atomic step (spec 2.4 and 4.1). When an existing record does not match
 * the filter, MongoDB tries to insert a second one, and the unique index refuses it with E11000;
 * then conflict.ts reads the record to find the reason (decision 3). With `view.known` the filter
 * names the record's id, so the result is known without a read. With the id of an erased record, it
 * creates one or fails with E11000.
 */
export function buildUpsert(submission: Submission, newId: RecordId, maxArrayItems: number, view: RecordView): Upsert {
  const { appId, sourceAppId, email, schemaVersion, now } = submission;
  const { known } = view;
  const statement: UpsertStatement = {
    filter: { appId, email, schemaVersion: { $lte: schemaVersion } },
    update: {
      $set: { schemaVersion },
      $setOnInsert: { _id: newId, sourceAppId, createdAt: now },
      $max: { updatedAt: now },
    },
    newId,
    bytes: estimateBytes(submission),
  };
  const { filter, update } = statement;
  // A range, because MongoDB does not cache a plan for an equality on `_id` (decision 36).
  if (known) filter._id = { $gte: known.id, $lte: known.id };
  addChange(statement, submission, maxArrayItems);
  addSize(statement, submission, view);
  let requiresRecord = submission.requiresRecord || isCreatedByInsert(submission);
  for (const part of submission.parts ?? []) {
    if (part.requires) for (const required of part.requires) Object.assign(filter, required.filter);
    if (part.upsert?.(statement, view.parts?.[part.name])) requiresRecord = true;
  }
  if (requiresRecord) update.$setOnInsert[NO_CREATION] = null;
  return {
    kind: 'upsert',
    appId,
    email,
    filter: typedFilter<UserDocument>(filter),
    update: changing<UserDocument>(update),
    creation: { id: newId, createdAt: now },
    known,
    bytes: statement.bytes,
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
export function growthOf({ growth, parts }: Pick<Submission, 'growth' | 'parts'>, known?: KnownStates): Growth {
  const sum = { bytes: growth, limited: growth };
  for (const part of parts ?? []) {
    if (!part.growth) continue;
    const { bytes, limited } = part.growth.from(known?.[part.name]);
    sum.bytes += bytes;
    sum.limited += limited;
  }
  return sum;
}

function addChange(statement: UpsertStatement, { change, defaults }: Submission, maxArrayItems: number): void {
  const { filter, update } = statement;
  let fields = 0;
  for (const key of change.unset ?? []) {
    unset(statement, `data.${key}`);
    unset(statement, `arraySizes.${key}`);
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
function addDefaults({ update: { $setOnInsert } }: UpsertStatement, values: Values, reset = NONE): void {
  for (const [key, value] of Object.entries(values)) {
    if (Object.hasOwn(reset, key)) continue;
    $setOnInsert[`data.${key}`] = value;
    if (Array.isArray(value)) $setOnInsert[`arraySizes.${key}`] = value.length;
  }
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
