import { mongo } from 'mongoose';
import { MAX_EXTRA_KEYS, type RecordChange } from '../fields/compile.ts';

/**
 * A change that sets at most this many bytes is not counted: such values replace one another, and
 * those of all 100 fields together take less than `SLACK`.
 */
const SMALL_CHANGE = 256;
/** The part of the record limit that covers what is not counted, in bytes. */
const SLACK = 36 * 1024;
/** The most that one index slot takes: its name, and twice 64 code points of 4 bytes. */
const SLOT_BYTES = 526;
/** The size of an empty BSON document. */
const EMPTY = 5;

/**
 * The limits of one record: its size in bytes, and `MAX_EXTRA_KEYS` keys that are not fields of the
 * schema (spec 8, decision 18).
 *
 * The filter of an upsert can compare a stored number, but it cannot compute the size of a
 * document. So a record carries `sizeBound`, an upper bound that each write raises by its growth,
 * without a read. Only a write that would exceed the limit reads the exact size (conflict.ts). Each
 * extra key counts as 1/`MAX_EXTRA_KEYS` of the limit, so one number bounds both.
 */
export interface RecordLimits {
  /** The largest `sizeBound`, and the largest exact size, in bytes. */
  max: number;
  /** The bytes that one extra key counts. */
  extraKey: number;
}

/** @param recordLimit the maximum size of a record in bytes */
export function createRecordLimits(recordLimit: number): RecordLimits {
  const max = recordLimit - SLACK;
  return { max, extraKey: Math.floor(max / MAX_EXTRA_KEYS) };
}

/**
 * The BSON size of a change in bytes: of the values that it sets, and of the items that it appends.
 */
export interface ChangeSize {
  set: number;
  append: number;
}

/** Computes the size of a change. */
export function changeSize({ set, append }: RecordChange): ChangeSize {
  const { calculateObjectSize } = mongo.BSON;
  return { set: calculateObjectSize(set) - EMPTY, append: calculateObjectSize(append) - EMPTY };
}

/** The largest `sizeBound` of a record with that many index slots, which are not counted. */
export function maxBoundOf({ max }: RecordLimits, slots: number): number {
  return max - slots * SLOT_BYTES;
}

/** The most that a change raises `sizeBound`, in bytes. 0 leaves a new record without a bound. */
export function growthOf({ extraKeys }: RecordChange, { set, append }: ChangeSize, { extraKey }: RecordLimits): number {
  return append + (set > SMALL_CHANGE ? set : 0) + extraKeys * extraKey;
}
