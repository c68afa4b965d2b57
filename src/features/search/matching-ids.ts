import { type ObjectId, UUID } from 'mongodb';
import { type DocumentId, readId } from '../../platform/bson/documents.ts';
import { Conflict } from '../../platform/core/errors.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { RecordRanges } from '../record-reads/ranges.ts';
import { invalidQuery } from './conditions.ts';
import { countSegments, type Query } from './plan.ts';
import type { SlotOf } from './queried-app.ts';

/** The code of the refusal of another number of matches. */
type Undone = 'otherCountErased' | 'otherCountChanged';

/** The most records of one request (spec 8). Their ids take 16 MB. */
const MAX_MATCHES = 1_000_000;
/** The ids of one part. */
const STEP = 1_000;
const UUID_BYTES = 16;

/** 16 bytes for each UUID. Ids of other types come from manual edits only. */
export interface PackedIds {
  uuids: Buffer;
  others: DocumentId[];
}

export type MatchingIds = ReturnType<typeof createMatchingIds>;

/** Reads the ids of all records that match a query, for a request that confirms their number. */
export function createMatchingIds(ranges: RecordRanges) {
  /**
   * Resolves with the ids in parts of at most 1,000; undefined: the signal ended the work.
   * @param undone why the request is refused when `confirm` is wrong
   * @throws {Conflict} when `confirm` is not the number of matches
   * @throws {InvalidInput} when there are more matches than one request may have
   */
  return async (
    appId: ObjectId,
    query: Query,
    slotOf: SlotOf,
    { confirm, signal, undone }: { confirm: number; signal: AbortSignal; undone: Undone },
  ): Promise<PackedIds[] | undefined> => {
    const parts: PackedIds[] = [];
    let count = 0;
    const segments = countSegments(query, slotOf);
    for await (const { documents } of ranges.walk(appId, segments, undefined, () => ({ limit: STEP }))) {
      if (signal.aborted) return undefined;
      count += documents.length;
      if (count > MAX_MATCHES) {
        throw invalidQuery('where', say('tooManyMatches', { max: MAX_MATCHES }));
      }
      if (documents.length > 0) parts.push(packed(documents.map(readId)));
    }
    if (count !== confirm) throw otherCount(count, undone);
    return parts;
  };
}

function packed(ids: readonly DocumentId[]): PackedIds {
  const isUuid = (id: DocumentId): boolean => id instanceof UUID;
  return {
    uuids: Buffer.concat(ids.filter(isUuid).map(({ buffer }) => buffer)),
    others: ids.filter((id) => !isUuid(id)),
  };
}

/** The ids of UUIDs that were packed. */
export function unpackUuids(uuids: Uint8Array): UUID[] {
  const bytes = Buffer.from(uuids.buffer, uuids.byteOffset, uuids.byteLength);
  const idAt = (_: unknown, at: number) => new UUID(bytes.subarray(at * UUID_BYTES, (at + 1) * UUID_BYTES));
  return Array.from({ length: bytes.length / UUID_BYTES }, idAt);
}

/** @param undone what did not happen */
export function otherCount(count: number, undone: Undone): Conflict {
  return new Conflict(say(undone, { count }), [{ path: 'confirm', ...say('notCount', { count }) }]);
}
