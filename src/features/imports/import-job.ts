import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import { type Logger, reasonOf } from '../../platform/core/logger.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { READ_HOLDS_MS, STATEMENT_ENDS_MS } from '../../platform/database/lateness.ts';
import type { Job, StepContext } from '../../platform/jobs/job-runner.ts';
import { STEP_MS, workInBatches } from '../../platform/jobs/pass-job.ts';
import { RunIsOver } from '../../platform/jobs/turn-job.ts';
import type { Pace } from '../activity/activity.ts';
import { DamagedArchive } from './archive.ts';
import { type ContentStore, MissingChunk } from './content.ts';
import { createImportRun, type ImportRun, type RunDeps } from './import-run.ts';
import type { ImportDocument } from './imports.model.ts';
import { AppIsGone } from './line-batches.ts';

const EVERY_MS = 1_000;
const CLEAN_UP_MS = 200;
/** The lines of a batch, and of one beside submissions, which wait for it. */
const BATCH = 500;
const BATCH_IF_BUSY = 50;
/** The longest wait of a step for imports that cannot continue yet. */
const MAX_WAIT_MS = 200;

export const IMPORT_JOB = 'imports';

const INCOMPLETE = 'The content is incomplete; import the file again';

interface Session {
  _id: ObjectId;
  runner: number;
  /** Whether the previous run ended without writes in flight. */
  isClean: boolean;
  readyAt: number;
  servedAt: number;
  run?: ImportRun | undefined;
}

/**
 * The job that applies started imports (spec 4.7): one of each app at a time, all apps in turns.
 * While submissions arrive, batches are small, with pauses. `writesEndMs`: shorter in tests only.
 */
export function createImportJob(
  deps: RunDeps & {
    content: Pick<ContentStore, 'removeSome'>;
    pace: Pace;
    clock: Pick<DatabaseClock, 'within'>;
    logger: Logger;
    writesEndMs?: number | undefined;
  },
): Job {
  const { store, content, rejects, notes, pace, clock, logger, writesEndMs = STATEMENT_ENDS_MS } = deps;
  const sessions = new Map<string, Session>();

  /** Removes data that imports no longer need; resolves with whether more is left. */
  async function cleanUp(): Promise<boolean> {
    const until = performance.now() + CLEAN_UP_MS;
    const leftMs = (): number => until - performance.now();
    const guard = clock.within(READ_HOLDS_MS);
    const found = await store.toCleanUp();
    for (const one of found) {
      if (!(await content.removeSome(one._id, leftMs(), guard))) return true;
      if (one.settings.dryRun && !(await notes.removePersons(one._id, leftMs(), guard))) return true;
      if (one.state === 'deleting' && !(await rejects.removeSome(one._id, leftMs(), guard))) return true;
      if (one.state === 'deleting' && !(await notes.removeSome(one._id, leftMs(), guard))) return true;
      await store.cleanedUp(one);
      if (leftMs() <= 0) return true;
    }
    return false;
  }

  /** Resolves with undefined when the import does not run any more. */
  async function openSession(found: ImportDocument): Promise<Session | undefined> {
    const { _id } = found;
    const id = _id.toHexString();
    const existing = sessions.get(id);
    if (existing) return existing;
    const claimed = await store.claim(found);
    if (!claimed) return undefined;
    // Lines that an earlier run may still write must not be decided otherwise.
    const readyAt = performance.now() + (claimed.isClean ? 0 : writesEndMs);
    const session = { _id, ...claimed, readyAt, servedAt: 0 };
    sessions.set(id, session);
    return session;
  }

  async function beginRun({ _id, runner, isClean }: Session): Promise<ImportRun | undefined> {
    const current = await store.running(_id);
    if (current?.runner !== runner || !current.position) return undefined;
    // Of an uncommitted batch, whose lines are decided again.
    await rejects.removeFrom({ _id, runner }, current.position.line);
    await notes.removeOmissionsFrom({ _id, runner }, current.position.line);
    return createImportRun(deps, current, { runner, contested: isClean ? 0 : BATCH });
  }

  /** Lets another server continue at once, unless an earlier run may still write. */
  async function release({ _id, runner, run, isClean }: Session): Promise<void> {
    if (run?.isUncontested() ?? isClean) await store.release(_id, runner);
  }

  async function work(session: Session, context: StepContext): Promise<void> {
    const id = session._id.toHexString();
    const checkOwner = (): void => {
      if (!context.stillOwner()) throw new RunIsOver();
    };
    try {
      session.run ??= await beginRun(session);
      const batch = async (): Promise<boolean> => {
        const size = (await pace.isBusy()) ? BATCH_IF_BUSY : BATCH;
        return (await session.run?.step(size, checkOwner)) ?? false;
      };
      const isOver = await workInBatches(context, STEP_MS, batch, pace.throttle);
      session.servedAt = performance.now();
      if (isOver) sessions.delete(id);
    } catch (error) {
      sessions.delete(id);
      if (error instanceof DamagedArchive) await session.run?.fail(error.message);
      else if (error instanceof MissingChunk) await session.run?.fail(INCOMPLETE);
      // Thrown before or after a write, so none is in flight.
      else if (error instanceof RunIsOver) await release(session);
      else if (!(error instanceof AppIsGone)) {
        logger.warn({ import: id, reason: reasonOf(error) }, 'a batch of an import failed and will be repeated');
      }
    }
  }

  return {
    name: IMPORT_JOB,
    everyMs: EVERY_MS,
    hasWork: async (hasAny) => sessions.size > 0 || hasAny([store.anyWork]),
    async run(context) {
      const { signal, stillOwner } = context;
      const begun = performance.now();
      const isUnclean = await cleanUp();
      if (isUnclean) await pace.throttle(begun, signal);
      const next = await store.nextPerApp();
      const live = new Set(next.map(({ _id }) => _id.toHexString()));
      for (const id of sessions.keys()) if (!live.has(id)) sessions.delete(id);
      const turns: Session[] = [];
      for (const one of next) {
        if (!stillOwner()) break;
        const session = await openSession(one);
        if (session) turns.push(session);
      }
      const now = performance.now();
      const ready = turns.filter(({ readyAt }) => readyAt <= now);
      const [turn] = ready.sort((one, other) => one.servedAt - other.servedAt);
      if (turn && stillOwner()) await work(turn, context);
      else if (turns.length > 0) await sleep(MAX_WAIT_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted || !stillOwner()) {
        const open = [...sessions.values()];
        sessions.clear();
        for (const session of open) await release(session);
      }
      return isUnclean || turns.length > 0;
    },
  };
}
