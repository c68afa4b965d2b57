import type { Cursors } from '../api/cursors.ts';
import type { Apps } from '../apps/apps.ts';
import type { Feature } from '../apps/feature.ts';
import type { Records } from '../records/records.ts';
import type { Schemas } from '../schemas/schemas.ts';
import { breakdownRoutes } from './breakdown.endpoints.ts';
import { createUserBreakdown } from './breakdown.ts';
import { createBulkErase } from './bulk-erase.ts';
import { createIndexSlotService, indexSlotRoutes } from './indexes.ts';
import { createPeopleSearch } from './people-search.ts';
import { createQueriedAppReader } from './queried-app.ts';
import { createSchemaCheckService, schemaCheckRoutes } from './schema-check.ts';
import { createUserStatsService, userStatsRoutes } from './statistics.ts';
import { createUserCounts } from './user-counts.ts';
import { createUserQuery } from './user-query.ts';
import { createUserSearch } from './user-search.ts';
import { userRoutes } from './users.endpoints.ts';
import { createUserService } from './users.service.ts';

/**
 * Creates what is read of records: listings, queries, charts and statistics.
 *
 * @param deps.queryBudgetMs the time that a page of a query reads; shorter in tests only
 */
export function createSearch(deps: {
  apps: Apps;
  schemas: Schemas;
  records: Records;
  cursors: Cursors;
  queryBudgetMs: number | undefined;
}) {
  const { apps, schemas, records, cursors, queryBudgetMs } = deps;
  const { users: collection, pages, queues, store, slots, erase } = records;
  const { service: appService, activity, scope } = apps;
  const { renames } = schemas;
  const counts = createUserCounts(collection);
  const query = createUserQuery(collection, pages, queryBudgetMs, queues);
  const queried = createQueriedAppReader({ schemas: schemas.service, slotStore: slots, recentRenames: renames.recent });
  const users = createUserService({
    ...{ apps: appService, queried, store, query },
    people: createPeopleSearch({ users: collection, pages, queues, walker: query.walker, appIds: appService.idsAfter }),
    search: createUserSearch(collection, { pages, recentRenames: renames.recent, queues, query }),
    bulkErase: createBulkErase({ walker: query.walker, erase, queues }),
    breakDown: createUserBreakdown(query.walker, queryBudgetMs),
  });
  return {
    users,
    query,
    queried,
    counts,
    feature: {
      routes: [
        ...breakdownRoutes(users, scope),
        ...userRoutes(users, scope, cursors),
        ...userStatsRoutes(createUserStatsService({ apps: appService, activity, counts, queues }), scope),
        ...schemaCheckRoutes(createSchemaCheckService({ apps: appService, users, schemas: schemas.service })),
        ...indexSlotRoutes(createIndexSlotService({ apps: appService, schemas: schemas.store, renames })),
      ],
    } satisfies Feature,
  };
}
