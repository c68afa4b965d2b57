import type { ObjectId } from 'mongodb';
import type { DocumentId } from '../../platform/bson/documents.ts';
import type { OperatorLoad } from '../../platform/http/operator-load.ts';
import { allOf } from '../record-reads/record-filters.ts';
import type { RecordReader } from '../record-reads/record-reader.ts';
import type { RecordEraser } from '../records/erasure.ts';
import { type MatchingIds, unpackUuids } from './matching-ids.ts';
import { predicateFilter, type Query } from './plan.ts';
import type { SlotOf } from './queried-app.ts';
import type { TextSearch } from './text-search.ts';

/** The most records of a search that are compared and erased at once. */
const MAX_FOUND = 250;

export type BulkErase = ReturnType<typeof createBulkErase>;

/** Creates the erasure of all records that match a query (spec 4.3). */
export function createBulkErase(deps: {
  matchingIds: MatchingIds;
  erase: RecordEraser;
  reader: Pick<RecordReader, 'unchanged'>;
  load: Pick<OperatorLoad, 'step'>;
}) {
  const { matchingIds, erase, reader, load } = deps;

  /** Erases the matches of a search, which no filter expresses, if they are as they were read. */
  async function eraseFound(appId: ObjectId, ids: readonly DocumentId[], query: Query, search: TextSearch) {
    let erased = 0;
    let size = MAX_FOUND;
    for (let at = 0; at < ids.length; ) {
      const some = ids.slice(at, at + size);
      const filter = predicateFilter(query);
      const found = await reader.unchanged(appId, some, filter, search.search.matches);
      if (found === undefined && size > 1) {
        size = Math.ceil(size / 2);
        continue;
      }
      at += some.length;
      if (found) erased += await erase(appId, found.ids, allOf(filter, found.filter));
    }
    return erased;
  }

  /**
   * Erases the records that matched when they were counted and match when they are deleted.
   * @param signal ends the work after the current step
   * @param recheck is called after the count, which takes long, and before the first erasure
   * @throws {Conflict | InvalidInput} as `MatchingIds`
   */
  return async (
    appId: ObjectId,
    query: Query,
    slotOf: SlotOf,
    { confirm, signal, recheck }: { confirm: number; signal: AbortSignal; recheck(): Promise<void> },
  ): Promise<number> => {
    const parts = await matchingIds(appId, query, slotOf, { confirm, signal, undone: 'otherCountErased' });
    await recheck();
    let erased = 0;
    for (const { uuids, others } of parts ?? []) {
      if (signal.aborted) break;
      const ids = [...unpackUuids(uuids), ...others];
      const { search } = query;
      erased += await load.step('scan', appId, () =>
        search ? eraseFound(appId, ids, query, search) : erase(appId, ids, predicateFilter(query)),
      );
    }
    return erased;
  };
}
