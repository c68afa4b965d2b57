import type { ValueTally } from './tally.ts';

/** The most values of a breakdown (spec 8). */
const MAX_SHOWN = 20;
/** The most characters of a text that is counted by itself (spec 8). */
export const MAX_TEXT = 200;
/** The most different values that are counted, and their characters in total: about 4 MB. */
const MAX_DISTINCT = 10_000;
const MAX_CHARACTERS = 1_000_000;

/**
 * Counts how often each value occurs. Memory is bounded: after `MAX_DISTINCT` values, a value that
 * is new is counted in `other`.
 */
export function createValueTally(type: 'string' | 'boolean'): ValueTally {
  const counts = new Map<string | boolean, number>();
  let characters = 0;
  let other = 0;
  let isLimited = false;

  return {
    add(value, times) {
      if (typeof value !== type || (typeof value === 'string' && value.length > MAX_TEXT)) {
        other += times;
        return;
      }
      const known = value as string | boolean;
      const before = counts.get(known);
      if (before !== undefined) counts.set(known, before + times);
      else if (counts.size < MAX_DISTINCT && characters < MAX_CHARACTERS) {
        counts.set(known, times);
        characters += String(known).length;
      } else {
        isLimited = true;
        other += times;
      }
    },

    result() {
      const frequent = [...counts].sort(([one, ofOne], [another, ofAnother]) => {
        return ofAnother - ofOne || (String(one) < String(another) ? -1 : 1);
      });
      const rest = frequent.slice(MAX_SHOWN).reduce((sum, [, count]) => sum + count, 0);
      const values = frequent.slice(0, MAX_SHOWN).map(([value, count]) => ({ value, count }));
      return { values, other: other + rest, ...(isLimited && { limited: true as const }) };
    },
  };
}
