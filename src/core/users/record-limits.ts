import { BSON } from 'mongodb';
import { Conflict, InvalidInput, TooLarge } from '../../platform/core/errors.ts';
import { type PlainCode, say } from '../../platform/languages/reasons.ts';
import { MAX_EXTRA_KEYS, type RecordChange, TOO_MANY_EXTRA_KEYS } from '../fields/compile.ts';
import { mostGrowth, type WritePart } from './write-part.ts';

/** Changes up to this size in bytes are not counted: 100 fields take less than `SLACK`. */
const SMALL_CHANGE = 256;
/** The part of the record limit for what is not counted, in bytes. */
const SLACK = 36 * 1024;
const EMPTY = 5;

/**
 * The limits of one record: its size, and `MAX_EXTRA_KEYS` unknown keys (spec 8, decision 2). A
 * filter cannot compute a size, so each write raises an upper bound, `sizeBound`; only one that
 * would exceed the limit reads the exact size (conflict.ts). Each extra key counts as
 * 1/`MAX_EXTRA_KEYS` of the limit, so one number bounds both.
 */
export interface RecordLimits {
  /** The largest `sizeBound` and exact size, in bytes. */
  max: number;
  /** The bytes that one extra key counts. */
  extraKey: number;
}

/** The keys of `data` that are not fields of the schema, in an aggregation. */
export const extraKeysExpression = (fieldKeys: readonly string[]) => ({
  $setDifference: [{ $map: { input: { $objectToArray: '$data' }, in: '$$this.k' } }, [...fieldKeys]],
});

/** `recordLimit` is in bytes. */
export function createRecordLimits(recordLimit: number): RecordLimits {
  const max = recordLimit - SLACK;
  return { max, extraKey: Math.floor(max / MAX_EXTRA_KEYS) };
}

/** The BSON sizes of the values and of the items of a change, in bytes. */
export interface ChangeSize {
  set: number;
  append: number;
}

/** Computes the size of a change. */
export function changeSize({ set, reset, append }: RecordChange): ChangeSize {
  const { calculateObjectSize } = BSON;
  const replacing = reset ? { ...set, ...reset } : set;
  return { set: calculateObjectSize(replacing) - EMPTY, append: calculateObjectSize(append) - EMPTY };
}

/** The largest `sizeBound` of a record. @param reserved the bytes that it does not count */
export const sizeBoundLimit = ({ max }: RecordLimits, reserved: number): number => max - reserved;

/** The growth of `sizeBound` by a change, in bytes. 0 leaves a new record without a bound. */
export function boundGrowth(
  { extraKeys }: RecordChange,
  { set, append }: ChangeSize,
  { extraKey }: RecordLimits,
): number {
  return append + (set > SMALL_CHANGE ? set : 0) + extraKeys * extraKey;
}

interface RecordSize {
  bytes: number;
  extraKeys: number;
}

/** Returns the keys of `data` that are not fields of the schema. */
export function listExtraKeys(data: object, fieldKeys: readonly string[]): string[] {
  const fields = new Set(fieldKeys);
  return Object.keys(data).filter((key) => !fields.has(key));
}

/** The limit that a write would exceed, if any. A record above a limit may shrink. */
export function exceededLimit(
  { max }: RecordLimits,
  before: RecordSize,
  after: RecordSize,
): 'record-full' | 'too-many-keys' | undefined {
  if (after.bytes > max && after.bytes > before.bytes) return 'record-full';
  if (after.extraKeys > MAX_EXTRA_KEYS && after.extraKeys > before.extraKeys) return 'too-many-keys';
  return undefined;
}

/** The `sizeBound` of a record with this exact size. */
export function exactBound({ extraKey }: RecordLimits, { bytes, extraKeys }: RecordSize): number {
  return Math.max(bytes, extraKeys * extraKey);
}

export function recordFullError({ max }: RecordLimits): TooLarge {
  return new TooLarge(say('recordLargerThan', { max: (max / 1024 / 1024).toFixed(1) }));
}

/** The stored record has no room for the unknown keys of a change. */
export class RecordHasTooManyKeys extends InvalidInput {
  /** @param reason names the refused object */
  constructor(reason: PlainCode) {
    super(reason, [TOO_MANY_EXTRA_KEYS]);
  }
}

export function arrayFullError(key: string, maxArrayItems: number): Conflict {
  return new Conflict(say('listFull', { path: `data.${key}`, max: maxArrayItems }));
}

interface SizedChange {
  change: RecordChange;
  size: ChangeSize;
  defaults?: { bytes: number } | undefined;
  parts: readonly WritePart[] | undefined;
}

/** Refuses a change that no record can hold. @throws {Conflict | TooLarge} */
export function refuseOversized(
  { change, size, defaults, parts }: SizedChange,
  limits: RecordLimits,
  maxArrayItems: number,
): void {
  for (const [key, items] of Object.entries(change.append)) {
    if (items.length > maxArrayItems) throw arrayFullError(key, maxArrayItems);
  }
  const further = (defaults ? defaults.bytes : 0) + mostGrowth(parts);
  if (size.set + size.append + further > limits.max) throw recordFullError(limits);
}
