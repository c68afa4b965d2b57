import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import type { Files } from '../files/files.ts';
import type { Records } from '../records/records.ts';
import type { ReadQueriedApp } from '../search/queried-app.ts';
import type { UserQuery } from '../search/user-query.ts';
import { exportRoutes } from './exports.routes.ts';
import { createExportService } from './exports.service.ts';

/** Creates the exports of an app's records. */
export function createExports(deps: {
  apps: Apps;
  records: Pick<Records, 'pages'>;
  search: { queried: ReadQueriedApp; query: UserQuery };
  files: Files;
}) {
  const { apps, records, search, files } = deps;
  const service = createExportService({ apps: apps.service, pages: records.pages, files, ...search });
  return { service, feature: { routes: exportRoutes(service) } satisfies Feature };
}
