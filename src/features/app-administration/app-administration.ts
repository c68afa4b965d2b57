import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import type { SessionService } from '../../core/sessions/sessions.service.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import { appAdministrationRoutes } from './app-administration.routes.ts';
import { createAppPages } from './app-pages.ts';

/** Creates what admins do with apps besides their creation and deletion. */
export function createAppAdministration(
  apps: Apps,
  sessions: Pick<SessionService, 'confirmPassword'>,
  cursors: Cursors,
) {
  const pages = createAppPages(apps);
  return { routes: appAdministrationRoutes(apps.service, pages, sessions.confirmPassword, cursors) } satisfies Feature;
}
