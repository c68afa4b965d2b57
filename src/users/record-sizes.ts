import { LRUCache } from 'lru-cache';
import type { Types } from 'mongoose';
import { type RawDocuments, sizeOf } from '../database/bson/raw-batches.ts';

/** What a page should have; one is on its way to the client and one is read ahead. */
export const PAGE_BYTES = 128 * 1024;
/** A page that turns out larger is cut to `PAGE_BYTES`. Beyond it nothing is read ahead. */
export const MAX_PAGE_BYTES = 2 * PAGE_BYTES;
/** With 500 eight listings at once took half as long again, with 100 the database a third more. */
const MAX_RECORDS = 200;
const MAX_APPS = 10_000;

export type RecordSizes = ReturnType<typeof createRecordSizes>;

/** Remembers the size that an app's records had when they were last read, so that the next query asks for few enough. */
export function createRecordSizes() {
  const averages = new LRUCache<string, number>({ max: MAX_APPS });
  const keyOf = (appId: Types.ObjectId | undefined): string => appId?.toHexString() ?? '';

  return {
    /** How many records of an app, or of all apps, make a page: 1 to 200. */
    perPage(appId: Types.ObjectId | undefined): number {
      const average = averages.get(keyOf(appId)) ?? 1;
      return Math.min(MAX_RECORDS, Math.max(1, Math.floor(PAGE_BYTES / average)));
    },

    note(appId: Types.ObjectId | undefined, documents: RawDocuments): void {
      if (documents.length > 0) averages.set(keyOf(appId), sizeOf(documents) / documents.length);
    },
  };
}
