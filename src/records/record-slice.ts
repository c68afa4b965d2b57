import { LRUCache } from 'lru-cache';
import type { mongo, Types } from 'mongoose';
import { type DocumentId, firstBatch, headOf, idOf, type RawDocuments, sizeOf } from '../database/bson/documents.ts';
import type { ReadQueues } from './read-queues.ts';
import type { UserCollection, UserDocument } from './record.ts';
import { type RecentRenames, showing } from './record-moves.ts';

/** The target size of a page. One page is being sent while the next one is read. */
export const PAGE_BYTES = 128 * 1024;
/** A larger result is cut to `PAGE_BYTES`. After a larger page nothing is read ahead. */
export const MAX_PAGE_BYTES = 2 * PAGE_BYTES;
/**
 * The maximum number of records of a page. With 500, eight concurrent listings took half as long
 * again; with 100, the cost to the database was a third higher.
 */
const MAX_RECORDS = 200;
const MAX_APPS = 10_000;

type RecordSizes = ReturnType<typeof createRecordSizes>;

/** Keeps the average size of each app's records, so that a query asks for one page of them. */
export function createRecordSizes() {
  const averages = new LRUCache<string, number>({ max: MAX_APPS });
  const keyOf = (appId: Types.ObjectId | undefined): string => appId?.toHexString() ?? '';

  return {
    /** The number of records of an app, or of all apps, that make a page: 1 to 200. */
    perPage(appId: Types.ObjectId | undefined): number {
      const average = averages.get(keyOf(appId)) ?? 1;
      return Math.min(MAX_RECORDS, Math.max(1, Math.floor(PAGE_BYTES / average)));
    },

    note(appId: Types.ObjectId | undefined, documents: RawDocuments): void {
      if (documents.length > 0) averages.set(keyOf(appId), sizeOf(documents) / documents.length);
    },
  };
}

const BY_ID_TIME_MS = 2_000;

/** A part of the result of one query. */
interface Slice {
  skip: number;
  limit: number;
}

/**
 * Opens a query with `raw: true` for a slice of its result: complete records, or only their `_id`.
 */
export type OpenSlice = (slice: Slice, idsOnly: boolean) => SliceCursor;

type SliceCursor = mongo.FindCursor<Uint8Array> | mongo.AggregationCursor<Uint8Array>;

/**
 * Creates a reader of records by their ids, and of slices of at most a few hundred records, in the
 * order of their query. When a slice is larger than a page, only its first page is kept; the rest
 * is read by id when the reader reaches it, so a reader that stops holds one page (invariant 6).
 *
 * @param turn is awaited before each page except the first
 */
export function createSliceReader(
  users: UserCollection,
  {
    queues,
    sizes,
    turn,
    recentRenames,
  }: { queues: ReadQueues; sizes: RecordSizes; turn: () => Promise<void>; recentRenames: RecentRenames },
) {
  /**
   * Yields the records of these ids in this order, page by page, without those erased meanwhile.
   */
  async function* byIds(appId: Types.ObjectId | undefined, ids: readonly DocumentId[]): AsyncGenerator<RawDocuments> {
    for (let at = 0; at < ids.length; ) {
      const asked = ids.slice(at, at + sizes.perPage(appId));
      const filter = { ...(appId && { appId }), _id: { $in: asked } } as mongo.Filter<UserDocument>;
      // With one more than asked for, MongoDB reports the end of the result with its first batch.
      const options = { raw: true, batchSize: asked.length + 1, maxTimeMS: BY_ID_TIME_MS };
      const shown = await showing(recentRenames);
      const { documents, isWhole } = await queues.page(appId, () =>
        firstBatch(users.find<Uint8Array>(filter, options)),
      );
      sizes.note(appId, documents);
      // Retries with fewer.
      if (asked.length > 1 && (!isWhole || sizeOf(documents) > MAX_PAGE_BYTES)) continue;
      const byId = new Map(shown(documents, appId).map((document) => [String(idOf(document)), document]));
      at += asked.length;
      await turn();
      yield asked.flatMap((id) => byId.get(String(id)) ?? []);
    }
  }

  async function* inOrder(first: RawDocuments, rest: AsyncIterable<RawDocuments>): AsyncGenerator<RawDocuments> {
    if (first.length > 0) yield first;
    yield* rest;
  }

  /**
   * Resolves when the query was answered.
   *
   * @param appId the app of all records of the slice, if it is one
   */
  const slice = async (
    open: OpenSlice,
    { skip, limit }: Slice,
    appId: Types.ObjectId | undefined,
  ): Promise<AsyncIterable<RawDocuments>> => {
    const count = Math.min(limit, sizes.perPage(appId));
    const shown = await showing(recentRenames);
    const { documents: stored, isWhole } = await queues.scan(appId, () =>
      firstBatch(open({ skip, limit: count }, false)),
    );
    const documents = shown(stored, appId);
    sizes.note(appId, documents);
    const first = sizeOf(documents) > MAX_PAGE_BYTES ? headOf(documents, PAGE_BYTES) : documents;
    const isAll = isWhole && first.length === documents.length && (documents.length < count || count === limit);
    if (isAll) return inOrder(first, byIds(appId, []));
    const rest = { skip: skip + first.length, limit: limit - first.length };
    const { documents: others } = await queues.scan(appId, () => firstBatch(open(rest, true)));
    return inOrder(first, byIds(appId, others.map(idOf)));
  };

  return { slice, byIds };
}
