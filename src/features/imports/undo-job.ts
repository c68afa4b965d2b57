import type { UUID } from 'mongodb';
import type { SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { type Logger, reasonOf } from '../../platform/core/logger.ts';
import { isOverTime } from '../../platform/database/failures.ts';
import type { Job } from '../../platform/jobs/job-runner.ts';
import { createTurnJob, RunIsOver } from '../../platform/jobs/turn-job.ts';
import type { Pace } from '../activity/activity.ts';
import { underNewestSchema } from '../records/bulk-write.ts';
import type { ImportUndo, UndoCounts } from '../records/import-undo.ts';
import type { UndoneImport, UndoStore } from './undo-documents.ts';

const EVERY_MS = 1_000;
/**
 * The records that a batch reads, of which it changes at most so many; fewer beside submissions.
 */
const PASSED = 1_000;
const BATCH = 250;
const BATCH_IF_BUSY = 50;

export const UNDO_JOB = 'import-undos';

interface Run {
  one: UndoneImport;
  /** The most records that a statement reads: fewer after one over its time limit. */
  limit: number;
}

/**
 * The job that undoes imports (spec 4.7): one of each app at a time, all apps in turns. Before a
 * batch writes, the import stores which records it concerns. So a run that takes over fences these
 * records, and knows which ones the run before it erased.
 */
export function createUndoJob(deps: {
  store: UndoStore;
  records: ImportUndo;
  leases: Pick<SchemaLeases, 'hold' | 'forget'>;
  pace: Pick<Pace, 'throttle' | 'isBusy'>;
  logger: Logger;
}): Job {
  const { store, records, leases, pace, logger } = deps;

  /** Reads the records of the next batch; of one that has begun, the same ones. */
  async function readBatch(run: Run) {
    const { appId, _id, undo } = run.one;
    const to = undo.batch?.end;
    const passed = await records.readPassed(appId, _id, { after: undo.position, to, limit: run.limit });
    if (to) return { passed, end: to };
    const size = (await pace.isBusy()) ? BATCH_IF_BUSY : BATCH;
    const last = passed.filter(({ isOf }) => isOf)[size - 1];
    const some = last ? passed.slice(0, passed.indexOf(last) + 1) : passed;
    return { passed: some, end: some.at(-1)?._id };
  }

  /** Processes a batch; resolves with whether the undo continues. @throws {RunIsOver} */
  async function advance(run: Run, checkOwner: () => void): Promise<boolean> {
    const { one } = run;
    const read = await readBatch(run).catch((error: unknown) => {
      if (!isOverTime(error) || run.limit === 1) throw error;
      run.limit = Math.ceil(run.limit / 8);
    });
    if (!read) return true;
    const { passed, end } = read;
    if (!end) {
      checkOwner();
      await store.end(one);
      return false;
    }
    const { batch } = one.undo;
    const created = withoutRepeats([...(batch?.created ?? []), ...idsOf(passed.filter((record) => record.isCreated))]);
    const ids = withoutRepeats([...idsOf(passed.filter(({ isOf }) => isOf)), ...created]);
    const counts = ids.length > 0 ? await undoIn(run, ids, { end, created }, checkOwner) : NONE;
    const committed = await store.commit(run.one, counts, end);
    if (!committed) throw new RunIsOver();
    run.one = committed;
    return true;
  }

  async function undoIn(
    run: Run,
    ids: readonly UUID[],
    batch: NonNullable<UndoneImport['undo']['batch']>,
    checkOwner: () => void,
  ): Promise<UndoCounts> {
    const { _id: importId, appId, undo } = run.one;
    if (undo.batch) await records.fence(appId, ids);
    const begun = await store.beginBatch(run.one, batch);
    if (!begun) throw new RunIsOver();
    run.one = begun;
    return underNewestSchema(leases, begun, (lease) =>
      records.apply(lease, ids, batch.created, { importId, by: undo.by }, checkOwner),
    );
  }

  return createTurnJob<UndoneImport, Run>({
    name: UNDO_JOB,
    everyMs: EVERY_MS,
    anyWork: store.anyRunning,
    heads: store.heads,
    async open(head) {
      const one = await store.claim(head);
      return one && { one, limit: PASSED };
    },
    advance,
    onError({ one }, error) {
      const id = one._id.toHexString();
      logger.warn({ import: id, reason: reasonOf(error) }, 'a batch of an undo failed and will be repeated');
    },
    throttle: pace.throttle,
  });
}

const NONE: UndoCounts = { restored: 0, erased: 0, kept: 0 };

const idsOf = (records: readonly { _id: UUID }[]): UUID[] => records.map(({ _id }) => _id);

const withoutRepeats = (ids: readonly UUID[]): UUID[] => [...new Map(ids.map((id) => [id.toHexString(), id])).values()];
