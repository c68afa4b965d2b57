import { LRUCache } from 'lru-cache';
import type { ObjectId } from 'mongodb';
import type { AppId, OperatorLoad } from '../../api/operator-load.ts';
import { type DocumentId, firstBatch, type RawDocuments, readId, totalBytes } from '../../platform/bson/documents.ts';
import { decode } from '../../platform/database/collections.ts';
import { NEWEST_FIRST, type RecordFilter, type UserCollection } from '../stored/record.ts';
import { parseRecordId } from '../stored/record-id.ts';
import type { UserRecord } from '../stored/record-json.ts';
import { type RecentRenames, showing } from '../stored/record-moves.ts';
import { EVERY_ASCENDING, EVERY_ID, MAX_PAGE_BYTES, PAGE_BYTES, type RecordRanges, type Segment } from './ranges.ts';
import type { RecordSearch } from './word-reads.ts';

/** The maximum of a page. 500 delays concurrent listings; 100 costs the database more. */
const MAX_RECORDS = 200;
const MAX_APPS = 10_000;
const BY_ID_TIME_MS = 2_000;
const RECORDS_PER_TURN = 50;

export type RecordPages = ReturnType<typeof createRecordPages>;

/**
 * Reads whole records in pages of about 256 kB, or one record, and one page ahead (invariant 6).
 * Renamed fields are shown as after their move (decision 22).
 */
export function createRecordPages(deps: {
  users: UserCollection;
  ranges: RecordRanges;
  load: Pick<OperatorLoad, 'step' | 'pause'>;
  recentRenames: RecentRenames;
}) {
  const { users, ranges, load, recentRenames } = deps;
  const sizes = createRecordSizes();

  /**
   * Yields matching records as BSON, newest first, and reads one page ahead.
   * @throws the driver's error; `isOverTime` recognizes a query over its time limit
   */
  async function* all(
    appId: ObjectId,
    filter: RecordFilter = {},
    signal?: AbortSignal,
    search?: RecordSearch,
  ): AsyncGenerator<RawDocuments> {
    const step = search || Object.keys(filter).length > 0 ? 'scan' : 'page';
    const reading = () => ({ members: 'all', limit: sizes.perPage(appId) }) as const;
    const steps = ranges.walk(appId, [{ ...newest(appId, filter), search }], undefined, reading, { step, signal });
    const read = async (): Promise<RawDocuments | undefined> => {
      const shown = await showing(recentRenames);
      const { value, done } = await steps.next();
      if (done) return undefined;
      sizes.note(appId, value.documents);
      return shown(value.documents, appId);
    };
    let ahead: Promise<RawDocuments | undefined> | undefined = read();
    while (!signal?.aborted) {
      const documents: RawDocuments | undefined = await (ahead ?? read());
      if (!documents) return;
      // A page of large records is alone in memory.
      ahead = totalBytes(documents) <= MAX_PAGE_BYTES ? ignoreUnhandled(read()) : undefined;
      await load.pause();
      if (documents.length > 0) yield documents;
    }
  }

  /**
   * Yields the records of these ids that exist, in this order, page by page.
   * @param isLong whether it is part of long work. Otherwise the request has its turn, which ends
   *   with the first page.
   */
  async function* byIds(
    appId: AppId,
    ids: readonly DocumentId[],
    { isLong = false } = {},
  ): AsyncGenerator<RawDocuments> {
    let hasTurn = !isLong;
    for (let at = 0; at < ids.length; ) {
      const asked = ids.slice(at, at + sizes.perPage(appId));
      const filter: RecordFilter = { ...(appId && { appId }), _id: { $in: asked } };
      // With one more than requested, MongoDB reports the end of the result with its first batch.
      const hint = appId ? NEWEST_FIRST : { _id: 1 };
      const options = { raw: true, batchSize: asked.length + 1, maxTimeMS: BY_ID_TIME_MS, hint } as const;
      const shown = await showing(recentRenames);
      const read = () => firstBatch(users.find<Uint8Array>(filter, options));
      const { documents, isWhole } = await (hasTurn ? read() : load.step('page', appId, read));
      sizes.note(appId, documents);
      // Retries with fewer.
      if (asked.length > 1 && (!isWhole || totalBytes(documents) > MAX_PAGE_BYTES)) continue;
      const byId = new Map(shown(documents, appId).map((document) => [String(readId(document)), document]));
      at += asked.length;
      hasTurn = false;
      await load.pause();
      yield asked.flatMap((id) => byId.get(String(id)) ?? []);
    }
  }

  return {
    all,

    /** Yields all records of an app, decoded, newest first. */
    async *each(appId: ObjectId): AsyncGenerator<UserRecord> {
      for await (const page of all(appId)) {
        for (let index = 0; index < page.length; index += 1) {
          if (index > 0 && index % RECORDS_PER_TURN === 0) await load.pause();
          yield decode<UserRecord>(page[index] as Uint8Array);
        }
      }
    },

    /** Yields `limit` records after the first `skip` of an app, or of all apps, newest first. */
    async *slice(appId: AppId, { skip, limit }: { skip: number; limit: number }): AsyncGenerator<RawDocuments> {
      const segment = newest(appId, {});
      const place = skip > 0 ? await ranges.skip(appId, segment, skip) : undefined;
      if (skip > 0 && !place) return;
      let left = limit;
      const reading = () => ({ members: 'all', limit: Math.min(left, sizes.perPage(appId)) }) as const;
      let shown = await showing(recentRenames);
      for await (const { documents } of ranges.walk(appId, [segment], { segment: 0, place }, reading, {
        step: 'page',
      })) {
        sizes.note(appId, documents);
        left -= documents.length;
        if (documents.length > 0) yield shown(documents, appId);
        if (left === 0) return;
        await load.pause();
        shown = await showing(recentRenames);
      }
    },

    byIds,

    /** Yields the records of these ids that exist, newest first; a text may be no id. */
    named: (appId: ObjectId, ids: readonly string[]): AsyncGenerator<RawDocuments> => {
      const descending = [...new Set(ids.map((id) => id.toLowerCase()))].toSorted().toReversed();
      return byIds(
        appId,
        descending.flatMap((id) => parseRecordId(id) ?? []),
        { isLong: true },
      );
    },
  };
}

function newest(appId: AppId, filter: RecordFilter): Segment {
  const part = appId
    ? { index: 'id', bounds: EVERY_ID, isReversed: false }
    : { index: 'all', bounds: EVERY_ASCENDING, isReversed: true };
  return { ...part, filter, isOfKeys: false };
}

/** The average size of each app's records, so that a query requests one page. */
function createRecordSizes() {
  const averages = new LRUCache<string, number>({ max: MAX_APPS });
  const cacheKey = (appId: AppId): string => appId?.toHexString() ?? '';

  return {
    /** The number of records of a page: 1 to 200. */
    perPage(appId: AppId): number {
      const average = averages.get(cacheKey(appId)) ?? 1;
      return Math.min(MAX_RECORDS, Math.max(1, Math.floor(PAGE_BYTES / average)));
    },

    note(appId: AppId, documents: RawDocuments): void {
      if (documents.length > 0) averages.set(cacheKey(appId), totalBytes(documents) / documents.length);
    },
  };
}

/** Prevents an unhandled rejection when the reader stops before it awaits the promise. */
function ignoreUnhandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
