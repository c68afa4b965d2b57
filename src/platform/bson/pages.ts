import { LRUCache } from 'lru-cache';
import { type RawDocuments, totalBytes } from './documents.ts';

/** The target size of a page of whole documents. One is sent while the next one is read. */
export const PAGE_BYTES = 128 * 1024;
/** A larger result is cut to `PAGE_BYTES`. */
export const MAX_PAGE_BYTES = 2 * PAGE_BYTES;
/** The maximum of a page. 500 delays concurrent listings; 100 costs the database more. */
const MAX_DOCUMENTS = 200;
const MAX_KEYS = 10_000;

/** The average size of the documents of each key, so that a query requests one page. */
export function createPageSizes() {
  const averages = new LRUCache<string, number>({ max: MAX_KEYS });

  return {
    /** The number of documents of a page: 1 to 200. */
    perPage(key: string): number {
      const average = averages.get(key) ?? 1;
      return Math.min(MAX_DOCUMENTS, Math.max(1, Math.floor(PAGE_BYTES / average)));
    },

    note(key: string, documents: RawDocuments): void {
      if (documents.length > 0) averages.set(key, totalBytes(documents) / documents.length);
    },
  };
}

/**
 * Yields what `read` resolves with, until it is undefined, and reads one page ahead.
 * @param pause lets other requests be answered between two pages
 */
export async function* readAhead(
  read: () => Promise<RawDocuments | undefined>,
  pause: () => Promise<void>,
  signal: AbortSignal | undefined,
): AsyncGenerator<RawDocuments> {
  let ahead: Promise<RawDocuments | undefined> | undefined;
  while (!signal?.aborted) {
    const documents: RawDocuments | undefined = await (ahead ?? read());
    if (!documents) return;
    // A page of large documents is alone in memory.
    ahead = totalBytes(documents) <= MAX_PAGE_BYTES ? read() : undefined;
    // The reader may stop before it awaits the next page.
    ahead?.catch(() => undefined);
    await pause();
    if (documents.length > 0) yield documents;
  }
}
