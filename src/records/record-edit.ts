import { createHash } from 'node:crypto';
import { mongo } from 'mongoose';
import { notAfterEpoch } from '../apps/index-slots.ts';
import { Conflict, InvalidInput, TooLarge } from '../core/errors.ts';
import { MAX_EXTRA_KEYS, TOO_MANY_EXTRA_KEYS } from '../fields/compile.ts';
import { outboxEntry } from './outbox.ts';
import type { UserDocument } from './record.ts';
import type { RecordId } from './record-id.ts';
import type { UserRecord } from './record-json.ts';
import type { SlotWrite } from './slot-writes.ts';

const DIGEST_LENGTH = 16;

type Versioned = Pick<UserRecord, 'updatedAt' | 'data'>;

/**
 * Returns the ETag of a record (spec 4.3). It has a hash of `data` beside the time, because a
 * submission that is stored after a later one changes the record without moving `updatedAt`.
 */
export function etagOf({ updatedAt, data }: Versioned): string {
  const digest = createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, DIGEST_LENGTH);
  return `"${updatedAt.toISOString()}-${digest}"`;
}

/** Whether one of the tags names this state of the record: its ETag, or its `updatedAt` alone. */
export function isNamed(tags: readonly string[], record: Versioned): boolean {
  return tags.includes(`"${record.updatedAt.toISOString()}"`) || tags.includes(etagOf(record));
}

/** A change of a record by an operator (spec 4.3). No key is in two of its parts. */
export interface RecordEdit {
  /** Values that replace the stored ones, by key. */
  set: Record<string, unknown>;
  /** The keys that are removed. */
  unset: readonly string[];
  /** The items that are removed from lists: all items of the key with that timestamp. */
  removeItems: readonly { key: string; timestamp: string }[];
}

/** The limits of a record: its size in bytes, and what an extra key counts (decision 18). */
export interface EditLimits {
  max: number;
  extraKey: number;
}

/** What an edit depends on. The write verifies that the record is still the same. */
export interface EditedRecord
  extends Pick<
    UserDocument,
    '_id' | 'appId' | 'email' | 'data' | 'updatedAt' | 'schemaVersion' | 'sizeBound' | 'slotEpoch'
  > {
  /** The sizes of the document and of its `data`, in bytes. */
  bytes: number;
  dataBytes: number;
}

export const EDITED_PROJECTION = {
  ...{ appId: 1, email: 1, data: 1, updatedAt: 1, schemaVersion: 1, sizeBound: 1, slotEpoch: 1 },
  bytes: { $bsonSize: '$$ROOT' },
  dataBytes: { $bsonSize: '$data' },
};

/** What the schema of the edit says. */
interface EditContext {
  schemaVersion: number;
  fieldKeys: readonly string[];
  slots: readonly SlotWrite[] | undefined;
  /** The epoch of these slots; undefined for an app that never used one. */
  slotEpoch: number | undefined;
  limits: EditLimits;
  /** The id of the event that the write stores; undefined: the app has no consumers. */
  eventId: RecordId | undefined;
}

/** A write that applies an edit to the record in the state that was read, and to no other. */
interface EditWrite {
  filter: mongo.Filter<UserDocument>;
  update: mongo.UpdateFilter<UserDocument>;
}

/**
 * Builds the conditional write of an edit. `updatedAt` grows strictly, so two edits in one
 * millisecond differ. The filter compares `data` too, because a submission may change it without
 * moving `updatedAt`. `sizeBound` becomes exact.
 *
 * @throws {Conflict} when an item to remove does not exist
 * @throws {TooLarge} when the record would exceed its size limit
 * @throws {InvalidInput} when it would have too many extra keys
 */
export function editWrite(record: EditedRecord, edit: RecordEdit, context: EditContext): EditWrite {
  const { _id, appId, data, updatedAt, sizeBound } = record;
  const set: Record<string, unknown> = {
    schemaVersion: context.schemaVersion,
    updatedAt: new Date(Math.max(Date.now(), updatedAt.getTime() + 1)),
  };
  const unset: Record<string, 1> = {};
  const pull: Record<string, unknown> = {};
  const edited = { ...data };
  for (const [key, value] of Object.entries(edit.set)) {
    edited[key] = value;
    set[`data.${key}`] = value;
    // Every array has a size, because its key may become an array field later.
    if (Array.isArray(value)) set[`arraySizes.${key}`] = value.length;
    else unset[`arraySizes.${key}`] = 1;
  }
  for (const key of edit.unset) {
    delete edited[key];
    unset[`data.${key}`] = 1;
    unset[`arraySizes.${key}`] = 1;
  }
  for (const [key, timestamps] of removedItems(edit)) {
    const rest = itemsLeft(data, key, timestamps);
    edited[key] = rest;
    pull[`data.${key}`] = { timestamp: { $in: [...timestamps] } };
    set[`arraySizes.${key}`] = rest.length;
  }
  for (const { slot, value } of context.slots ?? []) if (value !== undefined) set[slot] = value;
  const { slotEpoch } = context;
  if (slotEpoch !== undefined) set.slotEpoch = slotEpoch;
  set.sizeBound = boundOf(record, edited, context);
  const changed = [...Object.keys(edit.set), ...edit.unset, ...removedItems(edit).keys()];
  const event = context.eventId && outboxEntry(context.eventId, set.updatedAt as Date, changed);
  return {
    filter: {
      ...{ _id, appId, updatedAt, schemaVersion: { $lte: context.schemaVersion }, data: { $eq: data } },
      sizeBound: sizeBound === undefined ? { $exists: false } : sizeBound,
      ...(slotEpoch !== undefined && notAfterEpoch(slotEpoch)),
    } as mongo.Filter<UserDocument>,
    update: {
      $set: set,
      ...(Object.keys(unset).length > 0 && { $unset: unset }),
      ...(Object.keys(pull).length > 0 && { $pull: pull }),
      ...(event && { $push: { outbox: event }, $inc: { eventCount: 1 } }),
    } as mongo.UpdateFilter<UserDocument>,
  };
}

function removedItems({ removeItems }: RecordEdit): Map<string, Set<string>> {
  const byKey = new Map<string, Set<string>>();
  for (const { key, timestamp } of removeItems) byKey.set(key, (byKey.get(key) ?? new Set()).add(timestamp));
  return byKey;
}

/** The items of a list without those of these timestamps. */
function itemsLeft(data: Record<string, unknown>, key: string, timestamps: ReadonlySet<string>): unknown[] {
  const items = Object.hasOwn(data, key) ? data[key] : undefined;
  const list: unknown[] = Array.isArray(items) ? items : [];
  const found = new Set(list.map(timestampOf));
  if ([...timestamps].some((timestamp) => !found.has(timestamp))) {
    throw new Conflict('The record has no such item', [{ path: `data.${key}`, message: 'has no item of that time' }]);
  }
  return list.filter((item) => !timestamps.has(timestampOf(item) ?? ''));
}

function timestampOf(item: unknown): string | undefined {
  const { timestamp } = (item ?? {}) as { timestamp?: unknown };
  return typeof timestamp === 'string' ? timestamp : undefined;
}

/** The exact bound of the size after the edit. A record above a limit may shrink. */
function boundOf(record: EditedRecord, edited: Record<string, unknown>, { fieldKeys, limits }: EditContext): number {
  const bytes = record.bytes - record.dataBytes + mongo.BSON.calculateObjectSize(edited);
  if (bytes > limits.max && bytes > record.bytes) {
    throw new TooLarge(`The record would be larger than ${(limits.max / 1024 / 1024).toFixed(1)} MB`);
  }
  const fields = new Set(fieldKeys);
  const extraKeysOf = (data: object): number => Object.keys(data).filter((key) => !fields.has(key)).length;
  const extra = extraKeysOf(edited);
  if (extra > MAX_EXTRA_KEYS && extra > extraKeysOf(record.data)) {
    throw new InvalidInput('Invalid change', [{ path: 'data', message: TOO_MANY_EXTRA_KEYS }]);
  }
  return Math.max(bytes, extra * limits.extraKey);
}
