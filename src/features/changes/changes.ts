import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import type { Schemas } from '../../core/schemas/schemas.ts';
import type { Logger } from '../../platform/core/logger.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { ownedBy } from '../../platform/database/removal.ts';
import type { JobSignal } from '../../platform/jobs/job-runner.ts';
import type { Pace } from '../activity/activity.ts';
import type { Records } from '../records/records.ts';
import type { createSearch } from '../search/search.ts';
import { CHANGE_JOB, createChangeJob } from './change-job.ts';
import { createChangeModel, createChangeRecordModel, createChangeStore } from './changes.model.ts';
import { changeRoutes } from './changes.routes.ts';
import { createChangeTraces, createPersonChanges } from './person-changes.ts';

/** Creates the store of changes. The erasure of a record removes those that name nobody else. */
export function createChangeStorage(connection: Connection, apps: Apps, clock: Pick<DatabaseClock, 'later'>) {
  const models = { changes: createChangeModel(connection), records: createChangeRecordModel(connection) };
  const collections = { changes: models.changes.collection, records: models.records.collection };
  const store = createChangeStore({ ...collections, apps: apps.model, now: clock.later });
  return { models, store, traces: createChangeTraces(store) };
}

/** Creates changes of many records, and their job. */
export function createChanges(deps: {
  storage: ReturnType<typeof createChangeStorage>;
  pace: Pace;
  schemas: Pick<Schemas, 'leases'>;
  records: Pick<Records, 'bulkEditor' | 'reader'>;
  search: Pick<ReturnType<typeof createSearch>, 'queried' | 'matchingIds'>;
  clock: Pick<DatabaseClock, 'within'>;
  signal: JobSignal;
  logger: Logger;
}): Feature {
  const { storage, pace, schemas, records, search, clock, signal, logger } = deps;
  const { models, store } = storage;
  const { leases } = schemas;
  return {
    routes: changeRoutes({ store, leases, ...search, wake: () => signal.wake(CHANGE_JOB) }),
    models: Object.values(models),
    jobs: [createChangeJob({ store, editor: records.bulkEditor, leases, pace, clock, logger })],
    personal: [createPersonChanges(store, records.reader)],
    names: { changes: store.named },
    owned: [ownedBy(models.changes.collection, 'createdAt'), ownedBy(models.records.collection, 'at')],
  };
}
