import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../core/logger.ts';
import { type JobLocks, LOCK_MS } from './job-locks.ts';

/** The interval in which a server looks whether a job waits for it, and renews a lock it holds. */
const POLL_MS = 1_000;
/** A lock counts as lost this long before it ends, because clocks run at different rates. */
const MARGIN_MS = 500;

/** What a step may use. */
export interface StepContext {
  /** Aborts when the runner stops or the lock is lost. The step then ends soon. */
  signal: AbortSignal;
  /**
   * Whether no other server runs the job. Ask before each write; a write that was sent just before
   * the lock was lost must do no harm.
   */
  stillOwner(): boolean;
}

/** A background job that runs on one server at a time. */
export interface Job {
  name: string;
  /** The time from the end of the last step to the next one, over all servers, in milliseconds. */
  everyMs: number;
  /**
   * Does a bounded step, and resolves with whether more work waits: then the next step follows at
   * once. A step that two servers run at the same time, or that is repeated, must do no harm.
   */
  run(context: StepContext): Promise<boolean>;
}

/** What a server knows of one of its jobs. */
export interface JobState {
  name: string;
  isRunning: boolean;
  /** Steps that this server finished, and those that failed. */
  steps: number;
  failures: number;
  /** When this server last finished a step. */
  lastStepAt: Date | undefined;
}

export type JobRunner = ReturnType<typeof createJobRunner>;

/**
 * Runs jobs, each on one server at a time. When a server dies, another one goes on within 5 s:
 * within {@link LOCK_MS} and one interval of looking.
 */
export function createJobRunner({ locks, logger }: { locks: JobLocks; logger: Logger }) {
  const loops = new Map<string, ReturnType<typeof createLoop>>();
  let isStarted = false;

  return {
    /** Registers a job. Call before `start`. */
    add(job: Job): void {
      if (isStarted || loops.has(job.name)) throw new Error(`the job ${job.name} cannot be added`);
      loops.set(job.name, createLoop(job, locks, logger));
    },

    /** Starts all jobs, or only the one of this name. */
    start(only?: string): void {
      isStarted = true;
      for (const [name, loop] of loops) if (only === undefined || name === only) loop.start();
    },

    /** Runs a job soon, although it is not due. Does nothing for a job that was not added. */
    wake(name: string): void {
      loops.get(name)?.wake();
    },

    /** The jobs of this server. */
    states: (): JobState[] => [...loops.values()].map((loop) => ({ ...loop.state })),

    /** Starts no further step, and resolves when the steps in progress have ended. */
    async stop(): Promise<void> {
      await Promise.all([...loops.values()].map((loop) => loop.stop()));
    },
  };
}

/** Looks for work of one job and runs its steps one after the other. */
function createLoop(job: Job, locks: JobLocks, logger: Logger) {
  const { name, everyMs, run } = job;
  const state: JobState = { name, isRunning: false, steps: 0, failures: 0, lastStepAt: undefined };
  let isStopping = false;
  let pause = new AbortController();
  let held: HeldLock | undefined;
  let isWoken = false;
  let running = Promise.resolve();

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
    const takenAt = performance.now();
    const evenEarly = isWoken;
    isWoken = false;
    if (!(await locks.hold(name, evenEarly))) {
      isWoken ||= evenEarly; // for when the other server has finished
      return;
    }
    held = keepLock(locks, name, takenAt);
    let hasMore = false;
    do {
      hasMore = await step(held);
    } while (hasMore && !isStopping && held.stillOwner());
    await held.end();
    held = undefined;
    await locks.release(name, hasMore ? 0 : everyMs);
  }

  async function loop(): Promise<void> {
    while (!isStopping) {
      pause = new AbortController();
      // The database may be unreachable; the next turn tries again.
      await turn().catch(() => undefined);
      const options = { signal: pause.signal, ref: false };
      if (!isStopping) await sleep(Math.min(POLL_MS, everyMs), undefined, options).catch(() => undefined);
    }
  }

  return {
    state,
    start() {
      running = loop();
    },
    wake() {
      isWoken = true;
      pause.abort();
    },
    async stop() {
      isStopping = true;
      held?.abort();
      pause.abort();
      await running;
    },
  };
}

interface HeldLock extends StepContext {
  /** Aborts the signal. */
  abort(): void;
  /** Ends the renewals. Resolves when none is in flight, which could take a released lock again. */
  end(): Promise<void>;
}

/** Renews a lock until `end` is called. @param takenAt when the call began that took it */
function keepLock(locks: JobLocks, name: string, takenAt: number): HeldLock {
  const ending = new AbortController();
  let isLost = false;
  let heldSince = takenAt;
  let renewal = Promise.resolve();

  async function renew(): Promise<void> {
    const begun = performance.now();
    try {
      if (await locks.hold(name, false)) heldSince = begun;
      else isLost = true;
      if (isLost) ending.abort();
    } catch {
      // The next renewal may succeed, and `stillOwner` knows the time.
    }
  }

  const timer = setInterval(() => {
    renewal = renewal.then(renew);
  }, POLL_MS);
  timer.unref();
  return {
    signal: ending.signal,
    stillOwner: () => !isLost && performance.now() - heldSince < LOCK_MS - MARGIN_MS,
    abort: () => ending.abort(),
    async end() {
      clearInterval(timer);
      await renewal;
    },
  };
}
