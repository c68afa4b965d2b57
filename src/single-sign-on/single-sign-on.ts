import type { Accounts } from '../accounts/accounts.ts';
import type { Feature } from '../apps/feature.ts';
import type { Config } from '../core/config.ts';
import type { SharedLimits } from '../database/shared-limits.ts';
import type { EnterAccount } from '../sessions/account-log-in.endpoints.ts';
import type { Provider } from './provider.ts';
import { createSignOn } from './sign-on.ts';
import { singleSignOnRoutes } from './single-sign-on.endpoints.ts';

/** Creates single sign-on (spec 4.13.4). @param deps.provider undefined: it is not configured */
export function createSingleSignOn(deps: {
  accounts: Accounts;
  enter: EnterAccount;
  provider: Provider | undefined;
  limits: SharedLimits;
  config: Pick<Config, 'oidc' | 'production' | 'sessionCookieName'>;
}): Feature {
  const { accounts, enter, provider, limits } = deps;
  const { oidc, production, sessionCookieName: cookieName } = deps.config;
  const { store, access, invitations, roles, mail, challenges, service } = accounts;
  const createsAccounts = oidc?.createsAccounts ?? false;
  const signOn = createSignOn({ store, access, invitations, roles, mail, accounts: service, createsAccounts });
  return {
    routes: singleSignOnRoutes({ provider, oidc, signOn, store, challenges, enter, cookieName, production, limits }),
  };
}
