import type { Accounts } from '../accounts/accounts.ts';
import type { Apps } from '../apps/apps.ts';
import type { Feature } from '../apps/feature.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Config } from '../core/config.ts';
import type { Connection } from '../database/client.ts';
import { accountLogInRoutes, createEntrance } from './account-log-in.endpoints.ts';
import { createSessionOwnership, createSessionStore } from './session-store.ts';
import { sessionRoutes } from './sessions.endpoints.ts';
import { createLoginLimiter, createSessionService } from './sessions.service.ts';

/** Creates log-in and sessions. */
export function createSessions(deps: {
  connection: Connection;
  apps: Pick<Apps, 'service'>;
  accounts: Pick<Accounts, 'service' | 'roles'>;
  audit: Pick<AuditLog, 'record'>;
  /** Resolves with where a browser ends its session at the provider of single sign-on. */
  endSessionUrl?: (() => Promise<string | undefined>) | undefined;
  config: Pick<Config, 'oidc' | 'publicUrl' | 'rateLimitLogin' | 'sessionCookieName'>;
}) {
  const { connection, apps, accounts, audit, config, endSessionUrl } = deps;
  const ownership = createSessionOwnership(connection);

  /** Not awaited, so that the answer takes the same time for an app that does not exist. */
  async function noteFailedLogin(sourceAppId: string, address: string): Promise<void> {
    const app = await apps.service.find(sourceAppId);
    if (app) await audit.record({ action: 'login.failed', actor: { kind: 'anonymous', address }, app });
  }

  const service = createSessionService({
    ...{ accounts: accounts.service, roles: accounts.roles, signOnOnly: config.oidc?.only ?? false },
    ...{ apps: apps.service, limiter: createLoginLimiter(config.rateLimitLogin) },
    onFailure: (sourceAppId, address) => void noteFailedLogin(sourceAppId, address).catch(() => undefined),
  });
  const enter = createEntrance(accounts.service, config.sessionCookieName);
  return {
    service,
    enter,
    store: createSessionStore(connection),
    feature: {
      routes: [
        ...sessionRoutes({ sessions: service, accounts: accounts.service, enter, endSessionUrl, config }),
        ...accountLogInRoutes({ accounts: accounts.service, sessions: service, enter, config }),
      ],
      owned: [ownership],
      prepare: () => ownership.createIndexes(),
    } satisfies Feature,
  };
}
