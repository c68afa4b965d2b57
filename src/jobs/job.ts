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
  /**
   * The least time from the end of the last step to the next one, over all servers, in
   * milliseconds. The next step follows up to a second later.
   */
  everyMs: number;
  /**
   * Does a bounded step, and resolves with whether more work waits: then the next step follows at
   * once. A step that two servers run at the same time, or that is repeated, must do no harm.
   */
  run(context: StepContext): Promise<boolean>;
  /** Called when this server wakes the job, also while a step runs. */
  onWake?(): void;
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
