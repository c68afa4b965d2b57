import { createHmac, timingSafeEqual } from 'node:crypto';
import { mongo } from 'mongoose';
import { InvalidInput } from '../core/errors.ts';
import { deriveSecretKey } from '../core/secrets.ts';

/** 128 bits of the HMAC. */
const TAG_BYTES = 16;

/**
 * Signs the positions that answers give out as `next`, and reads them when a client sends them
 * back. A position is valid with the query for which it was made only.
 */
export interface Cursors {
  /** @param query the parameters that decide which records follow, and in which order */
  write(position: object, query: unknown): string;
  /** @throws {InvalidInput} for a text that is not a cursor of this query */
  read<Position>(cursor: string, query: unknown): Position;
}

/** Creates cursors with a key derived from `SESSION_SECRET`; all servers accept each other's. */
export function createCursors(secret: string): Cursors {
  const key = deriveSecretKey(secret, 'list cursors');

  const tagOf = (payload: Uint8Array, query: unknown): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify(query))
      .update('\0')
      .update(payload)
      .digest()
      .subarray(0, TAG_BYTES);

  return {
    write(position, query) {
      // EJSON keeps the BSON types of ids, dates and numbers.
      const payload = Buffer.from(mongo.BSON.EJSON.stringify(position, { relaxed: false }));
      return Buffer.concat([tagOf(payload, query), payload]).toString('base64url');
    },

    read<Position>(cursor: string, query: unknown): Position {
      const bytes = Buffer.from(cursor, 'base64url');
      const [tag, payload] = [bytes.subarray(0, TAG_BYTES), bytes.subarray(TAG_BYTES)];
      const isGenuine =
        tag.length === TAG_BYTES &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(tag, tagOf(payload, query));
      if (!isGenuine) {
        const issue = { path: 'cursor', message: 'must be the `next` of an answer to the same query' };
        throw new InvalidInput('Invalid query parameters', [issue]);
      }
      return mongo.BSON.EJSON.parse(payload.toString(), { relaxed: true }) as Position;
    },
  };
}
