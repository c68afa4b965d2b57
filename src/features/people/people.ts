import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import type { Logger } from '../../platform/core/logger.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import type { Pace } from '../activity/activity.ts';
import type { AppReads } from '../app-administration/app-reads.ts';
import type { ReadNames } from '../audit/names.ts';
import type { HistorySettingsStore } from '../history/history-settings.ts';
import type { Records } from '../records/records.ts';
import type { RenameStore } from '../renames/rename-store.ts';
import type { Search } from '../search/search.ts';
import { editingRoutes } from './editing.ts';
import { createHistoryJob, historyRoutes } from './history.ts';
import { peopleRoutes } from './people.routes.ts';
import { createPeopleService } from './people.service.ts';
import type { PersonData } from './person-data.ts';
import { createRetentionJob, createRetentionStore, retentionRoutes } from './retention.ts';
import { createSuppressionModel, createSuppressions, type Suppressions } from './suppressions.ts';

/** Creates the list of the people who must not be imported. */
export function createSuppressionList(connection: Connection, sessionSecret: string | undefined) {
  const model = createSuppressionModel(connection);
  const list = createSuppressions(model, sessionSecret);
  return { list, feature: { models: [model], owned: [list] } satisfies Feature };
}

/** Creates edits, exports, erasures (in the order of `parts`) and the retention of records. */
export function createPeople(deps: {
  apps: Apps;
  settings: HistorySettingsStore;
  pace: Pace;
  records: Records;
  search: Pick<Search, 'detailed'>;
  suppressions: Suppressions;
  parts(): readonly PersonData[];
  clock: DatabaseClock;
  logger: Logger;
  retentionEveryMs: number | undefined;
  appReads: AppReads;
  renames: Pick<RenameStore, 'since'>;
  cursors: Cursors;
  readNames: ReadNames;
}) {
  const { apps, appReads, records, search, suppressions, parts, clock, logger, renames, cursors, readNames } = deps;
  const { settings, pace, retentionEveryMs } = deps;
  const people = createPeopleService({ apps: appReads, suppressions, clock, logger, parts });
  const retention = createRetentionStore(apps.model);
  const { history, kept } = records;
  const feature: Feature = {
    routes: [
      ...historyRoutes({
        history,
        settings,
        renamesSince: renames.since,
        readNames,
        cursors,
      }),
      ...editingRoutes(records, search.detailed),
      ...peopleRoutes(people, apps.scope),
      ...retentionRoutes(retention),
    ],
    jobs: [
      createRetentionJob({ store: retention, records, clock, pace, logger, everyMs: retentionEveryMs }),
      createHistoryJob({
        parts: [history.dropOld, kept.dropOld],
        settings,
        idsAfter: appReads.idsAfter,
        clock,
        pace,
        everyMs: retentionEveryMs,
      }),
    ],
  };
  return { service: people, feature };
}
