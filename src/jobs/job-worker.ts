import { Types } from 'mongoose';
import type { Logger } from '../core/logger.ts';
import type { Job, JobState } from './job.ts';
import { type HeldLock, type JobLocks, keepLock, type Obstacle } from './job-locks.ts';

export type JobWorker = ReturnType<typeof createJobWorker>;

/** Takes the lock of one job and runs its steps one after the other. */
export function createJobWorker({ name, everyMs, run, onWake }: Job, locks: JobLocks, logger: Logger) {
  const state: JobState = { name, isRunning: false, steps: 0, failures: 0, lastStepAt: undefined };
  let isStarted = false;
  let isStopping = false;
  let isWorking = false;
  let isWoken = false;
  /** Whether a wake still waits for the lock. */
  let isOverdue = false;
  let held: HeldLock | undefined;
  let working = Promise.resolve();

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
      const reason = error instanceof Error ? error.name : 'unknown';
      if (!isStopping) logger.warn({ job: name, reason }, 'a background job failed and will be repeated');
      return false;
    } finally {
      state.isRunning = false;
    }
  }

  /** Takes the lock if the job is due, and runs steps until no work waits. */
  async function turn(): Promise<void> {
    const id = new Types.ObjectId();
    const takenAt = performance.now();
    isOverdue ||= isWoken;
    isWoken = false;
    if (!(await locks.hold(name, isOverdue, id))) return;
    isOverdue = false;
    held = keepLock(locks, name, id, takenAt);
    // No step after a stop that came while the lock was taken: nothing would end it.
    let hasMore = true;
    while (hasMore && !isStopping && held.stillOwner()) hasMore = await step(held);
    await held.end();
    held = undefined;
    await locks.release(name, hasMore ? 0 : everyMs, id);
  }

  async function work(): Promise<void> {
    do {
      // The database may be unreachable; the turn after the next look tries again.
      await turn().catch(() => undefined);
    } while (isWoken && !isStopping);
    isWorking = false;
  }

  function begin(): void {
    if (!isStarted || isWorking || isStopping) return;
    isWorking = true;
    working = work();
  }

  return {
    name,
    everyMs,
    state,
    isWorking: () => isWorking,

    /** From now on the job may run. A wake before is carried out with the next look. */
    start(): void {
      isStarted = true;
    },

    /** Works if nothing hinders it. @param obstacle what keeps the job from running, if anything */
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
      isStopping = true;
      held?.abort();
      await working;
    },
  };
}
