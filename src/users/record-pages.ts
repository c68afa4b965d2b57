import { mongo, type Types } from 'mongoose';
import pLimit from 'p-limit';
import {
  type DocumentId,
  firstBatch,
  firstDocuments,
  headOf,
  type IdAndSize,
  idOf,
  type RawDocuments,
  sizeOf,
} from '../database/bson/raw-batches.ts';
import { isOverTime } from '../database/failures.ts';
import type { UserCollection, UserDocument } from './users.model.ts';

/**
 * The maximum number of records of a page. With 500, eight concurrent listings took half as long
 * again; with 100, the cost to the database was a third higher.
 */
const PAGE_RECORDS = 200;
/** The target size of a page. One page is being sent while the next one is read. */
const PAGE_BYTES = 128 * 1024;
/** A larger result is cut to a page of `PAGE_BYTES`. After a larger page nothing is read ahead. */
const MAX_PAGE_BYTES = 2 * PAGE_BYTES;

/**
 * The time limit of one query, below the deadline of a request, so that the refusal states the
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

/** Concurrent page queries of the process; submissions use the same connection pool. */
const MAX_PAGE_QUERIES = 8;
/** Concurrent range queries of the process; each reads thousands of records. */
const MAX_RANGE_QUERIES = 4;

const INDEX = { appId: 1, _id: -1 } as const;

type Filter = mongo.Filter<UserDocument>;

/**
 * The start of a query: the record of this id, or the one after it if `isRead`. Undefined: the
 * newest.
 */
type Position = { id: DocumentId; isRead: boolean } | undefined;

interface Page {
  documents: RawDocuments;
  /** The start of the next page; undefined after the last page. */
  next: { from: Position } | undefined;
}

export type RecordPages = ReturnType<typeof createRecordPages>;

/**
 * Reads the records of an app in pages, newest first. Each page is a query of its own that starts
 * after the last record of the previous page, so no cursor stays open in the database while a
 * reader is slow or after it stopped (invariant 7). The number of records in a page depends on
 * their size, so a reader holds about 256 kB, or one record (invariant 6).
 */
export function createRecordPages(users: UserCollection) {
  const pageSlots = pLimit(MAX_PAGE_QUERIES);
  const rangeSlots = pLimit(MAX_RANGE_QUERIES);

  /** Reads at most `count` records from `from` down to `end`, which is excluded. */
  async function readPage(
    appId: Types.ObjectId,
    filter: Filter,
    from: Position,
    count: number,
    end?: DocumentId,
    maxTimeMS = PAGE_TIME_MS,
  ): Promise<Page> {
    const cursor = users.find<Uint8Array>(
      { appId, ...filter, ...(from?.isRead && { _id: { $ne: from.id } }) } as Filter,
      {
        ...{ raw: true, hint: INDEX, sort: INDEX, limit: count, batchSize: count, maxTimeMS },
        // Index bounds instead of `$lt`, which matches only ids of the same type.
        ...((from || end) && {
          min: { appId, _id: from?.id ?? new mongo.MaxKey() },
          max: { appId, _id: end ?? new mongo.MinKey() },
        }),
      },
    );
    const { documents: found, isWhole } = await firstBatch(cursor);
    const documents = sizeOf(found) > MAX_PAGE_BYTES ? headOf(found, PAGE_BYTES) : found;
    const last = documents.at(-1);
    const isEnd = !last || (isWhole && documents.length === found.length && found.length < count);
    return { documents, next: isEnd ? undefined : { from: { id: idOf(last), isRead: true } } };
  }

  /**
   * Reads the matches among the next `length` records in index order, at most `count` of them. The
   * range bounds the query however few records match; the page may be empty.
   */
  async function readRange(
    appId: Types.ObjectId,
    filter: Filter,
    from: Position,
    count: number,
    length: number,
  ): Promise<Page> {
    const [end] = await users
      .find({ appId, ...(from && { _id: { $lt: from.id } }) }, { projection: { _id: 1 }, hint: INDEX, sort: INDEX })
      .skip(length)
      .limit(1)
      .maxTimeMS(RANGE_TIME_MS)
      .toArray();
    const page = await readPage(appId, filter, from, count, end?._id, RANGE_TIME_MS);
    if (page.next || !end) return page;
    return { ...page, next: { from: { id: end._id, isRead: false } } };
  }

  /** Creates a reader of ranges that adapts their length to the time that they take. */
  function createRangeReader(appId: Types.ObjectId, filter: Filter, signal: AbortSignal | undefined) {
    let length = INITIAL_RANGE;
    return async (from: Position, count: number): Promise<Page> => {
      for (;;) {
        try {
          return await rangeSlots(async () => {
            if (signal?.aborted) return EMPTY_PAGE;
            const startedAt = performance.now();
            const page = await readRange(appId, filter, from, count, length);
            const took = performance.now() - startedAt;
            if (took < SHORT_MS) length = Math.min(MAX_RANGE, length * 2);
            else if (took > LONG_MS) length = Math.max(1, Math.floor(length / 2));
            return page;
          });
        } catch (error) {
          if (!isOverTime(error) || length === 1) throw error;
          length = Math.max(1, Math.floor(length / 8));
        }
      }
    };
  }

  return {
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
            pageSlots(() => (signal?.aborted ? EMPTY_PAGE : readPage(appId, filter, from, count)));
      let ahead: Promise<Page> | undefined = read(undefined, PAGE_RECORDS);
      let count = PAGE_RECORDS;
      while (ahead && !signal?.aborted) {
        const { documents, next }: Page = await ahead;
        const size = sizeOf(documents);
        if (documents.length > 0) {
          count = Math.min(PAGE_RECORDS, Math.max(1, Math.floor((PAGE_BYTES * documents.length) / size)));
        }
        ahead = next && size <= MAX_PAGE_BYTES ? ignoreUnhandled(read(next.from, count)) : undefined;
        if (documents.length > 0) yield documents;
        ahead ??= next && read(next.from, count);
      }
    },

    /**
     * Pages the result of one query, at most a few hundred records, in its order. Of a large result
     * only the first page is kept; the rest is read again by id when the reader reaches it. A
     * record that was erased meanwhile is left out. Resolves when the query was answered.
     *
     * @param cursor opened with `raw: true`
     * @param scope a filter that all records of the result match
     */
    async of(cursor: mongo.FindCursor<Uint8Array>, scope: Filter = {}): Promise<AsyncGenerator<RawDocuments>> {
      const { first, rest } = await pageSlots(() => firstDocuments(cursor, PAGE_BYTES, MAX_PAGE_BYTES));
      return inOrder(first, rest, scope);
    },
  };

  async function* inOrder(first: RawDocuments, rest: Iterable<IdAndSize>, scope: Filter): AsyncGenerator<RawDocuments> {
    if (first.length > 0) yield first;
    for (const ids of chunks(rest)) {
      const filter = { ...scope, _id: { $in: ids } } as Filter;
      const options = { raw: true, batchSize: ids.length, maxTimeMS: PAGE_TIME_MS };
      const { documents } = await pageSlots(() => firstBatch(users.find<Uint8Array>(filter, options)));
      const byId = new Map(documents.map((document) => [String(idOf(document)), document]));
      yield ids.flatMap((id) => byId.get(String(id)) ?? []);
    }
  }
}

/**
 * Groups ids so that the documents of a group have at most the size of a page, or are one document.
 */
function* chunks(rest: Iterable<IdAndSize>): Generator<DocumentId[]> {
  let ids: DocumentId[] = [];
  let total = 0;
  for (const { id, size } of rest) {
    if (ids.length > 0 && total + size > PAGE_BYTES) {
      yield ids;
      ids = [];
      total = 0;
    }
    ids.push(id);
    total += size;
  }
  if (ids.length > 0) yield ids;
}

const EMPTY_PAGE: Page = { documents: [], next: undefined };

/** Prevents an unhandled rejection when the reader stops before it awaits the promise. */
function ignoreUnhandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
