import { ObjectId } from 'mongodb';
import { type Logger, reasonOf } from '../core/logger.ts';
import type { HasAny } from '../database/lookups.ts';
import type { Job, JobState } from './job.ts';
import { type HeldLock, type JobLocks, keepLock, type Obstacle } from './job-locks.ts';

export type JobWorker = ReturnType<typeof createWorker>;

/**
 * After this time a due job runs without being asked for work, which stores when it is due next:
 * `doctor` reports a job that has been due for five minutes.
 */
const RUN_UNASKED_AFTER_MS = 60_000;

interface Work {
  /** Works until no work waits; false: no lock. `isOverdue`: it was woken and need not be due. */
  work(isOverdue: boolean): Promise<boolean>;
  /** Called with each wake, also during `work`. */
  onWake?: (() => void) | undefined;
  onStop(): void;
}

/** Creates the worker of one job; `stopping` aborts when the server stops. */
export function createWorker(
  { name, everyMs }: Pick<Job, 'name' | 'everyMs'>,
  create: (state: JobState, stopping: AbortSignal) => Work,
) {
  const state: JobState = { name, isRunning: false, steps: 0, failures: 0, lastStepAt: undefined };
  const stopping = new AbortController();
  const { work, onWake, onStop } = create(state, stopping.signal);
  let isStarted = false;
  let isWorking = false;
  let isWoken = false;
  /** Whether a wake still waits for the lock. */
  let isOverdue = false;
  let working = Promise.resolve();

  async function takeTurns(): Promise<void> {
    do {
      isOverdue ||= isWoken;
      isWoken = false;
      // The database may be unreachable; the turn after the next read tries again.
      if (await work(isOverdue).catch(() => false)) isOverdue = false;
    } while (isWoken && !stopping.signal.aborted);
    isWorking = false;
  }

  function begin(): void {
    if (!isStarted || isWorking || stopping.signal.aborted) return;
    isWorking = true;
    working = takeTurns();
  }

  return {
    name,
    everyMs,
    state,
    isWorking: () => isWorking,

    /** Allows the job to run. An earlier wake takes effect with the next read. */
    start(): void {
      isStarted = true;
    },

    /** Works unless the obstacle prevents it. */
    consider(obstacle: Obstacle | undefined): void {
      if (obstacle === undefined || (obstacle === 'early' && (isOverdue || isWoken))) begin();
    },

    /** Works at once, although the job is not due, or as soon as its lock is free. */
    wake(): void {
      isWoken = true;
      onWake?.();
      begin();
    },

    /** Begins no further step, and resolves when the step in progress has ended. */
    async stop(): Promise<void> {
      stopping.abort();
      onStop();
      await working;
    },
  };
}

interface WorkerDeps {
  locks: JobLocks;
  hasAny: HasAny;
  logger: Logger;
}

/** Creates the worker that takes the lock of a job and runs its steps in sequence. */
export function createJobWorker(job: Job, { locks, hasAny, logger }: WorkerDeps): JobWorker {
  const { name, everyMs, run, onWake } = job;
  return createWorker({ name, everyMs }, (state, stopping) => {
    let held: HeldLock | undefined;
    let ranAt = Number.NEGATIVE_INFINITY;

    /** False also when the question fails: the step then reports the error. */
    async function isIdle(): Promise<boolean> {
      if (!job.hasWork || performance.now() - ranAt >= RUN_UNASKED_AFTER_MS) return false;
      return !(await job.hasWork(hasAny).catch(() => true));
    }

    /** Resolves with whether more work waits. */
    async function step(lock: HeldLock): Promise<boolean> {
      state.isRunning = true;
      try {
        const hasMore = await run(lock);
        state.steps += 1;
        state.lastStepAt = new Date();
        return hasMore;
      } catch (error) {
        state.failures += 1;
        const failed = { job: name, reason: reasonOf(error) };
        if (!stopping.aborted) logger.warn(failed, 'a background job failed and will be repeated');
        return false;
      } finally {
        state.isRunning = false;
      }
    }

    return {
      async work(isOverdue) {
        if (await isIdle()) return true;
        const turn = new ObjectId();
        const takenAt = performance.now();
        if (!(await locks.hold(name, isOverdue, turn))) return false;
        held = keepLock(locks, name, turn, takenAt);
        // No step after a stop that came while the lock was taken: nothing would end it.
        let hasMore = true;
        while (hasMore && !stopping.aborted && held.stillOwner()) hasMore = await step(held);
        await held.end();
        held = undefined;
        await locks.release(name, hasMore ? 0 : everyMs, turn);
        ranAt = performance.now();
        return true;
      },
      onWake,
      onStop: () => held?.abort(),
    };
  });
}
