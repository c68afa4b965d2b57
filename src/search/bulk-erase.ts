import { type ObjectId, UUID } from 'mongodb';
import { Conflict, InvalidInput } from '../core/errors.ts';
import { type DocumentId, readId } from '../database/bson/documents.ts';
import type { RecordEraser } from '../records/erasure.ts';
import type { RecordRanges } from '../records/ranges.ts';
import type { ReadQueues } from '../records/read-queues.ts';
import { countSegments, type Query, queryFilter } from './plan.ts';
import type { SlotOf } from './queried-app.ts';

/** The most records of one request (spec 8). Their ids take 16 MB. */
const MAX_ERASED = 1_000_000;
const STEP = 1_000;
const UUID_BYTES = 16;

export type BulkErase = ReturnType<typeof createBulkErase>;

/** Creates the erasure of all records that match a query (spec 4.3). */
export function createBulkErase(deps: { ranges: RecordRanges; erase: RecordEraser; queues: ReadQueues }) {
  const { ranges, erase, queues } = deps;

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
      erased += await queues.longScan(appId, () => erase(appId, unpacked(step), queryFilter(query)));
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
