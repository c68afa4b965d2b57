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

/** Records of one query at most: with 500 eight listings at once took half as long again, with 100 the database a third more. */
const PAGE_RECORDS = 200;
/** What a page should have; one is on its way to the client and one is read ahead. */
const PAGE_BYTES = 128 * 1024;
/** A page that turns out larger is cut to this. Beyond it nothing is read ahead. */
const MAX_PAGE_BYTES = 2 * PAGE_BYTES;

/** How long one query may run. The deadline of a request is longer, so that its refusal says why. */
const PAGE_TIME_MS = 2_000;
const STRETCH_TIME_MS = 1_000;
/** A stretch that took less is followed by a longer one, and one that took more by a shorter one. */
const SHORT_MS = 100;
const LONG_MS = 400;
const FIRST_STRETCH = 1_000;
const LONGEST_STRETCH = 10_000;

/** Queries for pages that run at the same time in the whole process; the connections are for submissions too. */
const PAGES_AT_ONCE = 8;
/** The same for filtered stretches, each of which reads thousands of records. */
const STRETCHES_AT_ONCE = 4;

const INDEX = { appId: 1, _id: -1 } as const;

type Filter = mongo.Filter<UserDocument>;

/** Where a query begins: at the record of this id, or after it when that one was read. Undefined: at the newest. */
type Position = { id: DocumentId; isRead: boolean } | undefined;

interface Page {
  documents: RawDocuments;
  /** Where the next page begins; undefined after the last. */
  next: { from: Position } | undefined;
}

export type RecordPages = ReturnType<typeof createRecordPages>;

/**
 * Reads the records of an app in pages, newest first. Each page is a query of its own that continues after the last
 * record of the one before: no cursor stays open in the database, however slowly the reader goes on or when it stops.
 * The number of records in a page follows their size, so a reader holds about 256 kB, or one record.
 */
export function createRecordPages(users: UserCollection) {
  const pageSlots = pLimit(PAGES_AT_ONCE);
  const stretchSlots = pLimit(STRETCHES_AT_ONCE);

  /** One page of at most `count` records from `from` on, down to but without `end`. */
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
        // Bounds of the index, and not `$lt`, which only finds ids of the same type.
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
   * A page of the records that match. The query is bounded to the next records in index order, however few of them
   * match, so that it ends soon; a page may be empty.
   */
  async function readStretch(
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
      .maxTimeMS(STRETCH_TIME_MS)
      .toArray();
    const page = await readPage(appId, filter, from, count, end?._id, STRETCH_TIME_MS);
    if (page.next || !end) return page;
    return { ...page, next: { from: { id: end._id, isRead: false } } };
  }

  /** Reads stretches whose length follows the time that they take. */
  function createStretchReader(appId: Types.ObjectId, filter: Filter, signal: AbortSignal | undefined) {
    let length = FIRST_STRETCH;
    return async (from: Position, count: number): Promise<Page> => {
      for (;;) {
        try {
          return await stretchSlots(async () => {
            if (signal?.aborted) return NOTHING;
            const begun = performance.now();
            const page = await readStretch(appId, filter, from, count, length);
            const took = performance.now() - begun;
            if (took < SHORT_MS) length = Math.min(LONGEST_STRETCH, length * 2);
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
     * All records of an app that match, newest first. One page is read ahead.
     *
     * @param signal ends the reading early: no query begins after it was aborted
     */
    async *all(appId: Types.ObjectId, filter: Filter = {}, signal?: AbortSignal): AsyncGenerator<RawDocuments> {
      const isFiltered = Object.keys(filter).length > 0;
      const read = isFiltered
        ? createStretchReader(appId, filter, signal)
        : (from: Position, count: number) =>
            pageSlots(() => (signal?.aborted ? NOTHING : readPage(appId, filter, from, count)));
      let ahead: Promise<Page> | undefined = read(undefined, PAGE_RECORDS);
      let count = PAGE_RECORDS;
      while (ahead && !signal?.aborted) {
        const { documents, next }: Page = await ahead;
        const size = sizeOf(documents);
        if (documents.length > 0) {
          count = Math.min(PAGE_RECORDS, Math.max(1, Math.floor((PAGE_BYTES * documents.length) / size)));
        }
        ahead = next && size <= MAX_PAGE_BYTES ? quietly(read(next.from, count)) : undefined;
        if (documents.length > 0) yield documents;
        ahead ??= next && read(next.from, count);
      }
    },

    /**
     * The result of one query of a few hundred records at most, in its order. Of a large one only the first page is
     * kept, and the rest is read again by its ids when the reader gets there. Resolves when the query was answered.
     *
     * @param cursor opened with `raw: true` @param scope what all of the records match
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
      // A record that was erased meanwhile is left out.
      yield ids.flatMap((id) => byId.get(String(id)) ?? []);
    }
  }
}

/** Ids in groups whose documents have the size of a page together, or are one. */
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

const NOTHING: Page = { documents: [], next: undefined };

/** A failure is told to whoever awaits the promise; nobody may, when the reader stops. */
function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
