import type { Feature } from '../../core/feature.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import type { HistorySettingsStore } from '../history/history-settings.ts';
import type { Records } from '../records/records.ts';
import type { ReadQueriedApp } from '../search/queried-app.ts';
import { createUserQuery } from '../search/user-query.ts';
import { inboxRoutes } from './inbox.routes.ts';
import { createInboxService } from './inbox.service.ts';

/** Creates the inbox: the submissions of apps that keep them. */
export function createInbox(deps: {
  settings: HistorySettingsStore;
  records: Pick<Records, 'kept'>;
  search: { queried: ReadQueriedApp };
  cursors: Cursors;
  queryBudgetMs: number | undefined;
}) {
  const { settings, records, search, cursors, queryBudgetMs } = deps;
  const { ranges, pages, setDone } = records.kept;
  const service = createInboxService({
    settings,
    queried: search.queried,
    query: createUserQuery({ ranges, pages, budgetMs: queryBudgetMs }),
    cursors,
    pages,
    setDone,
  });
  return { routes: inboxRoutes(service) } satisfies Feature;
}
