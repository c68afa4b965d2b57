import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import type { Schemas } from '../../core/schemas/schemas.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import type { OperatorLoad } from '../../platform/http/operator-load.ts';
import type { AppActivity } from '../activity/activity.ts';
import type { AppReads } from '../app-administration/app-reads.ts';
import type { Records } from '../records/records.ts';
import type { RenameStore } from '../renames/rename-store.ts';
import { createUserBreakdown } from './breakdown.ts';
import { createBulkErase } from './bulk-erase.ts';
import { indexSlotRoutes } from './indexes.ts';
import { createMatchingIds } from './matching-ids.ts';
import { createPeopleSearch } from './people-search.ts';
import { createQueriedAppReader } from './queried-app.ts';
import { createSchemaCheckService, schemaCheckRoutes } from './schema-check.ts';
import { searchIndexRoutes } from './search-index.ts';
import { userStatsRoutes } from './statistics.ts';
import { createUserQuery } from './user-query.ts';
import { createDetailedUser, userRoutes } from './users.routes.ts';
import { createUserService } from './users.service.ts';

export type Search = ReturnType<typeof createSearch>;

/** Creates listings, queries, charts and statistics. `queryBudgetMs`: shorter in tests only. */
export function createSearch(deps: {
  apps: Apps;
  appReads: Pick<AppReads, 'named'>;
  activity: AppActivity;
  schemas: Schemas;
  renames: RenameStore;
  records: Records;
  load: OperatorLoad;
  cursors: Cursors;
  queryBudgetMs: number | undefined;
}) {
  const { apps, appReads, activity, schemas, renames, records, load, cursors, queryBudgetMs } = deps;
  const { pages, ranges, slots, words, erase, reader, findDetails, emails } = records;
  const { service: appService } = apps;
  const query = createUserQuery({ ranges, pages, budgetMs: queryBudgetMs });
  const queried = createQueriedAppReader({
    schemas: schemas.service,
    slotStore: slots,
    words,
    recentRenames: renames.recent,
  });
  const matchingIds = createMatchingIds(ranges);
  const users = createUserService({
    apps: appService,
    queried,
    query,
    findDetails,
    erase,
    findPeople: createPeopleSearch({ emails, pages, ranges }),
    bulkErase: createBulkErase({ matchingIds, erase, reader, load }),
    breakDown: createUserBreakdown(ranges, queryBudgetMs),
  });
  const detailed = createDetailedUser(records.details);
  return {
    users,
    detailed,
    query,
    queried,
    matchingIds,
    feature: {
      routes: [
        ...userRoutes(users, cursors, detailed, { users: records, apps: appService }),
        ...userStatsRoutes({ apps: appService, appReads, activity, reader }),
        ...schemaCheckRoutes(
          createSchemaCheckService({ apps: appService, pages, schemas: schemas.service, fileLimit: schemas.fileLimit }),
        ),
        ...searchIndexRoutes(words),
        ...indexSlotRoutes({ apps: appService, schemas: schemas.store, renames }),
      ],
    } satisfies Feature,
  };
}
