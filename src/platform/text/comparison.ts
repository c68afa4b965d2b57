import { parseInstant } from './iso-date.ts';

// How values compare, in conditions of fields (spec 2.12) and of queries (spec 4.3). Browsers load
// this file.

/** Times are milliseconds since 1970. */
export type Ordered = number | boolean;

/** A point in the order of values, directly before a value or after it. */
export interface Bound {
  value: Ordered;
  isAfter: boolean;
}

export const LOWEST: Bound = { value: Number.NEGATIVE_INFINITY, isAfter: false };
export const HIGHEST: Bound = { value: Number.POSITIVE_INFINITY, isAfter: true };

/** The values between two bounds. */
export interface Interval {
  low: Bound;
  high: Bound;
}

const DAY_MS = 86_400_000;
const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** The interval of one value. */
export const only = (value: Ordered): Interval => ({ low: { value, isAfter: false }, high: { value, isAfter: true } });

/** Returns the instants of a date: without a time it has those of its day in UTC. */
export function instantsOf(given: unknown): Interval | undefined {
  const instant = typeof given === 'string' ? parseInstant(given) : undefined;
  if (instant === undefined) return undefined;
  const { low, high } = only(instant);
  const isDay = String(given).length === DAY_LENGTH;
  return { low, high: isDay ? { value: instant + DAY_MS, isAfter: false } : high };
}

/** Returns the values with this relation to all of `given`; for `eq`, `ne` and `in` these. */
export function related(operator: string, given: Interval): Interval {
  const { low, high } = given;
  if (operator === 'gt') return { low: high, high: HIGHEST };
  if (operator === 'gte') return { low, high: HIGHEST };
  if (operator === 'lt') return { low: LOWEST, high: low };
  if (operator === 'lte') return { low: LOWEST, high };
  return given;
}

/** Whether a number or an instant is in an interval of them. */
export const isWithin = (value: number, { low, high }: Interval): boolean =>
  !isBefore(value, low) && isBefore(value, high);

const isBefore = (value: number, { value: bound, isAfter }: Bound): boolean =>
  value < Number(bound) || (value === Number(bound) && isAfter);

const folds = new Map<string, string>();

/** Above this length of a part the method of strings may take longer. */
const SHORT_PART = 32;

/**
 * As `text.includes(part)`, in linear time (Knuth, Morris and Pratt): that method may take the
 * product of the lengths.
 */
export function includesText(text: string, part: string): boolean {
  if (part.length <= SHORT_PART) return text.includes(part);
  // The length of the longest beginning of `part` that ends at each of its characters.
  const borders = new Uint32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at += 1) {
    const character = part.charCodeAt(at);
    while (matched > 0 && character !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (character === part.charCodeAt(matched)) matched += 1;
    borders[at] = matched;
  }
  matched = 0;
  for (let at = 0; at < text.length && matched < part.length; at += 1) {
    const character = text.charCodeAt(at);
    while (matched > 0 && character !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (character === part.charCodeAt(matched)) matched += 1;
  }
  return matched === part.length;
}

/**
 * Returns the form in which texts that differ in case alone are equal, by the simple case folding
 * of Unicode, as in the regular expressions of `contains` in `where`.
 */
export function foldCase(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text.toLowerCase() : Array.from(text, foldCharacter).join('');
}

function foldCharacter(character: string): string {
  const candidates = [character.toUpperCase().toLowerCase(), character.toLowerCase()];
  if (candidates.every((form) => form === character)) return character;
  const known = folds.get(character);
  if (known !== undefined) return known;
  const isVariant = (form: string) => [...form].length === 1 && new RegExp(`^${form}$`, 'iu').test(character);
  const folded = candidates.find(isVariant) ?? character;
  folds.set(character, folded);
  return folded;
}
