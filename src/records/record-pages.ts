import type { mongo, Types } from 'mongoose';
import { type DocumentId, firstBatch, headOf, idOf, type RawDocuments, sizeOf } from '../database/bson/documents.ts';
import { isOverTime } from '../database/failures.ts';
import { createReadQueues, type ReadQueues } from './read-queues.ts';
import { NEWEST_FIRST, newestFirst, type UserCollection, type UserDocument } from './record.ts';
import { NO_RENAMES, type RecentRenames, showing } from './record-moves.ts';
import { createRecordSizes, createSliceReader, MAX_PAGE_BYTES, PAGE_BYTES } from './record-slice.ts';

/**
 * The time limits of one query, below the deadline of a request, so that the refusal states the
 * reason.
 */
const PAGE_TIME_MS = 2_000;
const RANGE_TIME_MS = 1_000;
/** The range doubles after a query below the first time, and halves after one above the second. */
const SHORT_MS = 100;
const LONG_MS = 400;
/** The length of a range, in records. */
const INITIAL_RANGE = 1_000;
const MAX_RANGE = 10_000;

type Filter = mongo.Filter<UserDocument>;

/**
 * Where a query starts: at the record of this id, or after it when it was read. Undefined: at the
 * newest record.
 */
type Position = { id: DocumentId; isRead: boolean } | undefined;

interface Page {
  documents: RawDocuments;
  /** Where the next page begins; undefined after the last. */
  next: { from: Position } | undefined;
}

export type RecordPages = ReturnType<typeof createRecordPages>;

/**
 * Reads the records of an app in pages, newest first. Each page is a query of its own that starts
 * after the last record of the previous page, so no cursor stays open in the database while a
 * reader is slow or after it stopped (invariant 7). The number of records in a page depends on
 * their size, so a reader holds about 256 kB, or one record (invariant 6). Records whose renamed
 * fields are still to be moved are shown as after the move (decision 22).
 *
 * @param recentRenames the pending renames of all apps, valid within the last lease
 */
export function createRecordPages(
  users: UserCollection,
  recentRenames: RecentRenames = NO_RENAMES,
  queues: ReadQueues = createReadQueues(),
) {
  const sizes = createRecordSizes();

  const { turn } = queues;

  /** Reads at most `count` records from `from` down to `end`, which is excluded. */
  async function readPage(
    appId: Types.ObjectId,
    filter: Filter,
    from: Position,
    count: number,
    end?: DocumentId,
    maxTimeMS = PAGE_TIME_MS,
  ): Promise<Page> {
    const shown = await showing(recentRenames);
    const cursor = users.find<Uint8Array>(
      { appId, ...filter, ...(from?.isRead && { _id: { $ne: from.id } }) } as Filter,
      { ...newestFirst(appId, from?.id, end), raw: true, limit: count, batchSize: count, maxTimeMS },
    );
    const { documents: stored, isWhole } = await firstBatch(cursor);
    const found = shown(stored, appId);
    const documents = sizeOf(found) > MAX_PAGE_BYTES ? headOf(found, PAGE_BYTES) : found;
    const last = documents.at(-1);
    const isEnd = !last || (isWhole && documents.length === found.length && found.length < count);
    return { documents, next: isEnd ? undefined : { from: { id: idOf(last), isRead: true } } };
  }

  /** Returns the id of the record `length` records after `from`. Reads index keys only. */
  async function idAfter(appId: Types.ObjectId, from: Position, length: number): Promise<DocumentId | undefined> {
    const older = from && { _id: { $lt: from.id } };
    const order = { hint: NEWEST_FIRST, sort: NEWEST_FIRST };
    const [found] = await users
      .find({ appId, ...older }, { ...order, projection: { _id: 1 }, maxTimeMS: RANGE_TIME_MS })
      .skip(length)
      .limit(1)
      .toArray();
    return found?._id;
  }

  /**
   * Creates a reader of the matching records in ranges of the index, which bound each query however
   * few records match. The page of a range without a match is empty. The length of a range adapts
   * to the time that the previous one took.
   */
  function createRangeReader(appId: Types.ObjectId, filter: Filter, signal: AbortSignal | undefined) {
    let length = INITIAL_RANGE;
    let range: { end: DocumentId | undefined } | undefined;

    async function read(from: Position, count: number): Promise<Page> {
      if (signal?.aborted) return EMPTY_PAGE;
      const startedAt = performance.now();
      range ??= { end: await idAfter(appId, from, length) };
      const { end } = range;
      const page = await readPage(appId, filter, from, count, end, RANGE_TIME_MS);
      if (page.next) return page;
      range = undefined;
      const took = performance.now() - startedAt;
      if (took < SHORT_MS) length = Math.min(MAX_RANGE, length * 2);
      else if (took > LONG_MS) length = Math.max(1, Math.floor(length / 2));
      return end ? { ...page, next: { from: { id: end, isRead: false } } } : page;
    }

    return async (from: Position, count: number): Promise<Page> => {
      for (;;) {
        try {
          return await queues.longScan(appId, () => read(from, count));
        } catch (error) {
          if (!isOverTime(error) || length === 1) throw error;
          range = undefined;
          length = Math.max(1, Math.floor(length / 8));
        }
      }
    };
  }

  return {
    turn,

    /**
     * Yields the matching records of an app as BSON, newest first, and reads one page ahead.
     *
     * @param signal ends the iteration: no query starts after it was aborted
     * @throws the driver's error; for a query over its time limit one that `isOverTime` recognizes
     */
    async *all(appId: Types.ObjectId, filter: Filter = {}, signal?: AbortSignal): AsyncGenerator<RawDocuments> {
      const isFiltered = Object.keys(filter).length > 0;
      const read = isFiltered
        ? createRangeReader(appId, filter, signal)
        : (from: Position, count: number) =>
            queues.page(appId, async () => (signal?.aborted ? EMPTY_PAGE : readPage(appId, filter, from, count)));
      let ahead: Promise<Page> | undefined = read(undefined, sizes.perPage(appId));
      while (ahead && !signal?.aborted) {
        const { documents, next }: Page = await ahead;
        sizes.note(appId, documents);
        const readNext = (): Promise<Page> | undefined => next && read(next.from, sizes.perPage(appId));
        ahead = sizeOf(documents) <= MAX_PAGE_BYTES ? ignoreUnhandled(readNext()) : undefined;
        await turn();
        if (documents.length > 0) yield documents;
        ahead ??= readNext();
      }
    },

    ...createSliceReader(users, { queues, sizes, turn, recentRenames }),
  };
}

const EMPTY_PAGE: Page = { documents: [], next: undefined };

/** Prevents an unhandled rejection when the reader stops before it awaits the promise. */
function ignoreUnhandled<T>(promise: Promise<T> | undefined): Promise<T> | undefined {
  promise?.catch(() => undefined);
  return promise;
}
