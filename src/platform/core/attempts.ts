import { Unavailable } from './errors.ts';

/** More than the writes that change one document while a request lasts. */
const MOST = 24;

/**
 * Limits the attempts of a write that depends on what was read, and has no effect when another
 * write came between: `for (const again = limitAttempts(); ; again()) …`.
 *
 * @param refusal why, and after how many seconds the request may be repeated
 * @returns a function that is called after each attempt, and returns how many there were
 * @throws {Unavailable} by that function, after the last attempt
 */
export function limitAttempts(...refusal: ConstructorParameters<typeof Unavailable>): () => number {
  let count = 0;
  return () => {
    count += 1;
    if (count === MOST) throw new Unavailable(...refusal);
    return count;
  };
}
