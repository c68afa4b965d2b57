import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../core/logger.ts';
import type { Metrics, Sample } from '../metrics/metrics.ts';
import type { Job, JobState } from './job.ts';
import type { JobLocks } from './job-locks.ts';
import { createJobWorker, type JobWorker } from './job-worker.ts';

export type { Job, JobState, StepContext } from './job.ts';

/** The interval at which a server reads which jobs are due. */
const LOOK_EVERY_MS = 1_000;

export type JobRunner = ReturnType<typeof createJobRunner>;

/**
 * Runs jobs, each on one server at a time. One read a second tells which jobs are due, so a server
 * takes only the locks of those. When a server dies, another one goes on within 5 s: the time of a
 * lock (job-locks.ts) and one interval of looking.
 *
 * @param deps.lookEveryMs {@link LOOK_EVERY_MS}; shorter in tests only. A job whose own interval is
 *   at most {@link LOOK_EVERY_MS} is due at each look.
 */
export function createJobRunner({
  locks,
  logger,
  lookEveryMs = LOOK_EVERY_MS,
}: {
  locks: JobLocks;
  logger: Logger;
  lookEveryMs?: number | undefined;
}) {
  const workers = new Map<string, JobWorker>();
  let started: JobWorker[] | undefined;
  const stopping = new AbortController();
  let looking = Promise.resolve();

  function addWorker(worker: JobWorker): void {
    if (started || workers.has(worker.name)) throw new Error(`the job ${worker.name} cannot be added`);
    workers.set(worker.name, worker);
  }

  async function look(all: readonly JobWorker[]): Promise<void> {
    const idle = all.filter((worker) => !worker.isWorking());
    if (idle.length === 0) return;
    const obstacles = await locks.obstacles(idle.map(({ name }) => name));
    for (const worker of idle) worker.consider(obstacles.get(worker.name));
  }

  async function lookAlways(all: readonly JobWorker[]): Promise<void> {
    const { signal } = stopping;
    const pauseMs = Math.min(lookEveryMs, ...all.map(({ everyMs }) => everyMs));
    while (!signal.aborted) {
      // The database may be unreachable; the next look tries again.
      await look(all).catch(() => undefined);
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    /** Registers a job. Call before `start`. */
    add(job: Job): void {
      const everyMs = job.everyMs <= LOOK_EVERY_MS ? Math.min(job.everyMs, lookEveryMs) : job.everyMs;
      addWorker(createJobWorker({ ...job, everyMs }, locks, logger));
    },

    /** Registers a job with the worker that runs it. Call before `start`. */
    addWorker,

    /** Starts all jobs, or only the one of this name. */
    start(only?: string): void {
      started = [...workers.values()].filter(({ name }) => only === undefined || name === only);
      for (const worker of started) worker.start();
      looking = lookAlways(started);
    },

    /** Runs a job soon, although it is not due. Does nothing for a job that was not added. */
    wake(name: string): void {
      workers.get(name)?.wake();
    },

    /** The jobs of this server. */
    states: (): JobState[] => [...workers.values()].map(({ state }) => ({ ...state })),

    /** Starts no further step, and resolves when the steps in progress have ended. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([looking, ...[...workers.values()].map((worker) => worker.stop())]);
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
