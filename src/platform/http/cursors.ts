import { BSON } from 'mongodb';
import { InvalidInput } from '../core/errors.ts';
import { deriveSecretKey } from '../core/secrets.ts';
import { createSigner } from '../core/signer.ts';
import { say } from '../languages/reasons.ts';

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
  const { seal, open } = createSigner(deriveSecretKey(secret, 'list cursors'));

  return {
    /** @param query the parameters that decide which records follow, and in which order */
    write(position: object, query: unknown): string {
      // EJSON keeps the BSON types of ids, dates and numbers.
      return seal(Buffer.from(BSON.EJSON.stringify(position, { relaxed: false })), JSON.stringify(query));
    },

    /**
     * Undefined without a cursor.
     * @throws {InvalidInput} for a text that is not a cursor of this query
     */
    read<Position>(cursor: string | undefined, query: unknown): Position | undefined {
      if (cursor === undefined) return undefined;
      const payload = open(cursor, JSON.stringify(query));
      if (!payload) throw new InvalidInput('invalidQuery', [{ path: 'cursor', ...say('notNextOfQuery') }]);
      return BSON.EJSON.parse(payload.toString(), { relaxed: true }) as Position;
    },
  };
}
