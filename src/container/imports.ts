import type { Pace } from '../apps/activity.ts';
import type { Config } from '../core/config.ts';
import type { Logger } from '../core/logger.ts';
import { createBatchWriter } from '../imports/batch-writer.ts';
import { createImportJob, IMPORT_JOB } from '../imports/import-job.ts';
import { createImportService } from '../imports/imports.service.ts';
import { createLineBatches } from '../imports/line-batches.ts';
import { createLinePlanner } from '../imports/line-planner.ts';
import { createLineWrites } from '../imports/line-writes.ts';
import { createUploads } from '../imports/upload.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import { createProcessWorker, type ProcessJob } from '../jobs/process-worker.ts';
import { createRecordLimits } from '../records/record-limits.ts';
import type { Revalidation } from '../records/revalidation.ts';
import type { SchemaLeases } from '../schemas/schema-leases.ts';
import type { BackgroundTimes } from './background.ts';
import type { Models } from './models.ts';
import type { Stores } from './stores.ts';

/** What the process of imports needs to open its services. */
export interface ImportSetup {
  uri: string;
  sessionSecret: string;
}

/** The process that runs imports: its program and what it is sent. */
export interface ImportProcess extends Pick<ProcessJob, 'program'> {
  setup: ImportSetup;
}

/**
 * The heap of the process of imports. With the young generation of the server, which is made for
 * many requests at once, it would take twice the memory.
 */
const PROCESS_FLAGS = ['--max-semi-space-size=16', '--max-old-space-size=512', '--no-allocation-site-pretenuring'];

/**
 * Creates what receives imports, and adds the job that applies them.
 *
 * @param deps.importProcess runs the job; without it, it runs in this process
 */
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
  importProcess?: ImportProcess | undefined;
}) {
  const { config, models, stores, leases, pace, revalidation, jobs, logger, times, importProcess } = deps;
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
  const planner = createLinePlanner({ users, keys, limits, maxArrayItems, moves, catchUp: stores.slots.catchUp });
  const writes = createLineWrites({ users, imports: models.imports.collection, maxArrayItems, newId });
  const job = createImportJob({
    ...{ store, content, rejects, users, eraseRecords, leases, logger },
    batchesOf: (started) => createLineBatches({ content, leases, suppressions, limits }, started),
    writer: createBatchWriter({ users, planner, writes, revalidation, onEvents: stores.outboxSignal.notify }),
    pace,
    writesEndMs: times.importWritesEndMs,
  });
  if (importProcess) {
    const { name, everyMs } = job;
    const { hasWork } = store;
    jobs.addWorker(createProcessWorker({ name, everyMs, hasWork, ...importProcess, flags: PROCESS_FLAGS }, logger));
  } else jobs.add(job);
  return createImportService({
    ...{ store, content, rejects, leases, wake: () => jobs.wake(IMPORT_JOB) },
    uploads: createUploads({ imports: models.imports.collection, content, limits: config.importLimits }),
  });
}
