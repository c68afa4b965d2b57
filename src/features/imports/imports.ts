import type { Feature } from '../../core/feature.ts';
import type { Schemas } from '../../core/schemas/schemas.ts';
import type { Config } from '../../platform/core/config.ts';
import type { Logger } from '../../platform/core/logger.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { findAny } from '../../platform/database/lookups.ts';
import { ownedBy } from '../../platform/database/removal.ts';
import type { JobSignal } from '../../platform/jobs/job-runner.ts';
import { createProcessWorker, type ProcessJob } from '../../platform/jobs/process-worker.ts';
import type { Pace } from '../activity/activity.ts';
import type { Files } from '../files/files.ts';
import type { Suppressions } from '../people/suppressions.ts';
import type { Records } from '../records/records.ts';
import { createArchives } from './archive.ts';
import { createBatchWriter } from './batch-writer.ts';
import { createContentStore } from './content.ts';
import { createImportStore } from './import-documents.ts';
import { createImportJob, IMPORT_JOB } from './import-job.ts';
import { createImportModels } from './imports.model.ts';
import { importRoutes } from './imports.routes.ts';
import { createImportService } from './imports.service.ts';
import { createLineBatches } from './line-batches.ts';
import { createLineFiles } from './line-files.ts';
import { createLineNotes } from './line-notes.ts';
import { createImportsOfPerson } from './person-lines.ts';
import { createRejectStore } from './rejects.ts';
import { createUndoStore } from './undo-documents.ts';
import { createUndoJob, UNDO_JOB } from './undo-job.ts';
import { createUploads } from './upload.ts';

export interface ImportSetup {
  uri: string;
  sessionSecret: string;
}

export interface ImportProcess extends Pick<ProcessJob, 'program'> {
  setup: ImportSetup;
}

/** The young generation of the server, for many requests, would take twice the memory. */
const PROCESS_FLAGS = ['--max-semi-space-size=16', '--max-old-space-size=512', '--no-allocation-site-pretenuring'];

/** Creates imports, and their job, in `importProcess` if given. Times are given in tests only. */
export function createImports(deps: {
  config: Pick<Config, 'importLimits'>;
  connection: Connection;
  pace: Pace;
  schemas: Pick<Schemas, 'leases'>;
  records: Records;
  files: Pick<Files, 'incoming'>;
  suppressions: Suppressions;
  clock: DatabaseClock;
  signal: JobSignal;
  logger: Logger;
  writesEndMs: number | undefined;
  searchWithinMs: number | undefined;
  importProcess: ImportProcess | undefined;
}) {
  const { config, connection, pace, schemas, records, files, suppressions, clock, signal, logger } = deps;
  const { writesEndMs, searchWithinMs, importProcess } = deps;
  const models = createImportModels(connection);
  const store = createImportStore(models.imports.collection, clock.later);
  const content = createContentStore(models.chunks.collection, models.imports.collection);
  const rejects = createRejectStore(models.rejects.collection, models.imports.collection);
  const notes = createLineNotes(models.rejects.collection, models.imports.collection);
  const undos = createUndoStore(models.imports.collection, clock.later);
  const { leases } = schemas;
  const { importLines, limits, parts, revalidation, outboxSignal, fileClaims } = records;
  const archives = createArchives(content, config.importLimits.perImport);
  const resolveFiles = createLineFiles({ incoming: files.incoming, claims: fileClaims });
  const job = createImportJob({
    store,
    content,
    rejects,
    notes,
    records: importLines,
    leases,
    logger,
    batchesOf: (started) =>
      createLineBatches({ content, leases, suppressions, limits, parts, archives, resolveFiles }, started),
    writer: createBatchWriter({
      records: importLines,
      imports: models.imports.collection,
      notes,
      revalidation,
      onEvents: outboxSignal.notify,
    }),
    pace,
    clock,
    writesEndMs,
  });
  const { name, everyMs } = job;
  const hasWork = () => findAny([store.anyWork]);
  const undoJob = createUndoJob({ store: undos, records: records.importUndo, leases, pace, logger });
  const service = createImportService({
    store,
    content,
    rejects,
    notes,
    leases,
    archives,
    undos,
    wake: () => signal.wake(IMPORT_JOB),
    wakeUndo: () => signal.wake(UNDO_JOB),
    uploads: createUploads({ imports: models.imports.collection, content, limits: config.importLimits }),
  });
  return {
    service,
    feature: {
      routes: importRoutes(service),
      models: Object.values(models),
      jobs: importProcess ? [undoJob] : [job, undoJob],
      ...(importProcess && {
        workers: [createProcessWorker({ name, everyMs, hasWork, ...importProcess, flags: PROCESS_FLAGS }, logger)],
      }),
      owned: [
        ownedBy(models.imports.collection, 'createdAt'),
        ownedBy(models.chunks.collection, 'at'),
        ownedBy(models.rejects.collection, 'at'),
      ],
      names: { imports: store.named },
      personal: [
        createImportsOfPerson({ store, content, archives, rejects: models.rejects.collection, searchWithinMs }),
      ],
    } satisfies Feature,
  };
}
