import type { Logger } from '../core/logger.ts';
import { createJobLocks } from '../jobs/job-locks.ts';
import { createJobRunner, type Job } from '../jobs/job-runner.ts';
import { createSlotJob } from '../users/index-slots/slot-job.ts';
import { createRetentionJob } from '../users/retention/retention-job.ts';
import type { Models } from './models.ts';
import type { Stores } from './stores.ts';

/** Intervals and waits of background work; shorter in tests only. */
export interface BackgroundTimes {
  /** How long the builder of indexes waits for late writes. */
  writesEndMs?: number | undefined;
  /** The interval of the erasure of old records. */
  retentionEveryMs?: number | undefined;
}

/** Creates the runner of background jobs with all jobs. */
export function createBackground(
  models: Models,
  stores: Stores,
  logger: Logger,
  { times, eventJob }: { times: BackgroundTimes; eventJob: Job },
) {
  const { slots, slotRecords, schemas, revision, retention, eraseRecords } = stores;
  const jobs = createJobRunner({ locks: createJobLocks(models.jobs.collection), logger });
  jobs.add(createSlotJob({ store: slots, records: slotRecords, schemas, revision, writesEndMs: times.writesEndMs }));
  jobs.add(
    createRetentionJob({
      ...{ store: retention, users: models.users.collection, erase: eraseRecords, logger },
      everyMs: times.retentionEveryMs,
    }),
  );
  jobs.add(eventJob);
  return jobs;
}
