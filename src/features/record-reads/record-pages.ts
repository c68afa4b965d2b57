import type { ObjectId } from 'mongodb';
import type { UserRecord } from '../../core/users/record-json.ts';
import { type RecordList, sizeKey } from '../../core/users/record-list.ts';
import { NEWEST_FIRST, type RecordFilter, type UserCollection } from '../../core/users/users.model.ts';
import { type DocumentId, firstBatch, type RawDocuments, readId, totalBytes } from '../../platform/bson/documents.ts';
import { MAX_PAGE_BYTES, readAhead } from '../../platform/bson/pages.ts';
import { decode } from '../../platform/database/collections.ts';
import { parseUuid } from '../../platform/database/ordered-ids.ts';
import type { AppId, OperatorLoad } from '../../platform/http/operator-load.ts';
import { createRecordRanges, EVERY_ID } from './ranges.ts';
import type { RecordSearch } from './word-reads.ts';

const BY_ID_TIME_MS = 2_000;
const RECORDS_PER_TURN = 50;

export type RecordPages = ReturnType<typeof createRecordPages>['pages'];

/**
 * Reads the records that match, or those of some ids, in pages as `list`.
 * @returns also the reads of ranges, which the pages use
 */
export function createRecordPages(users: UserCollection, load: Pick<OperatorLoad, 'step' | 'pause'>, list: RecordList) {
  const { sizes, showing } = list;
  const ranges = createRecordRanges(users, load);

  /** Yields matching records as BSON, newest first, and reads one page ahead. */
  function all(
    appId: ObjectId,
    filter: RecordFilter = {},
    signal?: AbortSignal,
    search?: RecordSearch,
  ): AsyncGenerator<RawDocuments> {
    if (!search && Object.keys(filter).length === 0) return list.all(appId, signal);
    const segment = { index: 'id', bounds: EVERY_ID, isReversed: false, filter, isOfKeys: false, search };
    const reading = () => ({ members: 'all', limit: sizes.perPage(sizeKey(appId)) }) as const;
    const steps = ranges.walk(appId, [segment], undefined, reading, { step: 'scan', signal });
    const read = async () => {
      const show = await showing();
      const { value, done } = await steps.next();
      if (done) return undefined;
      sizes.note(sizeKey(appId), value.documents);
      return show(value.documents, appId);
    };
    return readAhead(read, load.pause, signal);
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
      const asked = ids.slice(at, at + sizes.perPage(sizeKey(appId)));
      const filter: RecordFilter = { ...(appId && { appId }), _id: { $in: asked } };
      // With one more than requested, MongoDB reports the end of the result with its first batch.
      const hint = appId ? NEWEST_FIRST : { _id: 1 };
      const options = { raw: true, batchSize: asked.length + 1, maxTimeMS: BY_ID_TIME_MS, hint } as const;
      const show = await showing();
      const read = () => firstBatch(users.find<Uint8Array>(filter, options));
      const { documents, isWhole } = await (hasTurn ? read() : load.step('page', appId, read));
      sizes.note(sizeKey(appId), documents);
      // Retries with fewer.
      if (asked.length > 1 && (!isWhole || totalBytes(documents) > MAX_PAGE_BYTES)) continue;
      const byId = new Map(show(documents, appId).map((document) => [String(readId(document)), document]));
      at += asked.length;
      hasTurn = false;
      await load.pause();
      yield asked.flatMap((id) => byId.get(String(id)) ?? []);
    }
  }

  const pages = {
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

    byIds,

    /** Yields the records of these ids that exist, newest first; a text may be no id. */
    named: (appId: ObjectId, ids: readonly string[]): AsyncGenerator<RawDocuments> => {
      const descending = [...new Set(ids.map((id) => id.toLowerCase()))].toSorted().toReversed();
      return byIds(
        appId,
        descending.flatMap((id) => parseUuid(id) ?? []),
        { isLong: true },
      );
    },
  };
  return { ranges, pages };
}
