import type { Pace } from '../apps/pace.ts';
import type { Config } from '../core/config.ts';
import type { Logger } from '../core/logger.ts';
import { createUploads } from '../imports/content/upload.ts';
import { createImportService } from '../imports/imports.service.ts';
import { createBatchWriter } from '../imports/run/batch-writer.ts';
import { createImportJob, IMPORT_JOB } from '../imports/run/import-job.ts';
import { createLineBatches } from '../imports/run/line-batches.ts';
import { createLinePlanner } from '../imports/run/line-planner.ts';
import { createLineWrites } from '../imports/run/line-writes.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import type { SchemaLeases } from '../schemas/schema-leases.ts';
import type { Revalidation } from '../submissions/revalidation.ts';
import { createRecordLimits } from '../submissions/store/record-limits.ts';
import type { BackgroundTimes } from './background.ts';
import type { Models } from './models.ts';
import type { Stores } from './stores.ts';

/** Creates what receives imports, and adds the job that applies them. */
export function createImports(deps: {
  config: Pick<Config, 'importLimits' | 'maxArrayItems' | 'recordLimit'>;
  models: Models;
  stores: Stores;
  leases: SchemaLeases;
  pace: Pace;
  revalidation: Revalidation;
  jobs: JobRunner;
  logger: Logger;
  times: BackgroundTimes;
}) {
  const { config, models, stores, leases, pace, revalidation, jobs, logger, times } = deps;
  const {
    imports: store,
    importContent: content,
    importRejects: rejects,
    suppressions,
    eraseRecords,
    keys,
    moves,
    newId,
  } = stores;
  const users = models.users.collection;
  const limits = createRecordLimits(config.recordLimit);
  const { maxArrayItems } = config;
  const planner = createLinePlanner({ users, keys, limits, maxArrayItems, moves });
  const writes = createLineWrites({ users, maxArrayItems, newId });
  jobs.add(
    createImportJob({
      ...{ store, content, rejects, users, eraseRecords, leases, logger },
      batchesOf: (started) => createLineBatches({ content, leases, suppressions, limits }, started),
      writer: createBatchWriter({ users, planner, writes, revalidation, onEvents: stores.outboxSignal.notify }),
      pace,
      writesEndMs: times.importWritesEndMs,
    }),
  );
  return createImportService({
    ...{ store, content, rejects, leases, wake: () => jobs.wake(IMPORT_JOB) },
    uploads: createUploads({ imports: models.imports.collection, content, limits: config.importLimits }),
  });
}
