import type { Pace } from '../apps/activity.ts';
import type { Logger } from '../core/logger.ts';
import type { DatabaseClock } from '../database/clock.ts';
import { createJobLocks } from '../jobs/job-locks.ts';
import { createJobRunner, type Job } from '../jobs/job-runner.ts';
import { createRetentionJob } from '../people/retention-job.ts';
import { createRenameJob } from '../records/rename-job.ts';
import { createSlotJob } from '../records/slot-job.ts';
import type { Models } from './models.ts';
import type { Stores } from './stores.ts';

/** Intervals and waits of background work; shorter in tests only. */
export interface BackgroundTimes {
  /** The interval at which a server reads which jobs are due. */
  lookEveryMs?: number | undefined;
  /** How long the builder of indexes and the mover of renamed fields wait for late writes. */
  writesEndMs?: number | undefined;
  /**
   * When late writes are searched for after the build of an index or the end of a rename, and after
   * the search before.
   */
  checksMs?: readonly number[] | undefined;
  /** The interval of the erasure of old records. */
  retentionEveryMs?: number | undefined;
  /** How long the job of imports waits for writes of a run that was cut short. */
  importWritesEndMs?: number | undefined;
}

/** Creates the runner of background jobs with all jobs. */
export function createBackground(
  models: Models,
  stores: Stores,
  logger: Logger,
  {
    clock,
    pace,
    times,
    otherJobs,
  }: { clock: DatabaseClock; pace: Pace; times: BackgroundTimes; otherJobs: readonly Job[] },
) {
  const { slots, slotHandover, slotRecords, schemas, renames, moves, revision, retention, eraseRecords } = stores;
  const { writesEndMs, checksMs, lookEveryMs } = times;
  const jobs = createJobRunner({ locks: createJobLocks(models.jobs.collection), logger, lookEveryMs });
  jobs.add(
    createSlotJob({
      ...{ store: slots, records: slotRecords, schemas, renames, revision, pace },
      ...{ writesEndMs, checksMs },
    }),
  );
  jobs.add(createRenameJob({ store: renames, moves, slots: slotHandover, revision, pace, writesEndMs, checksMs }));
  jobs.add(
    createRetentionJob({
      ...{ store: retention, users: models.users.collection, erase: eraseRecords, clock, pace, logger },
      everyMs: times.retentionEveryMs,
    }),
  );
  for (const job of otherJobs) jobs.add(job);
  return jobs;
}
