import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import type { Config } from '../../platform/core/config.ts';
import type { SharedLimits } from '../../platform/database/shared-limits.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { accountRoutes } from './accounts.routes.ts';
import { createInviter, memberRoutes } from './members.routes.ts';
import { ownAccountRoutes } from './own-account.routes.ts';

/** Creates the administration of accounts, members and invitations (spec 4.13). */
export function createMembers(deps: {
  accounts: Accounts;
  apps: Pick<Apps, 'service' | 'scope' | 'model'>;
  config: Pick<Config, 'publicUrl'>;
  cursors: Cursors;
  limits: SharedLimits;
}): Feature {
  const { accounts, apps, cursors, limits } = deps;
  const { publicUrl } = deps.config;
  const invite = createInviter(accounts, apps.service, publicUrl, limits);
  return {
    routes: [
      ...memberRoutes(accounts, apps, invite, limits),
      ...accountRoutes(accounts, invite, cursors),
      ...ownAccountRoutes(accounts, publicUrl),
    ],
  };
}
