import type { Config } from '../../platform/core/config.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { SharedLimits } from '../../platform/database/shared-limits.ts';
import { createLoginLimiter } from '../../platform/log-ins/log-in-limits.ts';
import type { AuditPart } from '../api/endpoint.ts';
import type { Apps } from '../apps/apps.ts';
import type { Feature } from '../feature.ts';
import { distinctParts, type SessionPart } from './session-part.ts';
import { createSessionStorage } from './sessions.model.ts';
import { refuseWithoutSession, sessionEndpoints, sessionRoutes } from './sessions.routes.ts';
import { createSessionService } from './sessions.service.ts';

/** Creates the log-ins and sessions of apps, to which features add other kinds. */
export function createSessions(deps: {
  connection: Connection;
  apps: Pick<Apps, 'service' | 'hasher'>;
  config: Pick<Config, 'rateLimitLogin' | 'sessionCookieName'>;
  limits: SharedLimits;
  /** Returns the kinds of sessions that features add. Called once, when all features exist. */
  parts(): readonly SessionPart[];
  /** As in `createSessionService`. */
  onFailure: AuditPart['noteFailedLogIn'];
  onKnownNetwork?: ((network: string) => void) | undefined;
}) {
  const { connection, apps, config, limits, onFailure, onKnownNetwork } = deps;

  let composed: readonly SessionPart[] | undefined;
  function parts(): readonly SessionPart[] {
    composed ??= distinctParts(deps.parts());
    return composed;
  }

  const { model, store, owned } = createSessionStorage(connection, parts);
  const service = createSessionService({
    apps: apps.service,
    parts,
    hasher: apps.hasher,
    limiter: createLoginLimiter(config.rateLimitLogin, limits),
    onFailure,
    onKnownNetwork,
  });
  const feature: Feature = {
    routes: () => sessionRoutes(service, parts(), config.sessionCookieName),
    refusals: { [sessionEndpoints([]).getSession.path]: refuseWithoutSession },
    models: [model],
    owned: [owned],
  };
  return { service, store, feature };
}
