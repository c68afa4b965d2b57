import type { Apps } from '../../apps/apps.ts';
import type { Feature } from '../../apps/feature.ts';
import type { Config } from '../../platform/core/config.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { SharedLimits } from '../../platform/database/shared-limits.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { createSessionStorage } from './sessions.model.ts';
import { createSessionRoutes, refuseWithoutSession, sessionEndpoints } from './sessions.routes.ts';
import { createLoginLimiter, createSessionService, type LogInName } from './sessions.service.ts';

export function createSessions(deps: {
  connection: Connection;
  apps: Pick<Apps, 'service' | 'hasher'>;
  accounts: Pick<Accounts, 'service' | 'store' | 'roles'>;
  audit: Pick<AuditLog, 'record'>;
  /** Resolves with where a browser ends its session at the provider of single sign-on. */
  endSessionUrl?: (() => Promise<string | undefined>) | undefined;
  config: Pick<Config, 'oidc' | 'publicUrl' | 'rateLimitLogin' | 'sessionCookieName'>;
  limits: SharedLimits;
  onKnownNetwork?: ((network: string) => void) | undefined;
}) {
  const { connection, apps, accounts, audit, config, endSessionUrl, limits, onKnownNetwork } = deps;
  const { model, store, owned } = createSessionStorage(connection);

  /**
   * Not awaited, so that the answer takes the same time for an app or an email that does not exist.
   * The event of an account concerns no app, so that only admins see it.
   */
  async function noteFailedLogin(named: LogInName, address: string): Promise<void> {
    const event = { action: 'login.failed', actor: { kind: 'anonymous', address } } as const;
    if (named === 'passkey') return;
    if ('email' in named) {
      const account = await accounts.store.findByEmail(named.email);
      if (account) await audit.record({ ...event, app: null, target: account._id.toHexString() });
      return;
    }
    const app = await apps.service.find(named.sourceAppId);
    if (app) await audit.record({ ...event, app });
  }

  const service = createSessionService({
    accounts: accounts.service,
    roles: accounts.roles,
    signOnOnly: config.oidc?.only ?? false,
    apps: apps.service,
    hasher: apps.hasher,
    onKnownNetwork,
    limiter: createLoginLimiter(config.rateLimitLogin, limits),
    onFailure: (named, address) => void noteFailedLogin(named, address).catch(() => undefined),
  });
  const parts = { sessions: service, accounts: accounts.service, endSessionUrl, config };
  const { enter, routes } = createSessionRoutes(parts);
  const feature: Feature = {
    routes,
    refusals: { [sessionEndpoints.getSession.path]: refuseWithoutSession },
    models: [model],
    owned: [owned],
  };
  return { service, enter, store, feature };
}
