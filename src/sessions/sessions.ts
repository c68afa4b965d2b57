import type { Apps } from '../apps/apps.ts';
import type { Feature } from '../apps/feature.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Config } from '../core/config.ts';
import type { Connection } from '../database/client.ts';
import { createSessionOwnership, createSessionStore } from './session-store.ts';
import { sessionRoutes } from './sessions.endpoints.ts';
import { createLoginLimiter, createSessionService } from './sessions.service.ts';

/** Creates log-in and sessions. */
export function createSessions(deps: {
  connection: Connection;
  apps: Pick<Apps, 'service'>;
  audit: Pick<AuditLog, 'record'>;
  config: Pick<Config, 'rateLimitLogin' | 'sessionCookieName'>;
}) {
  const { connection, apps, audit, config } = deps;
  const ownership = createSessionOwnership(connection);

  /** Not awaited, so that the answer takes the same time for an app that does not exist. */
  async function noteFailedLogin(sourceAppId: string, address: string): Promise<void> {
    const app = await apps.service.find(sourceAppId);
    if (app) await audit.record({ action: 'login.failed', actor: { kind: 'anonymous', address }, app });
  }

  const service = createSessionService({
    ...{ apps: apps.service, limiter: createLoginLimiter(config.rateLimitLogin) },
    onFailure: (sourceAppId, address) => void noteFailedLogin(sourceAppId, address).catch(() => undefined),
  });
  return {
    service,
    store: createSessionStore(connection),
    feature: {
      routes: sessionRoutes(service, config.sessionCookieName),
      owned: [ownership],
      prepare: () => ownership.createIndexes(),
    } satisfies Feature,
  };
}
