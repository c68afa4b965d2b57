import { randomFillSync } from 'node:crypto';
import { mongo } from 'mongoose';
import { v7 } from 'uuid';

export type RecordId = mongo.UUID;
const { UUID } = mongo;

const ID_BYTES = 16;

/**
 * Makes the ids of new records: UUIDs of version 7, whose order is the order of creation. So "newest first" is a walk along `_id`, and no index on
 * `createdAt` has to be written with every submission (docs/decisions/0002-uuid-v7.md).
 */
export function createRecordIds(): (createdAt: Date) => RecordId {
  const random = createRandomBytes();
  let last = 0;
  let sequence = 0;
  return (createdAt) => {
    const msecs = createdAt.getTime();
    // Records made in one millisecond by one server keep their order through the sequence number.
    sequence = msecs === last ? sequence + 1 : 0;
    last = msecs;
    return new UUID(v7({ msecs, seq: sequence, random: random() }, new Uint8Array(ID_BYTES)));
  };
}

/** Sixteen random bytes a call. The system is asked for 256 calls at once: asking it costs more than the rest of making an id. */
function createRandomBytes(): () => Uint8Array {
  const pool = new Uint8Array(256 * ID_BYTES);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += ID_BYTES;
    return pool.subarray(used - ID_BYTES, used);
  };
}

/** The lowest id that a record made at `time` or later can have. */
export function firstIdAt(time: Date): RecordId {
  return new UUID(v7({ msecs: time.getTime(), seq: 0, random: new Uint8Array(ID_BYTES) }, new Uint8Array(ID_BYTES)));
}

/** The record id that a text names, or undefined. */
export function parseRecordId(text: string): RecordId | undefined {
  return UUID.isValid(text) ? new UUID(text) : undefined;
}
