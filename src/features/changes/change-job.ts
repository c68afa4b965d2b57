import type { SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { type Logger, reasonOf } from '../../platform/core/logger.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { READ_HOLDS_MS } from '../../platform/database/lateness.ts';
import type { Job } from '../../platform/jobs/job-runner.ts';
import { createTurnJob, RunIsOver } from '../../platform/jobs/turn-job.ts';
import type { Pace } from '../activity/activity.ts';
import type { BulkEditor, BulkResult } from '../records/bulk-edit.ts';
import { underNewestSchema } from '../records/bulk-write.ts';
import { type ChangeDocument, type ChangeStore, MissingRecords, newPass, type Pass } from './changes.model.ts';

const EVERY_MS = 1_000;
/** The records of a batch, and of one beside submissions, which wait for it. */
const BATCH = 250;
const BATCH_IF_BUSY = 50;

export const CHANGE_JOB = 'changes';

interface Run {
  change: ChangeDocument;
  /** The records from the position on to which an earlier run may still send writes. */
  contested: number;
}

/**
 * The job that applies changes of many records and undoes them: one of each app at a time, all apps
 * in turns. A run that takes over fences the records of the batch that the one before it had begun.
 */
export function createChangeJob(deps: {
  store: ChangeStore;
  editor: BulkEditor;
  leases: Pick<SchemaLeases, 'hold' | 'forget'>;
  pace: Pick<Pace, 'throttle' | 'isBusy'>;
  clock: Pick<DatabaseClock, 'within'>;
  logger: Logger;
}): Job {
  const { store, editor, leases, pace, clock, logger } = deps;

  async function open(found: ChangeDocument): Promise<Run | undefined> {
    const claimed = await store.claim(found);
    return claimed && { change: claimed.change, contested: claimed.isClean ? 0 : BATCH };
  }

  /** Processes a batch; resolves with whether the change continues. @throws {RunIsOver} */
  async function advance(run: Run, checkOwner: () => void): Promise<boolean> {
    const { change } = run;
    const name = change.undo ? 'undo' : 'pass';
    const { done } = change[name] ?? newPass();
    const isStopping = change.state === 'stopping';
    const isEnd = name === 'pass' ? done >= change.total : done >= change.pass.done;
    if (isEnd || (isStopping && run.contested === 0)) {
      checkOwner();
      const end = isStopping && !isEnd ? 'stopped' : name === 'undo' ? 'undone' : 'completed';
      await store.end(change, end);
      return false;
    }
    const most = name === 'undo' ? change.pass.done - done : change.total - done;
    const size = run.contested > 0 ? BATCH : (await pace.isBusy()) ? BATCH_IF_BUSY : BATCH;
    const ids = await store.ids(change, done, Math.min(size, most));
    if (run.contested > 0) await editor.fence(change.appId, ids);
    const results = await apply(run, ids, checkOwner);
    const until = clock.within(READ_HOLDS_MS);
    const committed = await store.commit(change, name, countResults(results));
    if (!committed) throw new RunIsOver();
    // Those that were erased before the change was stored: their erasure did not find it.
    const isForgotten = await store.forget(
      committed,
      ids.filter((id) => results.get(id.toHexString())?.isErased),
      until,
    );
    if (isForgotten) return false;
    run.change = committed;
    run.contested = Math.max(0, run.contested - ids.length);
    return true;
  }

  function apply(
    { change }: Run,
    ids: Parameters<BulkEditor['apply']>[1],
    checkOwner: () => void,
  ): Promise<Map<string, BulkResult>> {
    const { _id: id, appId, sourceAppId, set, unset, version, undo, undoneBy, state } = change;
    const by = undo && undoneBy ? undoneBy : change.by;
    const edit = { id, set, unset, version, by, isUndo: undo !== undefined, isStopping: state === 'stopping' };
    return underNewestSchema(leases, { appId, sourceAppId }, (lease) => editor.apply(lease, ids, edit, checkOwner));
  }

  return createTurnJob({
    name: CHANGE_JOB,
    everyMs: EVERY_MS,
    anyWork: store.anyActive,
    heads: store.heads,
    open,
    advance,
    async onError({ change }, error) {
      if (error instanceof MissingRecords) await store.end(change, 'failed', error.message);
      else {
        const id = change._id.toHexString();
        logger.warn({ change: id, reason: reasonOf(error) }, 'a batch of a change failed and will be repeated');
      }
    },
    async release({ change, contested }) {
      if (contested === 0) await store.release(change);
    },
    throttle: pace.throttle,
  });
}

function countResults(results: ReadonlyMap<string, BulkResult>): Pass {
  const pass = newPass();
  for (const [id, { result, message }] of results) {
    pass.done += 1;
    if (result === 'changed') pass.changed += 1;
    if (result === 'refused') pass.refused += 1;
    if (message !== undefined) pass.errors.push({ id, message });
  }
  return pass;
}
