import { mongo } from 'mongoose';
import { MAX_EXTRA_KEYS, type RecordChange } from '../../fields/compile.ts';

/** Changes this small replace one another: those of 100 fields take less than `SLACK` and are not counted. */
const SMALL_CHANGE = 256;
/** Bytes that a record may hold without being counted. */
const SLACK = 36 * 1024;
/** An empty BSON document: its length and its end. */
const EMPTY = 5;

/**
 * The limits of one record: its size in bytes, and 200 keys beyond the fields of the schema (docs/specification.md,
 * section 8).
 *
 * A filter of an upsert can compare a stored number, but it cannot compute the size of a document. So a record carries
 * `sizeBound`, an upper bound that each write raises by its growth, without a read. Only a write that would pass the
 * limit reads the exact size (conflict.ts). Each extra key counts as 1/200 of the limit, so that one number
 * bounds both.
 */
export interface RecordLimits {
  /** The largest `sizeBound`, and the largest exact size, in bytes. */
  max: number;
  /** What one key beyond the fields of the schema counts, in bytes. */
  extraKey: number;
}

/** @param recordLimit the largest size of a record in bytes */
export function createRecordLimits(recordLimit: number): RecordLimits {
  const max = recordLimit - SLACK;
  return { max, extraKey: Math.floor(max / MAX_EXTRA_KEYS) };
}

/** What a change takes in a record, in bytes of BSON. */
export interface ChangeSize {
  set: number;
  append: number;
}

export function changeSize({ set, append }: RecordChange): ChangeSize {
  const { calculateObjectSize } = mongo.BSON;
  return { set: calculateObjectSize(set) - EMPTY, append: calculateObjectSize(append) - EMPTY };
}

/** By how much a change raises `sizeBound` at most. 0 leaves the record without one. */
export function growthOf({ extraKeys }: RecordChange, { set, append }: ChangeSize, { extraKey }: RecordLimits): number {
  return append + (set > SMALL_CHANGE ? set : 0) + extraKeys * extraKey;
}
