import type { ObjectId } from 'mongodb';
import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import type { Schemas } from '../../core/schemas/schemas.ts';
import type { Logger } from '../../platform/core/logger.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { ownedBy } from '../../platform/database/removal.ts';
import type { JobSignal } from '../../platform/jobs/job-runner.ts';
import type { Pace } from '../activity/activity.ts';
import type { PersonData } from '../people/person-data.ts';
import type { RecordReader } from '../record-reads/record-reader.ts';
import type { RecordTraces } from '../records/erasure.ts';
import type { Records } from '../records/records.ts';
import type { createSearch } from '../search/search.ts';
import { CHANGE_JOB, createChangeJob } from './change-job.ts';
import { type ChangeStore, createChangeModel, createChangeRecordModel, createChangeStore } from './changes.model.ts';
import { changeRoutes } from './changes.routes.ts';

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

/**
 * The changes of at most 1,000 records that have a record of the person. Those of more records, and
 * what a change sets in the records of others, is no data of one person.
 */
function createPersonChanges(
  store: Pick<ChangeStore, 'naming' | 'forget'>,
  records: Pick<RecordReader, 'recordsOfPerson'>,
): PersonData {
  async function* namingPerson(appIds: readonly ObjectId[], email: string) {
    const found = await records.recordsOfPerson(appIds, email);
    const [ofApps, ids] = [found.map(({ appId }) => appId), found.map(({ _id }) => _id)];
    yield* store.naming(ofApps, ids);
  }

  return {
    name: 'changes',

    async *entriesOf(appIds, email) {
      for await (const { change } of namingPerson(appIds, email)) {
        const { _id, appId, set, unset, createdAt } = change;
        yield { appId, shown: { kind: 'change', id: _id.toHexString(), set, unset, at: createdAt.toISOString() } };
      }
    },

    async eraseOf(appIds, email, guard) {
      let erased = 0;
      for await (const { change, ids } of namingPerson(appIds, email)) {
        if (await store.forget(change, ids, guard)) erased += 1;
      }
      return erased;
    },
  };
}

/** What the erasure of records, by whatever way, does to changes. */
function createChangeTraces(store: Pick<ChangeStore, 'naming' | 'forget'>): RecordTraces {
  return {
    async exist(appIds, ids) {
      for await (const _ of store.naming(appIds, ids)) return true;
      return false;
    },

    async remove(appIds, recordIds, guard) {
      for await (const { change, ids } of store.naming(appIds, recordIds)) await store.forget(change, ids, guard);
    },
  };
}
