import type { HasAny } from '../database/lookups.ts';

export interface StepContext {
  /** Aborts when the runner stops or the lock is lost. The step then ends soon. */
  signal: AbortSignal;
  /** Whether no other server runs the job. Call before each write; a late one must do no harm. */
  stillOwner(): boolean;
}

/** A background job that runs on one server at a time. */
export interface Job {
  name: string;
  /** The least time between steps over all servers, in milliseconds; up to a second longer. */
  everyMs: number;
  /**
   * Resolves with whether a step has something to do. Called before the lock is taken, so that an
   * idle service writes nothing for this job; absent: each due step runs. Once a minute a step runs
   * without this question.
   * @param hasAny shares its statement with the other jobs that are due, if called before a wait
   */
  hasWork?(hasAny: HasAny): Promise<boolean>;
  /**
   * Performs a bounded step; resolves with whether the next one follows at once. A step that is
   * repeated, or that two servers run at the same time, must do no harm.
   */
  run(context: StepContext): Promise<boolean>;
  /** Called when this server wakes the job, also while a step runs. */
  onWake?(): void;
}

export interface JobState {
  name: string;
  isRunning: boolean;
  steps: number;
  failures: number;
  lastStepAt: Date | undefined;
}
