import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, ObjectId, type UUID } from 'mongodb';
import type { Lease, SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { OutdatedSchema } from '../../core/users/conflict.ts';
import { type RecordFilter, theseRecords } from '../../core/users/users.model.ts';
import { limitAttempts } from '../../platform/core/attempts.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import { createTurns } from '../../platform/core/turns.ts';
import { decode } from '../../platform/database/collections.ts';
import { changing } from '../../platform/database/filters.ts';
import { RunIsOver } from '../../platform/jobs/turn-job.ts';
import { allOf, recordFilter, updateAsRead } from '../record-reads/record-filters.ts';
import type { RecordEraser } from './erasure.ts';
import { EDITED_PROJECTION, type EditDeps, type EditedRecord, type EditWrite, prepareEdit } from './record-edit.ts';

const PAUSE_MS = 10;
/** The most records that one read holds. */
const BATCH_SIZE = 100;
/** Writes are sent when the values that they read, and their entries, have this size in bytes. */
const MAX_WRITE_BYTES = 128 * 1024;
const MAX_SCHEMA_CHANGES = 5;
/** Matches no record. */
const NONE = recordFilter({ $nor: [{}] });

/** A write of a record as it was read, and the result once it is stored. */
interface PlannedWrite<Result> extends Omit<EditWrite, 'hasChanges'> {
  id: UUID;
  result: Result;
}

/** The erasure of a record in the state that the filter describes. */
interface PlannedErasure {
  erases: RecordFilter;
}

/** What is done with a record. */
export type RecordPlan<Result> = { result: Result } | PlannedWrite<Result> | PlannedErasure;

/** A pass over records: what it reads, and what it does with each. */
interface RecordPass<Found extends EditedRecord, Result> {
  /** The members that it reads besides those of every edit. */
  projection: Document;
  /** Whether it reads and compares all of `data`. */
  isWhole: boolean;
  /** The result of a record that is not changed whatever its state. */
  decided?(record: Found): Result | undefined;
  plan(record: Found): Promise<RecordPlan<Result>>;
}

export type BulkWriter = ReturnType<typeof createBulkWriter>;

/** Writes many records for passes in the background. */
export function createBulkWriter(
  deps: Pick<EditDeps, 'users' | 'revalidation' | 'parts' | 'edits'> & { erase: RecordEraser },
) {
  const { users, revalidation, parts, edits, erase } = deps;

  /** Resolves with whether the record can be planned now; otherwise another attempt reads it. */
  async function prepare(record: EditedRecord, lease: Lease, isWhole: boolean): Promise<boolean> {
    try {
      return await prepareEdit(record, lease, edits, isWhole);
    } catch (error) {
      // The relay must take the events of the record first.
      if (error instanceof Unavailable) return false;
      throw error;
    }
  }

  async function write(planned: readonly Omit<EditWrite, 'hasChanges'>[], lease: Lease): Promise<boolean> {
    try {
      const areAsRead = await updateAsRead(users, planned);
      for (const { noteStored } of planned) noteStored();
      if (!lease.isCurrent()) for (const { checked } of planned) await revalidation.revalidateEdit(lease, checked);
      return areAsRead;
    } catch (error) {
      for (const { checked } of planned) revalidation.scheduleRepair(checked, lease);
      throw error;
    }
  }

  return {
    /**
     * Changes the fence in the mark of these records, which each write of a pass names: those of
     * other runs fail, also those still to arrive. A record without the mark gets one only if the
     * writes of the pass name its absence (`marksAll`).
     */
    async fence(appId: ObjectId, ids: readonly UUID[], mark: 'change' | 'import', marksAll: boolean): Promise<void> {
      const options = { projection: { email: 1 }, hint: { _id: 1 } };
      const found = await users.find({ appId, _id: { $in: [...ids] } }, options).toArray();
      if (found.length === 0) return;
      const marked = marksAll ? {} : recordFilter({ [mark]: { $exists: true } });
      const fenced = changing<Document>({ $set: { [`${mark}.fence`]: new ObjectId() } });
      await users.updateMany(allOf(theseRecords(appId, found), marked), fenced, { hint: { _id: 1 } });
    },

    /**
     * Plans and writes these records, each as it was read, and repeats those that changed
     * meanwhile. Resolves with the results by id; a record without one does not exist.
     * @param checkOwner throws when another run may write
     * @throws {OutdatedSchema} when a record is later than the lease; a repeat continues
     * @throws {Unavailable} when a result is unknown
     */
    async apply<Found extends EditedRecord, Result>(
      lease: Lease,
      ids: readonly UUID[],
      { projection, isWhole, decided, plan }: RecordPass<Found, Result>,
      checkOwner: () => void,
    ): Promise<Map<string, Result>> {
      const appId = lease.app.id;
      const results = new Map<string, Result>();
      const read = {
        projection: { ...EDITED_PROJECTION, bytes: parts.bytes(), ...edits.facts(lease), ...projection },
        hint: { _id: 1 },
        batchSize: BATCH_SIZE,
        readConcern: { level: 'majority' },
        raw: true,
      } as const;
      const turn = createTurns();
      const again = limitAttempts();
      let left = ids;
      let count = 0;
      while (left.length > 0) {
        if (count > 2) await sleep(PAUSE_MS * count);
        const later: UUID[] = [];
        let writes: PlannedWrite<Result>[] = [];
        const erasures = new Map<string, { id: UUID; erases: RecordFilter }>();
        let bytes = 0;
        const sendPlanned = async (): Promise<void> => {
          checkOwner();
          const areWritten = writes.length > 0 && (await write(writes, lease));
          for (const { id, result } of writes) {
            if (areWritten) results.set(id.toHexString(), result);
            // The next attempt reads which records were written.
            else later.push(id);
          }
          if (erasures.size > 0) {
            checkOwner();
            const erased = [...erasures.values()].map(({ id }) => id);
            await erase(appId, erased, ({ _id }) => erasures.get(_id.toHexString())?.erases ?? NONE);
            // The next attempt reads which records exist.
            later.push(...erased);
          }
          writes = [];
          erasures.clear();
          bytes = 0;
        };
        for await (const found of users.find<Uint8Array>({ appId, _id: { $in: [...left] } }, read)) {
          await turn();
          const record = decode<Found>(found);
          const id = record._id.toHexString();
          const result = decided?.(record);
          if (result !== undefined) results.set(id, result);
          else if (!(await prepare(record, lease, isWhole))) later.push(record._id);
          else {
            const planned = await plan(record);
            if ('filter' in planned) {
              writes.push(planned);
              bytes += planned.bytes;
            } else if ('erases' in planned) erasures.set(id, { id: record._id, erases: planned.erases });
            else {
              results.set(id, planned.result);
              continue;
            }
            bytes += found.length;
            if (bytes >= MAX_WRITE_BYTES) await sendPlanned();
          }
        }
        await sendPlanned();
        left = later;
        if (left.length > 0) count = again();
      }
      return results;
    },
  };
}

/**
 * Resolves with the result under the newest schema of an app.
 * @throws {RunIsOver} when this incarnation of the app does not exist
 */
export async function underNewestSchema<Result>(
  leases: Pick<SchemaLeases, 'hold' | 'forget'>,
  { appId, sourceAppId }: { appId: ObjectId; sourceAppId: string },
  apply: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; attempt < MAX_SCHEMA_CHANGES; attempt += 1) {
    const lease = await leases.hold(sourceAppId);
    if (!lease?.app.id.equals(appId)) throw new RunIsOver();
    try {
      return await apply(lease);
    } catch (error) {
      if (!(error instanceof OutdatedSchema)) throw error;
      leases.forget(sourceAppId);
    }
  }
  throw new Error('the schema keeps changing');
}
