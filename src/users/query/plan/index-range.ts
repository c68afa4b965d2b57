import { mongo, type Types } from 'mongoose';
import { decode } from '../../../database/collections.ts';
import { allOf, type Filter } from '../conditions/filter.ts';
import type { Bounds, Key } from './bounds.ts';
import type { IndexName, Segment } from './segment.ts';

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
export interface RangeQuery {
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
