import type { Sort } from 'mongodb';
import type { UserCollection, UserDocument } from '../../core/users/users.model.ts';
import { firstBatch, type RawDocuments, takeBytes, totalBytes } from '../../platform/bson/documents.ts';
import { MAX_PAGE_BYTES, PAGE_BYTES } from '../../platform/bson/pages.ts';
import { isEmptyRange, isOverTime } from '../../platform/database/failures.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import {
  type AppId,
  createOperatorLoad,
  type OperatorLoad,
  type StatementLoad,
} from '../../platform/http/operator-load.ts';
import {
  buildProjection,
  idConditions,
  idRange,
  inApp,
  type Key,
  type Place,
  placeAfterRange,
  type RangeOptions,
  rangeQuery,
  readKey,
  type Segment,
  walkable,
} from './range-queries.ts';
import { allOf } from './record-filters.ts';
import { BY_WORD, createWordPlans, type RecordSearch, type WordLimits } from './word-reads.ts';

export {
  type Bounds,
  EVERY_ASCENDING,
  EVERY_ID,
  type IndexName,
  type Key,
  type Segment,
  WITH_VALUE,
  WITHOUT_VALUE,
} from './range-queries.ts';

/** A position in a list of segments; undefined is the start of the list. */
export interface Position {
  segment: number;
  /** Undefined: at the start of the segment. */
  place?: Place | undefined;
}

/** The result of one query or a few, in one segment. */
interface PartStep {
  /** Where the segment continues; undefined at its end. */
  next: Omit<Position, 'segment'> | undefined;
  /** The end of the range, while there may be more matches in it. */
  rangeEnd?: Key | undefined;
}

type Placed<Read extends PartStep> = Omit<Read, 'next'> & {
  /** The position after what was read; undefined at the end of the list. */
  next: Position | undefined;
};

interface ReadPart extends PartStep {
  documents: RawDocuments;
}

interface Reading {
  /** Members of the record besides those of the index, or the whole record. */
  members?: readonly string[] | 'all';
  /** The most documents of a step. */
  limit: number;
}

interface WalkOptions {
  budget?: Budget;
  /** What the statements of a walk without a budget are. */
  step?: StatementLoad;
  /** No query starts after it was aborted. */
  signal?: AbortSignal | undefined;
  /** Whether the walk may read nothing when the budget is used. */
  isOptional?: boolean;
}

/** The app whose records are read, or all apps, and what runs the queries. */
interface Source {
  appId: AppId;
  run<T>(query: () => Promise<T>): Promise<T>;
  /** The time limit of each query. */
  maxTimeMS: number;
}

const RANGE_TIME_MS = 1_000;
/** The time limit of queries on keys alone; below the deadline of a request. */
const KEYS_TIME_MS = 2_000;
/** The range doubles after a query below the first time, and halves after one above the second. */
const SHORT_MS = 60;
const LONG_MS = 250;
/** The length of a range, in records. */
const INITIAL_RANGE = 1_000;
const MAX_RANGE = 10_000;

/** Documents that are decoded in one turn of the event loop, in about 1 ms. */
const DOCUMENTS_PER_TURN = 200;
/** The size of the records that are searched in one turn, in about 1 ms. */
const BYTES_PER_TURN = 64 * 1024;
/** The most records that one query reads for a search; at most 16 MB. */
const MAX_CANDIDATES = 1_000;
/** A few candidates match only words that their values no longer have. */
const MIN_CANDIDATES = 20;

export interface Budget {
  leftMs(): number;
}

export function createBudget(milliseconds: number): Budget {
  const endsAt = performance.now() + milliseconds;
  return { leftMs: () => endsAt - performance.now() };
}

export const NO_LIMIT: Budget = { leftMs: () => Number.POSITIVE_INFINITY };

export type RecordRanges = ReturnType<typeof createRecordRanges>;

/**
 * Reads records in ranges of an index. Each query is bounded (invariant 7) and starts after the
 * last record of the previous one, so no cursor stays open for a slow reader. A read with a budget
 * is that of a request in its turn. Without one it is long work, whose queries wait as steps.
 */
export function createRecordRanges(
  users: UserCollection,
  load: Pick<OperatorLoad, 'step' | 'pause'> = createOperatorLoad(),
  wordLimits?: WordLimits,
) {
  const planWords = createWordPlans(users, wordLimits);

  function runnerOf(appId: AppId, budget: Budget, step: StatementLoad = 'scan'): Source['run'] {
    return Number.isFinite(budget.leftMs()) ? (query) => query() : (query) => load.step(step, appId, query);
  }

  async function find(
    { appId, run, maxTimeMS }: Source,
    segment: Segment,
    range: RangeOptions,
    read: { projection: Record<string, 0 | 1>; limit: number; skip?: number },
  ): Promise<{ documents: RawDocuments; isWhole: boolean }> {
    const limited = { raw: true, batchSize: read.limit, maxTimeMS, ...read };
    const ids = idConditions(appId, segment, range, read.projection);
    if (ids) {
      const found = await run(() => firstBatch(users.find<Uint8Array>(ids.filter, { ...ids.options, ...limited })));
      if (ids.isWhole || found.documents.length === read.limit) return found;
    }
    const { filter, options } = rangeQuery(appId, segment, { ...range, projection: read.projection });
    const cursor = users.find<Uint8Array>(filter, { ...options, ...limited });
    try {
      return await run(() => firstBatch(cursor));
    } catch (error) {
      if (isEmptyRange(error)) return { documents: [], isWhole: true };
      throw error;
    }
  }

  async function keyAfter(
    source: Source,
    segment: Segment,
    from: Place | undefined,
    length: number,
  ): Promise<Key | undefined> {
    const projection = buildProjection(segment.index);
    const range = { from, isFiltered: false };
    const { documents } = await find(source, segment, range, { projection, limit: 1, skip: length });
    return documents[0] && readKey(segment.index, documents[0]);
  }

  return {
    /** Calls `process` for each document, a few in one turn of the event loop. */
    async each(documents: RawDocuments, process: (document: Uint8Array) => void): Promise<void> {
      for (const [index, document] of documents.entries()) {
        if (index > 0 && index % DOCUMENTS_PER_TURN === 0) await load.pause();
        process(document);
      }
    },

    /**
     * Yields the matches from a position on, until the budget is used. Unless the walk is optional,
     * the first query is made in any case, and its range shrinks until it ends in time. `reading`
     * is called before each step.
     */
    async *walk(
      appId: AppId,
      segments: readonly Segment[],
      start: Position | undefined,
      reading: () => Reading,
      options: WalkOptions = {},
    ): AsyncGenerator<Placed<ReadPart> & { segment: Segment }> {
      const plans = segments.map(({ index, search }) => planWords(appId, search?.index, index === 'id'));
      yield* paced(appId, start, segments.length, options, async (source, position, range) => {
        const segment = segments[position.segment] as Segment;
        const plan = plans[position.segment] as (typeof plans)[number];
        const { place } = position;
        const part = segment.search
          ? await search(source, segment, place, range, reading(), plan)
          : await readPart(source, segment, place, range, reading());
        return { ...part, segment };
      });
    },

    /** How often each value of an expression occurs, by id. Leaves out ids that are not UUIDs. */
    groups(appId: AppId, segments: readonly Segment[], expression: unknown, budget: Budget) {
      return paced(appId, undefined, segments.length, { budget }, async (source, position, { length }) => {
        const segment = segments[position.segment] as Segment;
        const to = await keyAfter(source, segment, position.place, length);
        const { filter, hint } = idRange(appId, segment, position.place, to);
        const pipeline = [{ $match: filter }, { $group: { _id: expression, count: { $sum: 1 } } }];
        const groups = await source.run(() =>
          users.aggregate<{ _id: unknown; count: number }>(pipeline, { hint, maxTimeMS: source.maxTimeMS }).toArray(),
        );
        return { groups, next: to && { place: placeAfterRange(segment, to) } };
      });
    },

    /** Skips `count` keys of a segment that has no conditions; undefined when it has fewer. */
    async skip(appId: AppId, segment: Segment, count: number): Promise<Place | undefined> {
      const source: Source = { appId, run: (query) => query(), maxTimeMS: KEYS_TIME_MS };
      const key = await keyAfter(source, segment, undefined, count - 1);
      return key && { key, isRead: true };
    },

    /** Counts matches up to `most + 1`; undefined when the index alone does not suffice in time. */
    async countKeys(appId: AppId, segment: Segment, most: number, budget: Budget): Promise<number | undefined> {
      const { index, bounds, filter, isOfKeys } = segment;
      const isWhole = bounds.conditions === undefined;
      if (!isOfKeys || (isWhole && index !== 'id' && index !== 'email')) return undefined;
      const conditions = typedFilter<UserDocument>(
        isWhole ? {} : { [index === 'id' ? '_id' : index]: bounds.conditions },
      );
      const maxTimeMS = Math.max(1, Math.ceil(Math.min(KEYS_TIME_MS, budget.leftMs())));
      try {
        return await runnerOf(
          appId,
          budget,
        )(() =>
          users.countDocuments(allOf(inApp(appId), conditions, filter), {
            hint: walkable(index).hint,
            maxTimeMS,
            ...(Number.isFinite(most) && { limit: most + 1 }),
          }),
        );
      } catch (error) {
        if (isOverTime(error)) return undefined;
        throw error;
      }
    },
  };

  async function* paced<Read extends PartStep>(
    appId: AppId,
    start: Position | undefined,
    count: number,
    { budget = NO_LIMIT, step, signal, isOptional = false }: WalkOptions,
    read: (source: Source, position: Position, range: Range) => Promise<Read>,
  ): AsyncGenerator<Placed<Read>> {
    let took = 0;
    const runner = runnerOf(appId, budget, step);
    const run: Source['run'] = (query) =>
      runner(async () => {
        signal?.throwIfAborted();
        const startedAt = performance.now();
        const result = await query();
        took += performance.now() - startedAt;
        return result;
      });
    let range: Range = { length: INITIAL_RANGE };
    let position: Position | undefined = start ?? { segment: 0 };
    let mayEnd = isOptional;
    while (position && position.segment < count) {
      if (signal?.aborted || (mayEnd && budget.leftMs() <= 0)) return;
      let part: Read;
      took = 0;
      const maxTimeMS = timeLimit(budget, mayEnd ? 1 : leastTime(range));
      try {
        part = await read({ appId, run, maxTimeMS }, position, range);
      } catch (error) {
        if (signal?.aborted) return;
        if (!isOverTime(error) || (range.length === 1 && maxTimeMS === RANGE_TIME_MS)) throw error;
        range = { length: Math.max(1, Math.floor(range.length / 8)) };
        continue;
      }
      mayEnd = true;
      range = { length: nextLength(range.length, took), end: part.rangeEnd };
      position = positionAfter(position.segment, part, count);
      yield { ...part, next: position };
    }
  }

  async function readPart(
    source: Source,
    segment: Segment,
    from: Place | undefined,
    { length, end }: Range,
    reading: Reading,
  ): Promise<ReadPart> {
    const isUnfiltered = Object.keys(segment.filter).length === 0;
    const to = isUnfiltered ? undefined : (end ?? (await keyAfter(source, segment, from, length)));
    const limit = isUnfiltered ? Math.min(reading.limit, length) : reading.limit;
    const range = { from, to, isFiltered: true };
    const found = await find(source, segment, range, { projection: projectionOf(segment, reading), limit });
    return cutPart(segment, found, { ...reading, limit }, to);
  }

  /** Reads candidates, and selects those that the search matches. */
  async function search(
    source: Source,
    segment: Segment,
    from: Place | undefined,
    range: Range,
    { members = [], limit }: Reading,
    plan: ReturnType<typeof planWords>,
  ): Promise<ReadPart> {
    const words = await plan.current(source.run);
    const filter = allOf(segment.filter, words?.filter ?? {});
    const candidates: Segment = { ...segment, filter, isOfKeys: false, search: undefined };
    const asked: Reading = {
      members: members === 'all' ? members : [...members.filter((path) => !path.startsWith('data.')), 'email', 'data'],
      limit: Math.min(MAX_CANDIDATES, words ? Math.max(limit, MIN_CANDIDATES) : range.length),
    };
    let part: ReadPart;
    try {
      part = words?.byWord
        ? await readByWord(source, candidates, from, asked)
        : await readPart(source, candidates, from, range, asked);
    } catch (error) {
      if (!words?.byWord || !isOverTime(error)) throw error;
      plan.giveUp();
      return { documents: [], next: { place: from } };
    }
    const { matches } = segment.search as RecordSearch;
    const documents: RawDocuments = [];
    let bytes = 0;
    for (const document of part.documents) {
      bytes += document.length;
      if (bytes > BYTES_PER_TURN) {
        await load.pause();
        bytes = 0;
      }
      if (!matches(document)) continue;
      documents.push(document);
      if (documents.length < limit) continue;
      if (document === part.documents.at(-1)) break;
      return { documents, next: { place: placeAfter(segment, document) }, rangeEnd: part.rangeEnd };
    }
    return { ...part, documents };
  }

  /** Reads a segment of the index on ids by the index on words, in the order of the ids. */
  async function readByWord(
    { appId, run, maxTimeMS }: Source,
    segment: Segment,
    from: Place | undefined,
    reading: Reading,
  ): Promise<ReadPart> {
    const { filter } = idRange(appId, segment, from, undefined);
    const { limit } = reading;
    const sort: Sort = { _id: segment.isReversed ? 1 : -1 };
    const options = { projection: projectionOf(segment, reading), sort, hint: BY_WORD, limit, batchSize: limit };
    const found = await run(() => firstBatch(users.find<Uint8Array>(filter, { ...options, raw: true, maxTimeMS })));
    return cutPart(segment, found, reading, undefined);
  }
}

function positionAfter(segment: number, { next }: PartStep, count: number): Position | undefined {
  if (next) return { segment, ...next };
  return segment + 1 < count ? { segment: segment + 1 } : undefined;
}

function projectionOf({ index }: Segment, { members = [] }: Reading): Record<string, 0 | 1> {
  return members === 'all' ? {} : buildProjection(index, ['_id', ...members]);
}

/** Cuts a large result of a range up to `to`. */
function cutPart(
  segment: Segment,
  found: { documents: RawDocuments; isWhole: boolean },
  { members, limit }: Reading,
  to: Key | undefined,
): ReadPart {
  const isLarge = members === 'all' && totalBytes(found.documents) > MAX_PAGE_BYTES;
  const documents = isLarge ? takeBytes(found.documents, PAGE_BYTES) : found.documents;
  const last = documents.at(-1);
  if (last && (!found.isWhole || documents.length < found.documents.length || documents.length === limit)) {
    return { documents, next: { place: placeAfter(segment, last) }, rangeEnd: to };
  }
  return { documents, next: to && { place: placeAfterRange(segment, to) } };
}

const placeAfter = ({ index }: Segment, document: Uint8Array): Place => ({
  key: readKey(index, document),
  isRead: true,
});

/** The length of the next range, and its end where it is the rest of the last one. */
interface Range {
  length: number;
  end?: Key | undefined;
}

/** Half of what the budget has left, so that a shorter range can follow in it after an overtime. */
function timeLimit(budget: Budget, least: number): number {
  return Math.ceil(Math.max(least, Math.min(RANGE_TIME_MS, budget.leftMs() / 2)));
}

/** For a range that must be read. One of one record cannot become shorter. */
const leastTime = ({ length }: Range): number => (length === 1 ? RANGE_TIME_MS : LONG_MS);

function nextLength(length: number, took: number): number {
  if (took < SHORT_MS) return Math.min(MAX_RANGE, length * 2);
  return took > LONG_MS ? Math.max(1, Math.floor(length / 2)) : length;
}
