import { createHmac, timingSafeEqual } from 'node:crypto';
import { BSON } from 'mongodb';
import { InvalidInput } from '../platform/core/errors.ts';
import { deriveSecretKey } from '../platform/core/secrets.ts';
import { say } from '../platform/languages/reasons.ts';

/** 128 bits of the HMAC. */
const TAG_BYTES = 16;

/**
 * A page of `limit` items from at most one more that were found, and `last`, after which the next
 * page begins; undefined at the end.
 */
export function pageOf<Item>(found: readonly Item[], limit: number): { page: readonly Item[]; last: Item | undefined } {
  const page = found.slice(0, limit);
  return { page, last: found.length > limit ? page.at(-1) : undefined };
}

export type Cursors = ReturnType<typeof createCursors>;

/**
 * Signs the positions that answers contain as `next`, with a key derived from `SESSION_SECRET`, and
 * reads them. A position is valid only with the query for which it was made.
 */
export function createCursors(secret: string) {
  const key = deriveSecretKey(secret, 'list cursors');

  const sign = (payload: Uint8Array, query: unknown): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify(query))
      .update('\0')
      .update(payload)
      .digest()
      .subarray(0, TAG_BYTES);

  return {
    /** @param query the parameters that decide which records follow, and in which order */
    write(position: object, query: unknown): string {
      // EJSON keeps the BSON types of ids, dates and numbers.
      const payload = Buffer.from(BSON.EJSON.stringify(position, { relaxed: false }));
      return Buffer.concat([sign(payload, query), payload]).toString('base64url');
    },

    /**
     * Undefined without a cursor.
     * @throws {InvalidInput} for a text that is not a cursor of this query
     */
    read<Position>(cursor: string | undefined, query: unknown): Position | undefined {
      if (cursor === undefined) return undefined;
      const bytes = Buffer.from(cursor, 'base64url');
      const [tag, payload] = [bytes.subarray(0, TAG_BYTES), bytes.subarray(TAG_BYTES)];
      const isGenuine =
        tag.length === TAG_BYTES &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(tag, sign(payload, query));
      if (!isGenuine) {
        const issue = { path: 'cursor', ...say('notNextOfQuery') };
        throw new InvalidInput('invalidQuery', [issue]);
      }
      return BSON.EJSON.parse(payload.toString(), { relaxed: true }) as Position;
    },
  };
}
