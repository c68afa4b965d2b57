import { MaxKey, MinKey } from 'mongodb';
import type { QueriedValues } from '../../core/fields/base/queries.ts';
import { firstIdAt } from '../../platform/database/ordered-ids.ts';
import { type Bound, HIGHEST, type Interval, LOWEST } from '../../platform/text/comparison.ts';
import { indexText, normalizedText } from '../../platform/text/index-value.ts';
import type { Bounds } from '../record-reads/ranges.ts';
import type { Predicate } from './condition-filters.ts';

const MIN = new MinKey();
const MAX = new MaxKey();
/** The lowest value after all texts, in the order of BSON types. */
const AFTER_TEXTS = {};

/** The last time of a record id. */
const MAX_ID_TIME = 2 ** 48 - 1;

/**
 * The parts of a slot with values in an interval of each predicate.
 * @param indexBound returns the value of a bound in a slot, which has finite extremes for times
 */
export function slotIntervals(
  indexBound: NonNullable<QueriedValues['indexBound']>,
  predicates: readonly Predicate[],
): Bounds[] {
  return commonIntervals(predicates).map(({ low, high }) => {
    const [from, to] = [indexBound(low.value), indexBound(high.value)];
    return {
      low: [from, low.isAfter ? MAX : MIN],
      high: [to, high.isAfter ? MAX : MIN],
      conditions: { [low.isAfter ? '$gt' : '$gte']: from, [high.isAfter ? '$lte' : '$lt']: to },
    };
  });
}

/** The values in an interval of each predicate, as disjoint intervals in ascending order. */
function commonIntervals(predicates: readonly Predicate[]): Interval[] {
  const lists = predicates.map(({ test }) => (test.is === 'within' ? test.intervals : []));
  const common = lists.reduce((some, others) => some.flatMap((one) => others.flatMap((other) => overlap(one, other))));
  const disjoint: Interval[] = [];
  for (const interval of [...common].sort((one, other) => compare(one.low, other.low))) {
    const last = disjoint.at(-1);
    if (!last || compare(last.high, interval.low) < 0) disjoint.push({ ...interval });
    else if (compare(last.high, interval.high) < 0) last.high = interval.high;
  }
  return disjoint;
}

function overlap(one: Interval, other: Interval): Interval[] {
  const low = compare(one.low, other.low) < 0 ? other.low : one.low;
  const high = compare(one.high, other.high) < 0 ? one.high : other.high;
  return compare(low, high) < 0 ? [{ low, high }] : [];
}

function compare(one: Bound, other: Bound): number {
  if (one.value === other.value) return Number(one.isAfter) - Number(other.isAfter);
  return one.value < other.value ? -1 : 1;
}

/** The parts of a text slot with these texts, and with long ones that begin like one of them. */
export function slotTexts(texts: readonly string[]): Bounds[] {
  return points([...new Set(texts.map((text) => indexText(text) ?? ''))]);
}

/** The parts of the email index that hold these emails. */
export function emailPoints(emails: readonly string[]): Bounds[] {
  return points([...new Set(emails)]);
}

function points(texts: readonly string[]): Bounds[] {
  const ascending = [...texts].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  return ascending.map((text) => ({ low: [text, MIN], high: [text, MAX], conditions: { $eq: text } }));
}

/** The part of the email index with this prefix. */
export function emailPrefix(prefix: string): Bounds[] {
  return [textsFrom(prefix, prefix)];
}

/**
 * The parts of a text slot with every text of this prefix, in any case, and others. The text after
 * the prefix may change the normalized form of its last character, which a combining accent joins.
 */
export function slotPrefix(prefix: string): Bounds[] {
  const stable = stableStart(prefix);
  const isWhole = stable.length === prefix.length;
  const known = normalizedText(stable);
  const before = [...known].slice(0, -1).join('');
  // An ASCII letter combines to characters beyond ASCII only.
  const isAscii = isWhole && known !== '' && (known.at(-1) as string) < '\x80' && [...known].length < 64;
  return isAscii ? [textsFrom(known, known), textsFrom(`${before}\x80`, before)] : [textsFrom(before, before)];
}

/** The leading characters whose normalized forms do not depend on adjacent characters. */
function stableStart(prefix: string): string {
  const characters = [...prefix];
  let stable = '';
  for (const [index, character] of characters.entries()) {
    const follower = characters[index + 1] ?? '';
    if (!isStable(character) || /^[\p{M}\u1100-\u11FF]/u.test(follower)) break;
    stable += character;
  }
  return stable;
}

function isStable(character: string): boolean {
  // Marks join to the previous letter, and Hangul letters to syllables.
  if (/[\p{M}\u1100-\u11FF]/u.test(character)) return false;
  const forms = [character, character.toLowerCase(), character.toUpperCase()].map(normalizedText);
  return [...(forms[0] as string)].length === 1 && forms[0] === forms[1];
}

function textsFrom(low: string, prefix: string): Bounds {
  const next = nextText(prefix);
  const end = next === undefined ? AFTER_TEXTS : next;
  return { low: [low, MIN], high: [end, MIN], conditions: { $gte: low, ...(next !== undefined && { $lt: next }) } };
}

/** The lowest text after all texts with this prefix, if any. */
function nextText(prefix: string): string | undefined {
  const characters = [...prefix];
  while (characters.length > 0) {
    const code = (characters.pop() as string).codePointAt(0) as number;
    if (code >= 0x10_ffff) continue;
    return characters.join('') + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
  }
  return undefined;
}

/** The parts of the index on ids, newest first, for creation times in all predicates. */
export function idTimes(predicates: readonly Predicate[]): Bounds[] {
  return commonIntervals(predicates)
    .reverse()
    .map(({ low, high }) => {
      const newest = high === HIGHEST ? MAX : idAt(Number(high.value) + 1);
      const oldest = low === LOWEST ? MIN : idAt(Number(low.value));
      const conditions = { ...(high !== HIGHEST && { $lt: newest }), ...(low !== LOWEST && { $gte: oldest }) };
      return { low: [newest], high: [oldest], conditions };
    });
}

const idAt = (time: number) => firstIdAt(new Date(Math.min(Math.max(time, 0), MAX_ID_TIME)));
