import { MaxKey, MinKey, type ObjectId } from 'mongodb';
import {
  type DocumentId,
  firstBatch,
  type RawDocuments,
  readId,
  takeBytes,
  totalBytes,
} from '../../platform/bson/documents.ts';
import { createPageSizes, MAX_PAGE_BYTES, PAGE_BYTES, readAhead } from '../../platform/bson/pages.ts';
import { isEmptyRange, isOverTime } from '../../platform/database/failures.ts';
import type { AppId, OperatorLoad } from '../../platform/http/operator-load.ts';
import { NEWEST_FIRST, newestFirst, type UserCollection } from './users.model.ts';

const PAGE_TIME_MS = 1_000;
/** The time limit of a query on keys alone; below the deadline of a request. */
const KEYS_TIME_MS = 2_000;

/** Records in the order of all apps. */
const BY_ID = { _id: 1 } as const;

/** Returns what is shown of a page of an app, or of all apps. */
export type Show = (documents: RawDocuments, appId: AppId) => RawDocuments;

/** Resolves with how records are shown that are read after the call. */
export type Showing = () => Promise<Show>;

const asStored: Showing = async () => (documents) => documents;

export type RecordList = ReturnType<typeof createRecordList>;

/**
 * Reads whole records, newest first, in pages of about 128 kB (invariant 6). Each query is bounded
 * and starts after the last record of the previous one, so no cursor stays open for a slow reader.
 */
export function createRecordList(
  users: UserCollection,
  load: Pick<OperatorLoad, 'step' | 'pause'>,
  showing: Showing = asStored,
) {
  const sizes = createPageSizes();

  /** Reads the page after a record; fewer records than there may be if they are large. */
  async function readPage(
    appId: AppId,
    after: DocumentId | undefined,
    most: number,
    signal?: AbortSignal,
  ): Promise<Page> {
    for (let limit = most; ; limit = Math.max(1, Math.floor(limit / 8))) {
      try {
        const show = await showing();
        const { filter, ...options } = pageQuery(appId, after);
        const limits = { limit, batchSize: limit, maxTimeMS: PAGE_TIME_MS, raw: true } as const;
        const found = await load.step('page', appId, async () =>
          signal?.aborted ? NOTHING : firstBatch(users.find<Uint8Array>(filter, { ...options, ...limits })),
        );
        return cut(found, limit, (documents) => show(documents, appId));
      } catch (error) {
        if (isEmptyRange(error)) return { documents: [], next: undefined };
        if (!isOverTime(error) || limit === 1) throw error;
      }
    }
  }

  function cut(
    found: Awaited<ReturnType<typeof firstBatch>>,
    limit: number,
    show: (read: RawDocuments) => RawDocuments,
  ): Page {
    const isLarge = totalBytes(found.documents) > MAX_PAGE_BYTES;
    const documents = isLarge ? takeBytes(found.documents, PAGE_BYTES) : found.documents;
    const last = documents.at(-1);
    const isEnd = found.isWhole && documents.length === found.documents.length && documents.length < limit;
    return { documents: show(documents), next: last && !isEnd ? readId(last) : undefined };
  }

  /** Returns the id of the `count`-th record; undefined when there are fewer. */
  async function skip(appId: AppId, count: number): Promise<DocumentId | undefined> {
    // With bounds and a filter MongoDB would read each record instead of its key.
    const { filter, ...order } = appId
      ? { filter: { appId }, hint: NEWEST_FIRST, sort: NEWEST_FIRST }
      : pageQuery(undefined, undefined);
    const options = { ...order, projection: { _id: 1 }, skip: count - 1, limit: 1, maxTimeMS: KEYS_TIME_MS };
    const [found] = await users.find(filter, options).toArray();
    return found?._id;
  }

  return {
    sizes,
    showing,

    /**
     * Yields all records of an app as BSON, and reads one page ahead.
     * @throws the driver's error; `isOverTime` recognizes a query over its time limit
     */
    all(appId: ObjectId, signal?: AbortSignal): AsyncGenerator<RawDocuments> {
      let after: DocumentId | undefined;
      let isEnd = false;
      const read = async () => {
        if (isEnd) return undefined;
        const { documents, next } = await readPage(appId, after, sizes.perPage(sizeKey(appId)), signal);
        sizes.note(sizeKey(appId), documents);
        after = next;
        isEnd = next === undefined;
        return documents;
      };
      return readAhead(read, load.pause, signal);
    },

    /** Yields `limit` records after the first `skip` of an app, or of all apps. */
    async *slice(appId: AppId, page: { skip: number; limit: number }): AsyncGenerator<RawDocuments> {
      let after = page.skip > 0 ? await skip(appId, page.skip) : undefined;
      if (page.skip > 0 && after === undefined) return;
      for (let left = page.limit; left > 0; ) {
        const { documents, next } = await readPage(appId, after, Math.min(left, sizes.perPage(sizeKey(appId))));
        sizes.note(sizeKey(appId), documents);
        if (documents.length > 0) yield documents;
        if (next === undefined) return;
        left -= documents.length;
        after = next;
        await load.pause();
      }
    },
  };
}

/** The key of the sizes of an app, or of all apps. */
export const sizeKey = (appId: AppId): string => appId?.toHexString() ?? '';

const NOTHING = { documents: [], isWhole: true };

interface Page {
  documents: RawDocuments;
  /** The id of the last record; undefined: no record follows. */
  next: DocumentId | undefined;
}

function pageQuery(appId: AppId, after: DocumentId | undefined) {
  if (appId)
    return { filter: { appId, ...(after !== undefined && { _id: { $ne: after } }) }, ...newestFirst(appId, after) };
  return {
    filter: {},
    hint: BY_ID,
    sort: { _id: -1 } as const,
    min: { _id: new MinKey() },
    max: { _id: after ?? new MaxKey() },
  };
}
