import { mongo, type Types } from 'mongoose';
import { decode } from '../database/collections.ts';
import { indexText, normalizedText } from '../fields/base/index-value.ts';
import { firstIdAt } from '../records/record-id.ts';
import {
  allOf,
  disjoint,
  type Filter,
  type Interval,
  intersection,
  type Ordered,
  type Predicate,
} from './condition-filters.ts';

/**
 * `id` and `email` are the indexes of an app's records, `all` is that of all apps by id; the others
 * are index slots.
 */
export type IndexName = 'id' | 'email' | (string & {});

/** A part of an index to walk, and what the records in it must fulfil besides. */
export interface Segment {
  index: IndexName;
  bounds: Bounds;
  /** Whether it is walked from its end. */
  isReversed: boolean;
  /** Without any condition, every key in the bounds is a match. */
  filter: Filter;
  /** Whether the filter concerns the first member of the index alone. */
  isOfKeys: boolean;
}

/** The values of the members of an index after `appId`, in their order. */
export type Key = readonly unknown[];

/** A part of an index: from `low`, which is included, to `high`, which is not. */
export interface Bounds {
  low: Key;
  high: Key;
  /** The same part as conditions on the first member of the index. */
  conditions?: Record<string, unknown>;
}

const MIN = new mongo.MinKey();
const MAX = new mongo.MaxKey();
/** The lowest value after all texts, in the order of BSON types. */
const AFTER_TEXTS = {};

const MAX_TIME = 8_640_000_000_000_000;
/** The last time that the id of a record can hold. */
const MAX_ID_TIME = 2 ** 48 - 1;

/** Every key of the index on an app's ids, whose order is descending, and of ascending indexes. */
export const EVERY_ID: Bounds = { low: [MAX], high: [MIN] };
export const EVERY_ASCENDING: Bounds = { low: [MIN], high: [MAX] };
/** The keys of a slot with a value, and those without one. */
export const WITH_VALUE: Bounds = { low: [null, MAX], high: [MAX, MAX] };
export const WITHOUT_VALUE: Bounds = { low: [null, MIN], high: [null, MAX] };

/** The parts of a slot for values within all of several lists of intervals. */
export function slotIntervals(type: 'number' | 'checkbox' | 'date', lists: readonly (readonly Interval[])[]): Bounds[] {
  const [first = [], ...rest] = lists;
  const intervals = disjoint(rest.reduce<readonly Interval[]>(intersection, first));
  const [lowest, highest] = EXTREMES[type];
  return intervals.map(({ from = lowest, isFromOpen, to = highest, isToOpen }) => {
    const [low, high] = [storedIn(type, from), storedIn(type, to)];
    return {
      low: [low, isFromOpen ? MAX : MIN],
      high: [high, isToOpen ? MIN : MAX],
      conditions: { [isFromOpen ? '$gt' : '$gte']: low, [isToOpen ? '$lt' : '$lte']: high },
    };
  });
}

const EXTREMES: Record<'number' | 'checkbox' | 'date', [Ordered, Ordered]> = {
  number: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  checkbox: [false, true],
  date: [-MAX_TIME, MAX_TIME],
};

const storedIn = (type: string, value: Ordered): unknown => (type === 'date' ? new Date(Number(value)) : value);

/** The parts of a text slot that hold these texts, and long ones that begin like one of them. */
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

/** The part of the email index that holds the emails with this beginning. */
export function emailPrefix(prefix: string): Bounds[] {
  return [textsFrom(prefix, prefix)];
}

/**
 * The parts of a text slot that hold every text with this beginning, in any case, and others. What
 * follows the beginning in a stored text may change the normalized form of its last character: a
 * combining accent becomes one character with it.
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

/** The leading characters whose normalized forms do not depend on the characters around them. */
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
  // Marks join to the letter before them, and Hangul letters to syllables.
  if (/[\p{M}\u1100-\u11FF]/u.test(character)) return false;
  const forms = [character, character.toLowerCase(), character.toUpperCase()].map(normalizedText);
  return [...(forms[0] as string)].length === 1 && forms[0] === forms[1];
}

/** The texts from `low` to the last one that begins with `prefix`. */
function textsFrom(low: string, prefix: string): Bounds {
  const next = nextText(prefix);
  const end = next === undefined ? AFTER_TEXTS : next;
  return { low: [low, MIN], high: [end, MIN], conditions: { $gte: low, ...(next !== undefined && { $lt: next }) } };
}

/** The lowest text after all texts that begin with `prefix`; undefined when there is none. */
function nextText(prefix: string): string | undefined {
  const characters = [...prefix];
  while (characters.length > 0) {
    const code = (characters.pop() as string).codePointAt(0) as number;
    if (code >= 0x10_ffff) continue;
    // The code points of surrogates are not characters.
    return characters.join('') + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
  }
  return undefined;
}

/** The parts of the index on `_id`, newest first, for times of creation within all of the lists. */
export function idTimes(predicates: readonly Predicate[]): Bounds[] {
  const lists = predicates.map(({ test }) => (test.is === 'within' ? test.intervals : []));
  const [first = [], ...rest] = lists;
  const intervals = disjoint(rest.reduce<readonly Interval[]>(intersection, first));
  return intervals.reverse().map(({ from, to }) => {
    const newest = to === undefined ? MAX : idAt(Number(to) + 1);
    const oldest = from === undefined ? MIN : idAt(Number(from));
    const conditions = { ...(to !== undefined && { $lt: newest }), ...(from !== undefined && { $gte: oldest }) };
    return { low: [newest], high: [oldest], conditions };
  });
}

const idAt = (time: number) => firstIdAt(new Date(Math.min(Math.max(time, 0), MAX_ID_TIME)));

/** The app of a walk; undefined for the records of all apps. */
export type AppId = Types.ObjectId | undefined;

/** Names the shard key's prefix, where a walk has one. */
const ofApp = (appId: AppId): Filter => (appId ? { appId } : {}) as Filter;

/** A place in a segment: at this key, or after it when it was read. */
export interface Place {
  key: Key;
  isRead: boolean;
}

/** A query on a part of an index, without its projection and limit. */
interface RangeQuery {
  filter: Filter;
  options: mongo.FindOptions;
}

/** Where walking one index differs from walking another. */
interface Walkable {
  hint: Record<string, 1 | -1>;
  /** The members of a key, after `appId`. */
  members: readonly string[];
}

/** Of the records of all apps. */
const BY_ID_OF_ALL: Walkable = { hint: { _id: 1 }, members: ['_id'] };

const BY_ID: Walkable = { hint: { appId: 1, _id: -1 }, members: ['_id'] };
export const BY_EMAIL: Walkable = { hint: { appId: 1, email: 1 }, members: ['email'] };

function walkable(index: IndexName): Walkable {
  if (index === 'id') return BY_ID;
  if (index === 'email') return BY_EMAIL;
  if (index === 'all') return BY_ID_OF_ALL;
  return { hint: { appId: 1, [index]: 1, _id: 1 }, members: [index, '_id'] };
}

/** The index as a `hint`. */
export const hintOf = (index: IndexName): Record<string, 1 | -1> => walkable(index).hint;

/** Reads the key of a record from its members in the index. */
export function keyOf(index: IndexName, document: Uint8Array): Key {
  const decoded = decode<Record<string, unknown>>(document);
  return walkable(index).members.map((member) => decoded[member] ?? null);
}

/** The projection of the members of an index, and of others. */
export function projectionOf(index: IndexName, others: readonly string[] = []): Record<string, 0 | 1> {
  const members = [...walkable(index).members, ...others];
  return { ...(!members.includes('_id') && { _id: 0 }), ...Object.fromEntries(members.map((member) => [member, 1])) };
}

/**
 * The query for the keys of a segment from `from` to `to`, in the direction of the walk.
 *
 * @param to not part of the range, except in a reversed walk of an index other than that of emails
 * @param isFiltered whether the conditions of the segment apply; without them MongoDB answers from
 *   the index alone
 */
export function rangeQuery(
  appId: AppId,
  segment: Segment,
  { from, to, isFiltered }: { from: Place | undefined; to?: Key | undefined; isFiltered: boolean },
): RangeQuery {
  const { index, isReversed } = segment;
  const { hint } = walkable(index);
  const sort = isReversed ? Object.fromEntries(Object.entries(hint).map(([name, order]) => [name, -order])) : hint;
  const own = isFiltered ? segment.filter : {};
  if (index === 'email') {
    return { filter: allOf(emailFilter(appId, segment, from, to), own), options: { hint, sort: sort as mongo.Sort } };
  }
  const bounds = narrowed(segment, from, to);
  const isRepeated = from?.isRead === true && !isReversed && bounds.low === from.key;
  const afterRead = isRepeated ? ({ _id: { $ne: from.key.at(-1) } } as Filter) : {};
  const scope = Object.keys(own).length > 0 ? ofApp(appId) : {};
  return {
    filter: allOf(scope, afterRead, own),
    options: {
      ...{ hint, sort: sort as mongo.Sort },
      min: boundOf(appId, index, bounds.low),
      max: boundOf(appId, index, bounds.high),
    },
  };
}

/** The same range of the index on ids as conditions, for an aggregation, which has no `min`. */
export function idRange(
  appId: AppId,
  segment: Segment,
  from: Place | undefined,
  to: Key | undefined,
): { filter: Filter; hint: Record<string, 1 | -1> } {
  const { low, high } = narrowed(segment, from, to);
  const range = { _id: { $lte: low[0], $gt: high[0] } } as Filter;
  return { filter: allOf(ofApp(appId), range, segment.filter), hint: BY_ID.hint };
}

/** MongoDB includes `min` and excludes `max`, in the order of the index. */
function narrowed({ index, bounds, isReversed }: Segment, from: Place | undefined, to: Key | undefined): Bounds {
  if (isReversed) return { low: to ?? bounds.low, high: from?.key ?? bounds.high };
  return { low: from ? lowestAfter(index, from) : bounds.low, high: to ?? bounds.high };
}

/**
 * The key at which a forward walk continues: after a record that of the adjacent id, because a
 * condition on the id would make MongoDB read the records instead of the index alone. Ids of other
 * types than UUID come from manual edits only; their own key is returned.
 */
function lowestAfter(index: IndexName, { key, isRead }: Place): Key {
  if (!isRead) return key;
  const id = key.at(-1);
  const adjacent = id instanceof mongo.Binary ? adjacentId(id, index === 'id' ? -1 : 1) : undefined;
  return adjacent ? [...key.slice(0, -1), adjacent] : key;
}

/** The UUID before or after another one, in the order of their bytes. */
function adjacentId(id: mongo.Binary, step: 1 | -1): mongo.UUID | undefined {
  const bytes = Buffer.from(id.buffer.subarray(0, id.position));
  const overflow = step === 1 ? 0xff : 0;
  for (let at = bytes.length - 1; at >= 0; at -= 1) {
    const byte = bytes[at] as number;
    bytes[at] = (byte + step) & 0xff;
    if (byte !== overflow) return bytes.length === 16 ? new mongo.UUID(bytes) : undefined;
  }
  return undefined;
}

function boundOf(appId: AppId, index: IndexName, key: Key): mongo.Document {
  return { ...ofApp(appId), ...Object.fromEntries(walkable(index).members.map((member, at) => [member, key[at]])) };
}

/**
 * Emails are bounded by conditions: with `min` and `max`, MongoDB would read the record of each key
 * to compare its email.
 */
function emailFilter(
  appId: AppId,
  { bounds, isReversed }: Segment,
  from: Place | undefined,
  to: Key | undefined,
): Filter {
  const conditions = { ...bounds.conditions };
  const [after, before] = isReversed ? (['$lt', '$gt'] as const) : (['$gt', '$lt'] as const);
  const parts = [
    ...(Object.keys(conditions).length > 0 ? [{ email: conditions }] : []),
    ...(from ? [{ email: { [from.isRead ? after : `${after}e`]: from.key[0] } }] : []),
    ...(to ? [{ email: { [before]: to[0] } }] : []),
  ];
  return allOf(ofApp(appId), ...(parts as Filter[]));
}

/** Where a walk continues after a range that ended at `to`. */
export function placeAfterRange({ index, isReversed }: Segment, to: Key): Place {
  return { key: to, isRead: isReversed && index !== 'email' };
}

/** The segments of a forward walk up to a position; all of them without one. */
export function upTo(segments: readonly Segment[], end: { segment: number; place?: Place | undefined } | undefined) {
  if (!end) return segments;
  const before = segments.slice(0, end.segment);
  const cut = segments[end.segment];
  return cut && end.place ? [...before, cutAt(cut, end.place)] : before;
}

function cutAt(segment: Segment, place: Place): Segment {
  const { index, bounds } = segment;
  const [key] = place.key;
  const conditions = { ...bounds.conditions, [place.isRead ? '$lte' : '$lt']: key };
  return { ...segment, bounds: { low: bounds.low, high: lowestAfter(index, place), conditions } };
}
