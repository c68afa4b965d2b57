import { firstBatch, type RawDocuments } from '../database/bson/documents.ts';
import { isEmptyRange, isOverTime } from '../database/failures.ts';
import { createReadQueues, type ReadQueues } from '../records/read-queues.ts';
import type { UserCollection } from '../records/record.ts';
import {
  type AppId,
  idRange,
  type Key,
  keyOf,
  type Place,
  placeAfterRange,
  projectionOf,
  rangeQuery,
  type Segment,
} from './index-range.ts';

/** A position in a list of segments; undefined is the start of the list. */
export interface Position {
  segment: number;
  /** Undefined: at the start of the segment. */
  place?: Place | undefined;
}

/** Some matches of a walk, and where it continues. */
export interface Step {
  documents: RawDocuments;
  /** The segment of the documents. */
  segment: Segment;
  /** The position after the documents; undefined at the end. */
  next: Position | undefined;
}

/** How often each value occurs in some matches, and where the walk continues. */
interface GroupStep {
  groups: { _id: unknown; count: number }[];
  next: Position | undefined;
}

/** The members of a record that a walk reads besides those of the index. */
export interface Reading {
  members?: readonly string[];
  /** The most documents of a step. */
  limit: number;
}

/** Time limits of one query on a range. */
const RANGE_TIME_MS = 1_000;
/** The range doubles after a query below the first time, and halves after one above the second. */
const SHORT_MS = 60;
const LONG_MS = 250;
/** The length of a range, in records. */
const INITIAL_RANGE = 1_000;
const MAX_RANGE = 10_000;

/** Documents that are decoded in one turn of the event loop; about 1 ms. */
const DOCUMENTS_PER_TURN = 200;

/** The time that a read may take. */
export interface Budget {
  leftMs(): number;
}

export function createBudget(milliseconds: number): Budget {
  const endsAt = performance.now() + milliseconds;
  return { leftMs: () => endsAt - performance.now() };
}

export const NO_LIMIT: Budget = { leftMs: () => Number.POSITIVE_INFINITY };

export type Walker = ReturnType<typeof createWalker>;

/**
 * Creates the reader of lists of segments. Each query covers a bounded range of an index, so that
 * it ends soon however few records match (invariant 7).
 */
export function createWalker(users: UserCollection, queues: ReadQueues = createReadQueues()) {
  async function find(
    appId: AppId,
    segment: Segment,
    range: Parameters<typeof rangeQuery>[2],
    { projection, limit, skip = 0 }: { projection: Record<string, 0 | 1>; limit: number; skip?: number },
  ): Promise<{ documents: RawDocuments; isWhole: boolean }> {
    const { filter, options } = rangeQuery(appId, segment, range);
    const cursor = users.find<Uint8Array>(filter, {
      ...options,
      ...{ raw: true, projection, limit, skip, batchSize: limit, maxTimeMS: RANGE_TIME_MS },
    });
    try {
      return await queues.scan(appId, () => firstBatch(cursor));
    } catch (error) {
      if (isEmptyRange(error)) return { documents: [], isWhole: true };
      throw error;
    }
  }

  /** Returns the key `length` keys after `from`; undefined when the segment ends before it. */
  async function keyAfter(
    appId: AppId,
    segment: Segment,
    from: Place | undefined,
    length: number,
  ): Promise<Key | undefined> {
    const projection = projectionOf(segment.index);
    const range = { from, isFiltered: false };
    const { documents } = await find(appId, segment, range, { projection, limit: 1, skip: length });
    return documents[0] && keyOf(segment.index, documents[0]);
  }

  return {
    /** Calls `process` for each document, a few in one turn of the event loop. */
    async each(documents: RawDocuments, process: (document: Uint8Array) => void): Promise<void> {
      for (const [index, document] of documents.entries()) {
        if (index > 0 && index % DOCUMENTS_PER_TURN === 0) await queues.turn();
        process(document);
      }
    },

    /**
     * Yields the matches of the segments from a position on, step by step, until the budget is
     * used. The first query is made in any case, and its range shrinks until it ends in time.
     *
     * @param reading.limit is asked before each step
     */
    async *walk(
      appId: AppId,
      segments: readonly Segment[],
      start: Position | undefined,
      reading: () => Reading,
      budget: Budget,
    ): AsyncGenerator<Step> {
      yield* paced(start, segments.length, budget, (position, length) => {
        const segment = segments[position.segment] as Segment;
        return readStep(appId, segment, position, length, reading(), segments.length);
      });
    },

    /**
     * Like `walk`, for segments of the index on ids. Yields how often each value of an expression
     * occurs, which MongoDB counts: a record takes a third of the time. Leaves out records
     * whose ids are not UUIDs, which come from manual edits only.
     */
    groups(appId: AppId, segments: readonly Segment[], expression: unknown, budget: Budget): AsyncGenerator<GroupStep> {
      return paced(undefined, segments.length, budget, async (position, length) => {
        const segment = segments[position.segment] as Segment;
        const to = await keyAfter(appId, segment, position.place, length);
        const { filter, hint } = idRange(appId, segment, position.place, to);
        const pipeline = [{ $match: filter }, { $group: { _id: expression, count: { $sum: 1 } } }];
        const groups = await queues.scan(appId, () =>
          users.aggregate<GroupStep['groups'][number]>(pipeline, { hint, maxTimeMS: RANGE_TIME_MS }).toArray(),
        );
        return { groups, next: afterRange(segment, position, to, segments.length) };
      });
    },

    /** Skips `count` keys of a segment that has no conditions; undefined when it has fewer. */
    async skip(appId: AppId, segment: Segment, count: number): Promise<Place | undefined> {
      const key = await keyAfter(appId, segment, undefined, count - 1);
      return key && { key, isRead: true };
    },
  };

  /** Yields step after step. The length of the ranges follows the time that they take. */
  async function* paced<Read extends { next: Position | undefined }>(
    start: Position | undefined,
    count: number,
    budget: Budget,
    read: (position: Position, length: number) => Promise<Read>,
  ): AsyncGenerator<Read> {
    let length = INITIAL_RANGE;
    let position: Position | undefined = start ?? { segment: 0 };
    let isFirst = true;
    while (position && position.segment < count) {
      if (!isFirst && budget.leftMs() <= 0) return;
      const startedAt = performance.now();
      try {
        const step: Read = await read(position, length);
        isFirst = false;
        const took = performance.now() - startedAt;
        if (took < SHORT_MS) length = Math.min(MAX_RANGE, length * 2);
        else if (took > LONG_MS) length = Math.max(1, Math.floor(length / 2));
        position = step.next;
        yield step;
      } catch (error) {
        if (!isOverTime(error) || length === 1) throw error;
        length = Math.max(1, Math.floor(length / 8));
      }
    }
  }

  /** Reads one range of a segment, or as many matches as `limit`, or as fit into one answer. */
  async function readStep(
    appId: AppId,
    segment: Segment,
    position: Position,
    length: number,
    { members = [], limit }: Reading,
    count: number,
  ): Promise<Step> {
    const from = position.place;
    const isTight = Object.keys(segment.filter).length === 0;
    const to = isTight ? undefined : await keyAfter(appId, segment, from, length);
    const asked = isTight ? Math.min(limit, Math.max(length, 1)) : limit;
    const range = { from, to, isFiltered: true };
    const projection = projectionOf(segment.index, ['_id', ...members]);
    const { documents, isWhole } = await find(appId, segment, range, { projection, limit: asked });
    const last = documents.at(-1);
    if (last && (!isWhole || documents.length === asked)) {
      const place = { key: keyOf(segment.index, last), isRead: true };
      return { documents, segment, next: { segment: position.segment, place } };
    }
    return { documents, segment, next: afterRange(segment, position, to, count) };
  }
}

/** The position after a range that ended at `to`, or with its segment. */
function afterRange(segment: Segment, position: Position, to: Key | undefined, count: number): Position | undefined {
  if (to) return { segment: position.segment, place: placeAfterRange(segment, to) };
  const following = position.segment + 1;
  return following < count ? { segment: following } : undefined;
}
