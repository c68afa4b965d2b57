import { setImmediate as nextTurn } from 'node:timers/promises';
import { mongo, type Types } from 'mongoose';
import pLimit from 'p-limit';
import { type DocumentId, firstBatch, headOf, idOf, type RawDocuments, sizeOf } from '../database/bson/raw-batches.ts';
import { isOverTime } from '../database/failures.ts';
import { createRecordSizes, MAX_PAGE_BYTES, PAGE_BYTES } from './record-sizes.ts';
import { createSliceReader } from './record-slice.ts';
import type { UserCollection, UserDocument } from './users.model.ts';

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
  const turns = pLimit(1);
  const sizes = createRecordSizes();

  /**
   * Resolves in a later turn of the event loop, and in one of its own: of all readers that wait, one goes on per turn.
   * To be awaited before some milliseconds of work on records, so that other requests are answered in between.
   */
  const turn = (): Promise<void> => turns(() => nextTurn());

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

  /** The id of the record that comes `length` records after `from`, from the keys of the index alone. */
  async function idAfter(appId: Types.ObjectId, from: Position, length: number): Promise<DocumentId | undefined> {
    const older = from && { _id: { $lt: from.id } };
    const options = { projection: { _id: 1 }, hint: INDEX, sort: INDEX, maxTimeMS: STRETCH_TIME_MS } as const;
    const [found] = await users
      .find({ appId, ...older }, options)
      .skip(length)
      .limit(1)
      .toArray();
    return found?._id;
  }

  /**
   * Reads pages of the records that match, in stretches of the index: each query ends soon, however few records match.
   * A page of a stretch without a match is empty. The length of a stretch follows the time that the one before took.
   */
  function createStretchReader(appId: Types.ObjectId, filter: Filter, signal: AbortSignal | undefined) {
    let length = FIRST_STRETCH;
    let stretch: { end: DocumentId | undefined } | undefined;

    async function read(from: Position, count: number): Promise<Page> {
      if (signal?.aborted) return NOTHING;
      const begun = performance.now();
      stretch ??= { end: await idAfter(appId, from, length) };
      const { end } = stretch;
      const page = await readPage(appId, filter, from, count, end, STRETCH_TIME_MS);
      if (page.next) return page;
      stretch = undefined;
      const took = performance.now() - begun;
      if (took < SHORT_MS) length = Math.min(LONGEST_STRETCH, length * 2);
      else if (took > LONG_MS) length = Math.max(1, Math.floor(length / 2));
      return end ? { ...page, next: { from: { id: end, isRead: false } } } : page;
    }

    return async (from: Position, count: number): Promise<Page> => {
      for (;;) {
        try {
          return await stretchSlots(read, from, count);
        } catch (error) {
          if (!isOverTime(error) || length === 1) throw error;
          stretch = undefined;
          length = Math.max(1, Math.floor(length / 8));
        }
      }
    };
  }

  return {
    turn,

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
      let ahead: Promise<Page> | undefined = read(undefined, sizes.perPage(appId));
      while (ahead && !signal?.aborted) {
        const { documents, next }: Page = await ahead;
        sizes.note(appId, documents);
        const readNext = (): Promise<Page> | undefined => next && read(next.from, sizes.perPage(appId));
        ahead = sizeOf(documents) <= MAX_PAGE_BYTES ? quietly(readNext()) : undefined;
        await turn();
        if (documents.length > 0) yield documents;
        ahead ??= readNext();
      }
    },

    slice: createSliceReader(users, { slots: pageSlots, sizes, turn }),
  };
}

const NOTHING: Page = { documents: [], next: undefined };

/** A failure is told to whoever awaits the promise; nobody may, when the reader stops. */
function quietly<T>(promise: Promise<T> | undefined): Promise<T> | undefined {
  promise?.catch(() => undefined);
  return promise;
}
