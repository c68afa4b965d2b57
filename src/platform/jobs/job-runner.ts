import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../core/logger.ts';
import { createLookups } from '../database/lookups.ts';
import type { Metrics, Sample } from '../metrics/metrics.ts';
import type { Job, JobState } from './job.ts';
import type { JobLocks } from './job-locks.ts';
import { createJobWorker, type JobWorker } from './job-worker.ts';

export type { Job, JobState, StepContext } from './job.ts';

/** The interval at which the due jobs are read. */
const POLL_EVERY_MS = 1_000;

export type JobRunner = ReturnType<typeof createJobRunner>;

/** Signals that a job has work. Exists before the jobs, so that a feature can wake a later one. */
export interface JobSignal {
  /** Runs a job soon, although it is not due. Does nothing for a job of another process. */
  wake(name: string): void;
}

/** Creates the signal; `connect` sets the function that wakes jobs. */
export function createJobSignal(): JobSignal & { connect(wake: (name: string) => void): void } {
  let wakeJob: ((name: string) => void) | undefined;
  return {
    wake: (name) => wakeJob?.(name),
    connect(wake) {
      wakeJob = wake;
    },
  };
}

/**
 * Runs jobs, each on one server at a time. One read a second returns which are due. When a server
 * dies, another one continues within 5 s: a lock (job-locks.ts) and one interval of reads.
 * @param deps.pollEveryMs shorter in tests only; jobs with intervals up to {@link POLL_EVERY_MS}
 * are due at each read
 */
export function createJobRunner(deps: {
  locks: JobLocks;
  jobs: readonly Job[];
  /** Workers of jobs in other processes. */
  workers?: readonly JobWorker[];
  logger: Logger;
  pollEveryMs?: number | undefined;
}) {
  const { locks, jobs, workers: others = [], logger, pollEveryMs = POLL_EVERY_MS } = deps;
  const nextPause = ({ everyMs }: Job): number => (everyMs <= POLL_EVERY_MS ? Math.min(everyMs, pollEveryMs) : everyMs);
  const shared = { locks, hasAny: createLookups(), logger };
  const all = [...jobs.map((job) => createJobWorker({ ...job, everyMs: nextPause(job) }, shared)), ...others];
  const workers = new Map(all.map((worker) => [worker.name, worker]));
  if (workers.size < all.length) throw new Error('two jobs have the same name');
  const stopping = new AbortController();
  let polling = Promise.resolve();

  async function poll(started: readonly JobWorker[]): Promise<void> {
    const idle = started.filter((worker) => !worker.isWorking());
    if (idle.length === 0) return;
    const obstacles = await locks.obstacles(idle.map(({ name }) => name));
    for (const worker of idle) worker.consider(obstacles.get(worker.name));
  }

  async function pollUntilStopped(started: readonly JobWorker[]): Promise<void> {
    const { signal } = stopping;
    const pauseMs = Math.min(pollEveryMs, ...started.map(({ everyMs }) => everyMs));
    while (!signal.aborted) {
      // The database may be unreachable; the next read tries again.
      await poll(started).catch(() => undefined);
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    /** Starts all jobs, or only the one of this name. */
    start(only?: string): void {
      const started = all.filter(({ name }) => only === undefined || name === only);
      for (const worker of started) worker.start();
      polling = pollUntilStopped(started);
    },

    /** Runs a job soon, although it is not due. Does nothing for a job of another process. */
    wake(name: string): void {
      workers.get(name)?.wake();
    },

    /** Returns the states of the jobs of this server. */
    states: (): JobState[] => all.map(({ state }) => ({ ...state })),

    /** Starts no further step, and resolves when the steps in progress have ended. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([polling, ...all.map((worker) => worker.stop())]);
    },
  };
}

/** Measures the background jobs of this server. */
export function measureJobs(jobs: Pick<JobRunner, 'states'>, metrics: Metrics): void {
  const ofEach = (read: (state: JobState) => number) => (): Sample[] =>
    jobs.states().map((state) => ({ labels: { job: state.name }, value: read(state) }));
  const labels = ['job'];
  metrics.total(
    'job_steps_total',
    { help: 'Steps of background jobs that this server finished', labels },
    ofEach(({ steps }) => steps),
  );
  metrics.total(
    'job_failures_total',
    { help: 'Steps of background jobs that failed on this server', labels },
    ofEach(({ failures }) => failures),
  );
  metrics.gauge(
    'job_running',
    { help: 'Whether a step of a background job runs on this server', labels },
    ofEach(({ isRunning }) => Number(isRunning)),
  );
}
