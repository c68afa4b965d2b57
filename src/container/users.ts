import type { AppService } from '../apps/apps.service.ts';
import type { Config } from '../core/config.ts';
import type { SchemaLeases } from '../schemas/schema-leases.ts';
import type { SchemaService } from '../schemas/schemas.service.ts';
import { createRecordLimits } from '../submissions/store/record-limits.ts';
import { createUserBreakdown } from '../users/breakdown/breakdown.ts';
import { createRecordEditor } from '../users/editing/record-editor.ts';
import { createSlotRepair } from '../users/index-slots/slot-repair.ts';
import { createBulkErase } from '../users/query/bulk-erase.ts';
import { createPeopleSearch } from '../users/query/people.ts';
import { createUserQuery } from '../users/query/user-query.ts';
import { createRenameRepair } from '../users/renames/rename-repair.ts';
import { createUserSearch } from '../users/user-search.ts';
import { createUserService } from '../users/users.service.ts';
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
