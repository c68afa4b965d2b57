import { Binary, type Document, type FindOptions, MaxKey, MinKey, type Sort, UUID } from 'mongodb';
import { BY_EMAIL, NEWEST_FIRST, type RecordFilter, type UserDocument } from '../../core/users/users.model.ts';
import { readId } from '../../platform/bson/documents.ts';
import { decode } from '../../platform/database/collections.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import type { AppId } from '../../platform/http/operator-load.ts';
import { allOf } from './record-filters.ts';
import type { RecordSearch } from './word-reads.ts';

/** `id` and `email` are indexes of an app, `all` is that of all apps by id; others are slots. */
export type IndexName = 'id' | 'email' | (string & {});

export interface Segment {
  index: IndexName;
  bounds: Bounds;
  isReversed: boolean;
  /** Without conditions, every key in the bounds matches. */
  filter: RecordFilter;
  /** Whether the filter concerns the first member of the index alone. */
  isOfKeys: boolean;
  /** A condition besides the filter. */
  search?: RecordSearch | undefined;
}

export type Key = readonly unknown[];

/** From `low`, inclusive, to `high`, exclusive. */
export interface Bounds {
  low: Key;
  high: Key;
  /** The same part as conditions on the first member of the index. */
  conditions?: Record<string, unknown>;
}

/** A place in a segment: at this key, or after it when it was read. */
export interface Place {
  key: Key;
  isRead: boolean;
}

const MIN = new MinKey();
const MAX = new MaxKey();

/** All keys of the index on an app's ids, which is descending, and of ascending indexes. */
export const EVERY_ID: Bounds = { low: [MAX], high: [MIN] };
export const EVERY_ASCENDING: Bounds = { low: [MIN], high: [MAX] };
/** The keys of a slot with a value, and those without one. */
export const WITH_VALUE: Bounds = { low: [null, MAX], high: [MAX, MAX] };
export const WITHOUT_VALUE: Bounds = { low: [null, MIN], high: [null, MAX] };

export const inApp = (appId: AppId): RecordFilter => (appId ? { appId } : {});

export interface RangeOptions {
  from: Place | undefined;
  to?: Key | undefined;
  isFiltered: boolean;
}

interface RangeQuery {
  filter: RecordFilter;
  options: FindOptions;
}

interface Walkable {
  hint: Record<string, 1 | -1>;
  /** The members of a key, after `appId`. */
  members: readonly string[];
}

const WALKABLE: Readonly<Record<string, Walkable>> = {
  id: { hint: NEWEST_FIRST, members: ['_id'] },
  all: { hint: { _id: 1 }, members: ['_id'] },
  email: { hint: BY_EMAIL, members: ['email'] },
};

/** Describes one of the indexes above, or that of a slot. */
export function walkable(index: IndexName): Walkable {
  return WALKABLE[index] ?? { hint: { appId: 1, [index]: 1, _id: 1 }, members: [index, '_id'] };
}

/** Reads the key of a record from its members in the index. */
export function readKey(index: IndexName, document: Uint8Array): Key {
  const { members } = walkable(index);
  if (members.length === 1 && members[0] === '_id') return [readId(document)];
  const decoded = decode<Record<string, unknown>>(document);
  return members.map((member) => decoded[member] ?? null);
}

export function buildProjection(index: IndexName, others: readonly string[] = []): Record<string, 0 | 1> {
  const members = [...walkable(index).members, ...others];
  return { ...(!members.includes('_id') && { _id: 0 }), ...Object.fromEntries(members.map((member) => [member, 1])) };
}

/** `to` is exclusive, except in a reversed walk of an index other than that of emails. */
export function rangeQuery(
  appId: AppId,
  segment: Segment,
  { from, to, isFiltered, projection }: RangeOptions & { projection: Record<string, 0 | 1> },
): RangeQuery {
  const { index, isReversed } = segment;
  const { hint } = walkable(index);
  const sort = sortOf(segment);
  const own = isFiltered ? segment.filter : {};
  if (index === 'email') {
    return { filter: allOf(emailFilter(appId, segment, from, to), own), options: { hint, sort } };
  }
  const bounds = narrowed(segment, from, to);
  const isRepeated = from?.isRead === true && !isReversed && bounds.low === from.key;
  const afterRead = isRepeated ? typedFilter<UserDocument>({ _id: { $ne: from.key.at(-1) } }) : {};
  return {
    filter: isRepeated || !readsKeysOfSlot(index, own, projection) ? allOf(inApp(appId), afterRead, own) : {},
    options: {
      hint,
      sort,
      min: indexBound(appId, index, bounds.low),
      max: indexBound(appId, index, bounds.high),
    },
  };
}

/**
 * A read of ids alone by conditions, which MongoDB answers from the index; with `min`, `max` and a
 * filter it reads each record. Conditions match only ids of the type of their values: unless they
 * are `isWhole`, ids of other types may follow. Undefined for other reads.
 */
export function idConditions(
  appId: AppId,
  segment: Segment,
  { from, to, isFiltered }: RangeOptions,
  projection: Record<string, 0 | 1>,
): (RangeQuery & { isWhole: boolean }) | undefined {
  if (!appId || segment.index !== 'id' || Object.keys(projection).join() !== '_id') return undefined;
  if (isFiltered && Object.keys(segment.filter).length > 0) return undefined;
  const { low, high } = narrowed(segment, from, to);
  const ends = [low[0], high[0]];
  if (!ends.every((id) => id === MAX || id === MIN || id instanceof Binary)) return undefined;
  const { filter, hint } = idRange(appId, { ...segment, filter: {} }, from, to);
  return { filter, options: { hint, sort: sortOf(segment) }, isWhole: low[0] === MAX && high[0] === MIN };
}

/**
 * The bounds name the app too, but a cluster selects its shards by the filter. With a filter
 * MongoDB would read each record instead of the keys of a slot alone, so this read asks all shards.
 */
function readsKeysOfSlot(index: IndexName, filter: RecordFilter, projection: Record<string, 0 | 1>): boolean {
  const { members } = walkable(index);
  const names = Object.keys(projection);
  const readsKeys = names.length > 0 && names.every((name) => members.includes(name));
  return members.length > 1 && readsKeys && Object.keys(filter).length === 0;
}

function sortOf({ index, isReversed }: Segment): Sort {
  const { hint } = walkable(index);
  return (isReversed ? Object.fromEntries(Object.entries(hint).map(([name, order]) => [name, -order])) : hint) as Sort;
}

/** The same range of the index on ids as conditions, for an aggregation, which has no `min`. */
export function idRange(
  appId: AppId,
  segment: Segment,
  from: Place | undefined,
  to: Key | undefined,
): { filter: RecordFilter; hint: Record<string, 1 | -1> } {
  const { low, high } = narrowed(segment, from, to);
  const range = typedFilter<UserDocument>({ _id: { $lte: low[0], $gt: high[0] } });
  return { filter: allOf(inApp(appId), range, segment.filter), hint: NEWEST_FIRST };
}

/** MongoDB includes `min` and excludes `max`, in the order of the index. */
function narrowed({ index, bounds, isReversed }: Segment, from: Place | undefined, to: Key | undefined): Bounds {
  if (isReversed) return { low: to ?? bounds.low, high: from?.key ?? bounds.high };
  return { low: from ? lowestAfter(index, from) : bounds.low, high: to ?? bounds.high };
}

/**
 * After a record, a forward walk continues at the adjacent id: for a condition on the id MongoDB
 * reads the records. Ids of other types (manual edits) are returned as they are.
 */
function lowestAfter(index: IndexName, { key, isRead }: Place): Key {
  if (!isRead) return key;
  const id = key.at(-1);
  const adjacent = id instanceof Binary ? adjacentId(id, index === 'id' ? -1 : 1) : undefined;
  return adjacent ? [...key.slice(0, -1), adjacent] : key;
}

/** The UUID before or after another one, in the order of their bytes. */
function adjacentId(id: Binary, step: 1 | -1): UUID | undefined {
  const bytes = Buffer.from(id.buffer.subarray(0, id.position));
  const overflow = step === 1 ? 0xff : 0;
  for (let at = bytes.length - 1; at >= 0; at -= 1) {
    const byte = bytes[at] as number;
    bytes[at] = (byte + step) & 0xff;
    if (byte !== overflow) return bytes.length === 16 ? new UUID(bytes) : undefined;
  }
  return undefined;
}

function indexBound(appId: AppId, index: IndexName, key: Key): Document {
  return { ...inApp(appId), ...Object.fromEntries(walkable(index).members.map((member, at) => [member, key[at]])) };
}

/** Emails have conditions: with `min` and `max` MongoDB reads each record to compare its email. */
function emailFilter(
  appId: AppId,
  { bounds, isReversed }: Segment,
  from: Place | undefined,
  to: Key | undefined,
): RecordFilter {
  const conditions = { ...bounds.conditions };
  const [after, before] = isReversed ? (['$lt', '$gt'] as const) : (['$gt', '$lt'] as const);
  const parts = [
    ...(Object.keys(conditions).length > 0 ? [{ email: conditions }] : []),
    ...(from ? [{ email: { [from.isRead ? after : `${after}e`]: from.key[0] } }] : []),
    ...(to ? [{ email: { [before]: to[0] } }] : []),
  ];
  return allOf(inApp(appId), ...parts.map(typedFilter<UserDocument>));
}

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
