import { Binary, BSON, type ObjectId } from 'mongodb';
import { type DocumentId, readId } from '../../platform/bson/documents.ts';
import { decode } from '../../platform/database/collections.ts';
import type { AppId } from '../../platform/http/operator-load.ts';
import { readKey, upTo } from '../record-reads/range-queries.ts';
import { type Budget, NO_LIMIT, type Position, type RecordRanges, type Segment } from '../record-reads/ranges.ts';
import { type ReadMembers, readValue, type Sort, valueMembers } from './condition-filters.ts';

export interface OrderedStart {
  position?: Position | undefined;
  /** Matches to leave out first. */
  skip?: number;
}

export interface FoundPage<Start> {
  ids: DocumentId[];
  /** Undefined when there is none. */
  next: Start | undefined;
  /** Whether the page is full, or all matches were read. */
  isComplete: boolean;
}

/** The time limit of the search for one more match after the page is full. */
const LOOK_AHEAD_MS = 100;
/** After this time, a search with matches answers instead of filling its page. */
const EAGER_MS = 120;
/** From this number on, the database skips keys without conditions. */
const MIN_DATABASE_SKIP = 200;

/** A page of an ordered walk. `isEager`: answers soon with what was found, during typing. */
export async function orderedPage(
  ranges: RecordRanges,
  appId: AppId,
  segments: readonly Segment[],
  { start, limit, budget, isEager }: { start: OrderedStart; limit: number; budget: Budget; isEager: boolean },
): Promise<FoundPage<OrderedStart>> {
  if (segments.length === 0) return { ids: [], next: undefined, isComplete: true };
  const startedAt = performance.now();
  const ids: DocumentId[] = [];
  let { skip = 0, position } = await skipped(ranges, appId, segments, start);
  // One match beyond the page shows whether there is a next one.
  const reading = () => ({ limit: skip + limit + 1 - ids.length });
  for await (const step of ranges.walk(appId, segments, position, reading, { budget })) {
    const left = step.documents.slice(skip);
    skip -= step.documents.length - left.length;
    const room = limit - ids.length;
    ids.push(...left.slice(0, room).map(readId));
    if (left.length > room) {
      const last = left[room - 1];
      const segment = segments.indexOf(step.segment);
      if (last) position = { segment, place: { key: readKey(step.segment.index, last), isRead: true } };
      return { ids, next: { position }, isComplete: true };
    }
    position = step.next;
    if (position === undefined) return { ids, next: undefined, isComplete: true };
    const took = performance.now() - startedAt;
    if (ids.length === limit && took > LOOK_AHEAD_MS) break;
    if (isEager && ids.length > 0 && took > EAGER_MS) break;
  }
  return { ids, next: { position, skip }, isComplete: ids.length === limit };
}

async function skipped(
  ranges: RecordRanges,
  appId: AppId,
  segments: readonly Segment[],
  start: OrderedStart,
): Promise<OrderedStart> {
  const { skip = 0, position } = start;
  const [first] = segments;
  if (skip < MIN_DATABASE_SKIP || position || !first || first.search || Object.keys(first.filter).length > 0)
    return start;
  const place = await ranges.skip(appId, first, skip);
  return place ? { position: { segment: 0, place } } : start;
}

type SortValue = string | number | boolean;

/** `null` represents no value, which is last in both orders. */
interface SortKey {
  value: SortValue | null;
  id: DocumentId;
}

/** A part of the walk that is sorted as a whole. Matches up to `after` were answered. */
interface Region {
  end?: Position | undefined;
  after?: SortKey | undefined;
}

/** A part that was read when the time ended becomes a region: each match is answered once. */
export interface SortedStart {
  from?: Position | undefined;
  regions?: Region[];
  skip?: number;
}

const STEP_LIMIT = 10_000;
/** Above it the first region is read to its end: a cursor has at most 8,000 characters. */
const MAX_REGIONS_LENGTH = 2_500;

/** A page of an unordered walk, sorted. Memory use grows with `limit` and `skip` only. */
export async function sortedPage(
  ranges: RecordRanges,
  appId: ObjectId,
  segments: readonly Segment[],
  { start, limit, sort, budget }: { start: SortedStart; limit: number; sort: Sort; budget: Budget },
): Promise<FoundPage<SortedStart>> {
  const { from, skip = 0, regions: [region = {}, ...later] = [{}] } = start;
  const wanted = skip + limit;
  const best = createBest(wanted + 1, sort);
  const read = await readRegion();
  const answered = best.keys.slice(0, wanted);
  const hasMore = best.keys.length > wanted;
  const rest: Region = { end: region.end, after: region.after };
  const regions = [
    ...(hasMore ? [{ end: read.isWhole ? region.end : read.position, after: answered.at(-1) ?? region.after }] : []),
    ...(read.isWhole ? [] : [rest]),
    ...later,
  ];
  const begin = hasMore ? from : read.isWhole ? region.end : read.position;
  const next = { from: begin, regions, skip: Math.max(0, skip - answered.length) };
  return {
    ids: answered.slice(skip).map(({ id }) => id),
    next: regions.length > 0 ? next : undefined,
    isComplete: read.isWhole && later.length === 0,
  };

  async function readRegion(): Promise<{ isWhole: boolean; position: Position | undefined }> {
    let position: Position | undefined = from ?? { segment: 0 };
    // The id has the time of creation.
    const members = sort.target.path === 'createdAt' ? [] : valueMembers(sort.target);
    const reading = () => ({ limit: STEP_LIMIT, members });
    const time = BSON.EJSON.stringify(later).length < MAX_REGIONS_LENGTH ? budget : NO_LIMIT;
    const part = upTo(segments, region.end);
    for await (const step of ranges.walk(appId, part, position, reading, { budget: time })) {
      await ranges.each(step.documents, (document) => best.add(readSortKey(document, sort), region.after));
      position = step.next;
    }
    return { isWhole: position === undefined || position.segment >= part.length, position };
  }
}

function createBest(count: number, sort: Sort) {
  const keys: SortKey[] = [];
  return {
    keys,

    /** Keeps a key after `after`, if it is one of the first. */
    add(key: SortKey, after: SortKey | undefined): void {
      if (after && compare(key, after, sort) <= 0) return;
      const last = keys[count - 1];
      if (last && compare(key, last, sort) >= 0) return;
      let [low, high] = [0, keys.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (compare(keys[middle] as SortKey, key, sort) < 0) low = middle + 1;
        else high = middle;
      }
      keys.splice(low, 0, key);
      if (keys.length > count) keys.pop();
    },
  };
}

function readSortKey(document: Uint8Array, { target }: Sort): SortKey {
  const record = decode<ReadMembers & { _id: DocumentId }>(document);
  const id = record._id;
  if (target.path === 'createdAt') return { value: 0, id };
  return { value: target.values.sortValue?.(readValue(target, record)) ?? null, id };
}

/** By value, then by id; no value is last. */
function compare(one: SortKey, other: SortKey, { direction }: Sort): number {
  if ((one.value === null) !== (other.value === null)) return one.value === null ? 1 : -1;
  return direction * (compareValues(one.value, other.value) || compareIds(one.id, other.id));
}

function compareValues(one: SortValue | null, other: SortValue | null): number {
  if (one === other || one === null || other === null) return 0;
  if (typeof one !== typeof other) return TYPES.indexOf(typeof one) - TYPES.indexOf(typeof other);
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other);
  return one < other ? -1 : 1;
}

/** As in MongoDB. */
const TYPES = ['number', 'string', 'boolean'] as readonly string[];

/** By code points, as in MongoDB; JavaScript compares UTF-16 units. */
function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a === b) continue;
    // Surrogates represent code points above all others.
    const [isHigh, isOtherHigh] = [(a & 0xf800) === 0xd800, (b & 0xf800) === 0xd800];
    return isHigh === isOtherHigh ? a - b : isHigh ? 1 : -1;
  }
  return one.length - other.length;
}

function compareIds(one: unknown, other: unknown): number {
  if (one instanceof Binary && other instanceof Binary) return Buffer.compare(one.buffer, other.buffer);
  return compareTexts(String(one), String(other));
}
