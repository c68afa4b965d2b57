import type { Accounts } from '../accounts/accounts.ts';
import type { Cursors } from '../api/cursors.ts';
import type { Apps } from '../apps/apps.ts';
import type { Feature } from '../apps/feature.ts';
import type { Config } from '../core/config.ts';
import type { SharedLimits } from '../database/shared-limits.ts';
import type { SessionService } from '../sessions/sessions.service.ts';
import { accountRoutes } from './accounts.endpoints.ts';
import { createPageLink, memberRoutes } from './members.endpoints.ts';
import { ownAccountRoutes } from './own-account.endpoints.ts';

/** Creates the administration of accounts, members and invitations (spec 4.13). */
export function createMembers(deps: {
  accounts: Accounts;
  apps: Pick<Apps, 'service' | 'scope'>;
  sessions: Pick<SessionService, 'confirmAccount'>;
  config: Pick<Config, 'publicUrl'>;
  cursors: Cursors;
  limits: SharedLimits;
}): Feature {
  const { accounts, apps, sessions, config, cursors, limits } = deps;
  const { store, access, invitations, mail, roles, service } = accounts;
  const { publicUrl } = config;
  const link = createPageLink(publicUrl);
  const common = { store, access, invitations, mail, roles, link, publicUrl };
  return {
    routes: [
      ...memberRoutes({ ...common, apps: apps.service, scope: apps.scope, limits }),
      ...accountRoutes({ ...common, status: accounts.status, cursors }),
      ...ownAccountRoutes({ accounts: service, sessions, publicUrl }),
    ],
  };
}
