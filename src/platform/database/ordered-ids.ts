import { randomFillSync } from 'node:crypto';
import { Binary, ObjectId, UUID } from 'mongodb';
import { v7 } from 'uuid';

const ID_BYTES = 16;

/** Creates UUIDs of version 7, in order of creation: no index on `createdAt` (decision 2). */
export function createOrderedIds(): (createdAt: Date) => UUID {
  const random = createRandomBytes();
  let last = 0;
  let sequence = 0;
  return (createdAt) => {
    const msecs = createdAt.getTime();
    // Keeps the order of the ids that this server creates in one millisecond.
    sequence = msecs === last ? sequence + 1 : 0;
    last = msecs;
    return new UUID(v7({ msecs, seq: sequence, random: random() }, new Uint8Array(ID_BYTES)));
  };
}

/** Reads the bytes of 256 ids at a time: the system call costs more than the rest of an id. */
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

/** Returns the lowest id of a document that was created at `time` or later. */
export function firstIdAt(time: Date): UUID {
  return new UUID(v7({ msecs: time.getTime(), seq: 0, random: new Uint8Array(ID_BYTES) }, new Uint8Array(ID_BYTES)));
}

/** The time of creation in an id. */
export const createdAtOf = (id: Binary): Date => new Date(Buffer.from(id.buffer).readUIntBE(0, 6));

/** Matches ids of `length` bytes with this prefix: MongoDB orders those of one length bytewise. */
export function prefixRange(length: number, ...parts: Uint8Array[]): { $gte: Binary; $lte: Binary } {
  const prefix = Buffer.concat(parts);
  const filled = (byte: number) => new Binary(Buffer.concat([prefix, Buffer.alloc(length - prefix.length, byte)]));
  return { $gte: filled(0x00), $lte: filled(0xff) };
}

/** Returns undefined when the text is not a UUID. */
export function parseUuid(text: string): UUID | undefined {
  return UUID.isValid(text) ? new UUID(text) : undefined;
}

/** Returns undefined when the text is not an ObjectId as responses show it. */
export function parseObjectId(text: string): ObjectId | undefined {
  return /^[0-9a-f]{24}$/.test(text) ? new ObjectId(text) : undefined;
}
