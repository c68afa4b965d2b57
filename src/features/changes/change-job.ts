import { setTimeout as sleep } from 'node:timers/promises';
import type { SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { OutdatedSchema } from '../../core/users/conflict.ts';
import { type Logger, reasonOf } from '../../platform/core/logger.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { READ_HOLDS_MS } from '../../platform/database/lateness.ts';
import type { Job, StepContext } from '../../platform/jobs/job-runner.ts';
import { STEP_MS, workInBatches } from '../../platform/jobs/pass-job.ts';
import type { Pace } from '../activity/activity.ts';
import type { BulkEditor, BulkResult } from '../records/bulk-edit.ts';
import { type ChangeDocument, type ChangeStore, MissingRecords, newPass, type Pass } from './changes.model.ts';

const EVERY_MS = 1_000;
/** The records of a batch, and of one beside submissions, which wait for it. */
const BATCH = 250;
const BATCH_IF_BUSY = 50;
const MAX_SCHEMA_CHANGES = 5;
/** The wait of a step after an error, so that it is not repeated at once. */
const PAUSE_MS = 200;

export const CHANGE_JOB = 'changes';

/** Another server runs the change, or it was removed. */
class RunIsOver extends Error {
  override readonly name = 'RunIsOver';
}

interface Session {
  change: ChangeDocument;
  /** The records from the position on to which an earlier run may still send writes. */
  contested: number;
  servedAt: number;
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
  const sessions = new Map<string, Session>();

  async function openSession(found: ChangeDocument): Promise<Session | undefined> {
    const id = found._id.toHexString();
    const existing = sessions.get(id);
    if (existing) return existing;
    const claimed = await store.claim(found);
    if (!claimed) return undefined;
    const session = { change: claimed.change, contested: claimed.isClean ? 0 : BATCH, servedAt: 0 };
    sessions.set(id, session);
    return session;
  }

  /** Processes a batch; resolves with whether the change continues. @throws {RunIsOver} */
  async function advance(session: Session, checkOwner: () => void): Promise<boolean> {
    const { change } = session;
    const name = change.undo ? 'undo' : 'pass';
    const { done } = change[name] ?? newPass();
    const isStopping = change.state === 'stopping';
    const isEnd = name === 'pass' ? done >= change.total : done >= change.pass.done;
    if (isEnd || (isStopping && session.contested === 0)) {
      checkOwner();
      const end = isStopping && !isEnd ? 'stopped' : name === 'undo' ? 'undone' : 'completed';
      await store.end(change, end);
      return false;
    }
    const most = name === 'undo' ? change.pass.done - done : change.total - done;
    const size = session.contested > 0 ? BATCH : (await pace.isBusy()) ? BATCH_IF_BUSY : BATCH;
    const ids = await store.ids(change, done, Math.min(size, most));
    if (session.contested > 0) await editor.fence(change.appId, ids);
    const results = await apply(session, ids, checkOwner);
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
    session.change = committed;
    session.contested = Math.max(0, session.contested - ids.length);
    return true;
  }

  async function apply(
    { change }: Session,
    ids: Parameters<BulkEditor['apply']>[1],
    checkOwner: () => void,
  ): Promise<Map<string, BulkResult>> {
    const { _id: id, appId, sourceAppId, set, unset, version, undo, undoneBy, state } = change;
    const by = undo && undoneBy ? undoneBy : change.by;
    for (let attempt = 0; attempt < MAX_SCHEMA_CHANGES; attempt += 1) {
      const lease = await leases.hold(sourceAppId);
      if (!lease?.app.id.equals(appId)) throw new RunIsOver();
      const edit = { id, set, unset, version, by, isUndo: undo !== undefined, isStopping: state === 'stopping' };
      try {
        return await editor.apply(lease, ids, edit, checkOwner);
      } catch (error) {
        if (!(error instanceof OutdatedSchema)) throw error;
        leases.forget(sourceAppId);
      }
    }
    throw new Error('the schema keeps changing');
  }

  async function work(id: string, session: Session, context: StepContext): Promise<void> {
    const checkOwner = (): void => {
      if (!context.stillOwner()) throw new RunIsOver();
    };
    try {
      const isOver = await workInBatches(context, STEP_MS, () => advance(session, checkOwner), pace.throttle);
      session.servedAt = performance.now();
      if (isOver) sessions.delete(id);
    } catch (error) {
      // The next run reads what of the batch was written.
      sessions.delete(id);
      if (error instanceof MissingRecords) await store.end(session.change, 'failed', error.message);
      else if (!(error instanceof RunIsOver)) {
        logger.warn({ change: id, reason: reasonOf(error) }, 'a batch of a change failed and will be repeated');
      }
      await sleep(PAUSE_MS, undefined, { signal: context.signal }).catch(() => undefined);
    }
  }

  /** Lets another server continue without a fence. */
  async function releaseAll(): Promise<void> {
    const open = [...sessions.values()];
    sessions.clear();
    for (const { change, contested } of open) if (contested === 0) await store.release(change);
  }

  return {
    name: CHANGE_JOB,
    everyMs: EVERY_MS,
    hasWork: async (hasAny) => sessions.size > 0 || hasAny([store.anyActive]),
    async run(context) {
      const { signal, stillOwner } = context;
      const heads = await store.heads();
      const live = new Set(heads.map(({ _id }) => _id.toHexString()));
      for (const id of sessions.keys()) if (!live.has(id)) sessions.delete(id);
      const turns: [string, Session][] = [];
      for (const head of heads) {
        if (!stillOwner()) break;
        const session = await openSession(head);
        if (session) turns.push([head._id.toHexString(), session]);
      }
      const [turn] = turns.sort(([, one], [, other]) => one.servedAt - other.servedAt);
      if (turn && stillOwner()) await work(...turn, context);
      if (signal.aborted || !stillOwner()) await releaseAll();
      return turns.length > 0;
    },
  };
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
