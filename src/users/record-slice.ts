import type { mongo, Types } from 'mongoose';
import type { LimitFunction } from 'p-limit';
import { type DocumentId, firstBatch, headOf, idOf, type RawDocuments, sizeOf } from '../database/bson/raw-batches.ts';
import { MAX_PAGE_BYTES, PAGE_BYTES, type RecordSizes } from './record-sizes.ts';
import type { UserCollection, UserDocument } from './users.model.ts';

const BY_ID_TIME_MS = 2_000;

/** A slice of the result of one query, as `skip` and `limit` name it. */
export interface Slice {
  skip: number;
  limit: number;
}

/** Opens a query with `raw: true` for a slice of its result: whole records, or only their `_id`. */
export type OpenSlice = (slice: Slice, idsOnly: boolean) => mongo.FindCursor<Uint8Array>;

/**
 * Reads slices of up to some hundred records in the order of their query. Of a slice that is larger than a page only the
 * first page is kept, and the rest is read by its ids when the reader gets there: a reader that stops holds a page.
 *
 * @param slots limits the queries that run at the same time @param turn is awaited before each page but the first
 */
export function createSliceReader(
  users: UserCollection,
  { slots, sizes, turn }: { slots: LimitFunction; sizes: RecordSizes; turn: () => Promise<void> },
) {
  /** The records of these ids, in this order, one page at a time. One that was erased meanwhile is left out. */
  async function* byIds(appId: Types.ObjectId | undefined, ids: readonly DocumentId[]): AsyncGenerator<RawDocuments> {
    for (let at = 0; at < ids.length; ) {
      const asked = ids.slice(at, at + sizes.perPage(appId));
      const filter = { ...(appId && { appId }), _id: { $in: asked } } as mongo.Filter<UserDocument>;
      const options = { raw: true, batchSize: asked.length, maxTimeMS: BY_ID_TIME_MS };
      const { documents, isWhole } = await slots(() => firstBatch(users.find<Uint8Array>(filter, options)));
      sizes.note(appId, documents);
      if (asked.length > 1 && (!isWhole || sizeOf(documents) > MAX_PAGE_BYTES)) continue; // again, with fewer
      const byId = new Map(documents.map((document) => [String(idOf(document)), document]));
      at += asked.length;
      await turn();
      yield asked.flatMap((id) => byId.get(String(id)) ?? []);
    }
  }

  async function* inOrder(first: RawDocuments, rest: AsyncIterable<RawDocuments>): AsyncGenerator<RawDocuments> {
    if (first.length > 0) yield first;
    yield* rest;
  }

  /** @param appId of all the records, if they are of one app. Resolves when the query was answered. */
  return async (
    open: OpenSlice,
    { skip, limit }: Slice,
    appId: Types.ObjectId | undefined,
  ): Promise<AsyncIterable<RawDocuments>> => {
    const count = Math.min(limit, sizes.perPage(appId));
    const { documents, isWhole } = await slots(() => firstBatch(open({ skip, limit: count }, false)));
    sizes.note(appId, documents);
    const first = sizeOf(documents) > MAX_PAGE_BYTES ? headOf(documents, PAGE_BYTES) : documents;
    const isAll = isWhole && first.length === documents.length && (documents.length < count || count === limit);
    if (isAll) return inOrder(first, byIds(appId, []));
    const rest = { skip: skip + first.length, limit: limit - first.length };
    const { documents: others } = await slots(() => firstBatch(open(rest, true)));
    return inOrder(first, byIds(appId, others.map(idOf)));
  };
}
