import type { AppService } from '../apps/apps.service.ts';
import type { Config } from '../core/config.ts';
import { createRecordEditor } from '../people/editing.ts';
import { createRecordLimits } from '../records/record-limits.ts';
import { createRenameRepair } from '../records/record-moves.ts';
import { createSlotRepair } from '../records/slot-records.ts';
import type { SchemaLeases } from '../schemas/schema-leases.ts';
import type { SchemaService } from '../schemas/schemas.service.ts';
import { createUserBreakdown } from '../search/breakdown.ts';
import { createBulkErase } from '../search/bulk-erase.ts';
import { createPeopleSearch } from '../search/people-search.ts';
import { createUserQuery } from '../search/user-query.ts';
import { createUserSearch } from '../search/user-search.ts';
import { createUserService } from '../search/users.service.ts';
import type { Models } from './models.ts';
import type { Stores } from './stores.ts';

/** Creates what lists, searches, changes and erases records. */
export function createUsers(deps: {
  config: Pick<Config, 'recordLimit'>;
  models: Models;
  stores: Stores;
  apps: AppService;
  leases: SchemaLeases;
  schemas: SchemaService;
  queryBudgetMs: number | undefined;
}) {
  const { config, models, stores, apps, leases, schemas, queryBudgetMs } = deps;
  const { pages, queues, slots, moves, renames } = stores;
  const collection = models.users.collection;
  const query = createUserQuery(collection, pages, queryBudgetMs, queues);
  const repairSlots = createSlotRepair({ records: stores.slotRecords, hold: leases.hold });
  const users = createUserService({
    ...{ apps, schemas, store: stores.records, query, slotStore: slots, recentRenames: renames.recent },
    people: createPeopleSearch({ users: collection, pages, queues, walker: query.walker, appIds: apps.idsAfter }),
    search: createUserSearch(collection, { pages, recentRenames: renames.recent, queues, query }),
    bulkErase: createBulkErase({ walker: query.walker, erase: stores.eraseRecords, queues }),
    breakDown: createUserBreakdown(query.walker, queryBudgetMs),
  });
  const limits = createRecordLimits(config.recordLimit);
  const repairRenames = createRenameRepair({ store: renames, moves });
  const editor = createRecordEditor({
    ...{ users: collection, leases, repairSlots, moves, repairRenames, limits, newId: stores.newId },
    catchUp: slots.catchUp,
    onEvents: stores.outboxSignal.notify,
  });
  return { users, editor, repairSlots, repairRenames };
}
