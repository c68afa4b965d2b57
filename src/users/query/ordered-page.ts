import { type DocumentId, idOf } from '../../database/bson/raw-batches.ts';
import { type AppId, keyOf } from './plan/index-range.ts';
import type { Segment } from './plan/segment.ts';
import type { Budget, Position, Walker } from './walk.ts';

/** Where a page of an ordered walk begins. */
export interface OrderedStart {
  position?: Position | undefined;
  /** Matches to leave out first. */
  skip?: number;
}

/** The ids of one page. */
export interface FoundPage<Start> {
  ids: DocumentId[];
  /** Where the next page begins; undefined when there is none. */
  next: Start | undefined;
  /** Whether the page is full, or all matches were read. */
  isComplete: boolean;
}

/** After the page is full, the search for one more match takes at most this long. */
const LOOK_AHEAD_MS = 100;
/** A search that has found something answers after this time instead of filling its page. */
const EAGER_MS = 120;
/** From this number on, keys without conditions are skipped by the database. */
const MIN_DATABASE_SKIP = 200;

/**
 * Resolves with the ids of the next `limit` matches of an ordered walk.
 *
 * @param isEager whether to answer soon with what was found, for a search while someone types
 */
export async function orderedPage(
  walker: Walker,
  appId: AppId,
  segments: readonly Segment[],
  { start, limit, budget, isEager }: { start: OrderedStart; limit: number; budget: Budget; isEager: boolean },
): Promise<FoundPage<OrderedStart>> {
  if (segments.length === 0) return { ids: [], next: undefined, isComplete: true };
  const startedAt = performance.now();
  const ids: DocumentId[] = [];
  let { skip = 0, position } = await skipped(walker, appId, segments, start);
  // One match beyond the page tells whether there is a next one.
  const reading = () => ({ limit: skip + limit + 1 - ids.length });
  for await (const step of walker.walk(appId, segments, position, reading, budget)) {
    const left = step.documents.slice(skip);
    skip -= step.documents.length - left.length;
    const room = limit - ids.length;
    ids.push(...left.slice(0, room).map(idOf));
    if (left.length > room) {
      const last = left[room - 1];
      if (last)
        position = {
          segment: segments.indexOf(step.segment),
          place: { key: keyOf(step.segment.index, last), isRead: true },
        };
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

/** Skips in the database what needs no comparison. */
async function skipped(
  walker: Walker,
  appId: AppId,
  segments: readonly Segment[],
  start: OrderedStart,
): Promise<OrderedStart> {
  const { skip = 0, position } = start;
  const [first] = segments;
  if (skip < MIN_DATABASE_SKIP || position || !first || Object.keys(first.filter).length > 0) return start;
  const place = await walker.skip(appId, first, skip);
  return place ? { position: { segment: 0, place } } : start;
}
