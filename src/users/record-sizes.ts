import { LRUCache } from 'lru-cache';
import type { Types } from 'mongoose';
import { type RawDocuments, sizeOf } from '../database/bson/raw-batches.ts';

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

export type RecordSizes = ReturnType<typeof createRecordSizes>;

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
