import { type AppError, Unavailable } from '../core/errors.ts';
import { isDuplicateKey } from './failures.ts';

/**
 * Calls `write` with free places until its write finds one that is still free. A unique index on an
 * owner and a place below `max` bounds the documents of the owner, whatever is written at once.
 *
 * @param taken resolves with the places of the owner that are in use
 * @param full makes the error for an owner without a free place
 * @throws {Unavailable} when other writes were first each time
 */
export async function inFreePlace<Result>(
  max: number,
  taken: () => Promise<readonly { place?: number }[]>,
  write: (place: number) => Promise<Result>,
  full: () => AppError,
): Promise<Result> {
  for (let tries = 0; tries < max; tries += 1) {
    const used = new Set((await taken()).map(({ place }) => place));
    const free = Array.from({ length: max }, (_, place) => place).filter((place) => !used.has(place));
    // By chance, so that concurrent writes rarely want the same.
    const place = free[Math.floor(Math.random() * free.length)];
    if (place === undefined) throw full();
    try {
      return await write(place);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }
  throw new Unavailable('tooManyOfKind');
}
