import { type ObjectId, UUID } from 'mongodb';
import { Conflict, InvalidInput } from '../core/errors.ts';
import { type DocumentId, readId } from '../database/bson/documents.ts';
import type { RecordEraser } from '../records/erasure.ts';
import type { RecordRanges } from '../records/ranges.ts';
import type { ReadQueues } from '../records/read-queues.ts';
import { allOf } from '../records/record.ts';
import type { RecordReader } from '../records/record-reader.ts';
import { countSegments, predicateFilter, type Query } from './plan.ts';
import type { SlotOf } from './queried-app.ts';
import type { TextSearch } from './text-search.ts';

/** The most records of one request (spec 8). Their ids take 16 MB. */
const MAX_ERASED = 1_000_000;
const STEP = 1_000;
/** The most records of a search that are compared and erased at once. */
const MAX_FOUND = 250;
const UUID_BYTES = 16;

export type BulkErase = ReturnType<typeof createBulkErase>;

/** Creates the erasure of all records that match a query (spec 4.3). */
export function createBulkErase(deps: {
  ranges: RecordRanges;
  erase: RecordEraser;
  reader: Pick<RecordReader, 'unchanged'>;
  queues: ReadQueues;
}) {
  const { ranges, erase, reader, queues } = deps;

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
   * @throws {Conflict} when `confirm` is not the number of matches
   * @throws {InvalidInput} when there are more matches than one request may erase
   */
  return async (
    appId: ObjectId,
    query: Query,
    slotOf: SlotOf,
    { confirm, signal }: { confirm: number; signal: AbortSignal },
  ): Promise<number> => {
    const steps: PackedIds[] = [];
    let count = 0;
    const segments = countSegments(query, slotOf);
    for await (const { documents } of ranges.walk(appId, segments, undefined, () => ({ limit: STEP }))) {
      if (signal.aborted) return 0;
      count += documents.length;
      if (count > MAX_ERASED) throw tooMany();
      if (documents.length > 0) steps.push(packed(documents.map(readId)));
    }
    if (count !== confirm) throw differs(count);
    let erased = 0;
    for (const step of steps) {
      if (signal.aborted) break;
      const { search } = query;
      erased += await queues.longScan(appId, () =>
        search
          ? eraseFound(appId, unpacked(step), query, search)
          : erase(appId, unpacked(step), predicateFilter(query)),
      );
    }
    return erased;
  };
}

/** 16 bytes for each UUID. Ids of other types come from manual edits only. */
interface PackedIds {
  uuids: Buffer;
  others: DocumentId[];
}

function packed(ids: readonly DocumentId[]): PackedIds {
  const isUuid = (id: DocumentId): boolean => id instanceof UUID;
  return {
    uuids: Buffer.concat(ids.filter(isUuid).map(({ buffer }) => buffer)),
    others: ids.filter((id) => !isUuid(id)),
  };
}

function unpacked({ uuids, others }: PackedIds): DocumentId[] {
  const idAt = (_: unknown, at: number) => new UUID(uuids.subarray(at * UUID_BYTES, (at + 1) * UUID_BYTES));
  return [...Array.from({ length: uuids.length / UUID_BYTES }, idAt), ...others];
}

function tooMany(): InvalidInput {
  const message = `matches more than ${MAX_ERASED} records; narrow it down`;
  return new InvalidInput('Invalid query parameters', [{ path: 'where', message }]);
}

function differs(count: number): Conflict {
  const records = count === 1 ? '1 record matches' : `${count} records match`;
  return new Conflict(`${records}; nothing was erased`, [{ path: 'confirm', message: `must be ${count}` }]);
}
