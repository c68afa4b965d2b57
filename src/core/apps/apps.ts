import type { Logger } from '../../platform/core/logger.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { createPasswordHasher } from '../../platform/log-ins/passwords.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import { createAppScope } from '../api/principal.ts';
import type { AppOwned, Feature } from '../feature.ts';
import { createAppCreation } from './app-creation.ts';
import { type AppPart, createAppParts } from './app-part.ts';
import { createAppRemoval } from './app-removal.ts';
import { createAppModel, createDeletedAppModel, createRevisionModel } from './apps.model.ts';
import { appRoutes } from './apps.routes.ts';
import { createAppService } from './apps.service.ts';
import { createAppRevision } from './revision.ts';

export type Apps = ReturnType<typeof createApps>;

/**
 * Creates what the other features need of apps; {@link createAppEndpoints} comes last.
 * @param deps.parts what features add to an app
 * @param deps.initialData stored for a new app before it is visible
 * @param deps.passwordCost the bcrypt cost; lower in tests only
 * @param deps.leaseMs that of every server on the database; shorter in tests only
 */
export function createApps(deps: {
  connection: Connection;
  parts: readonly AppPart[];
  initialData: readonly AppOwned[];
  clock: DatabaseClock;
  metrics: Metrics;
  passwordCost: number | undefined;
  leaseMs: number | undefined;
}) {
  const { connection, initialData, clock, metrics, passwordCost, leaseMs } = deps;
  const parts = createAppParts(deps.parts);
  const models = {
    apps: createAppModel(connection, parts),
    deletedApps: createDeletedAppModel(connection),
    revisions: createRevisionModel(connection),
  };
  const { apps, deletedApps, revisions } = models;
  const hasher = createPasswordHasher(passwordCost, metrics);
  const createApp = createAppCreation({ apps, owned: initialData, clock });
  const service = createAppService({ apps, deletedApps, createApp, hasher, parts });
  return {
    parts,
    model: apps,
    deletedApps,
    service,
    hasher,
    revision: createAppRevision(revisions, leaseMs),
    scope: createAppScope(service),
    feature: { models: Object.values(models) } satisfies Feature,
  };
}

/** Creates the endpoints of apps. A deletion reaches the data of all features. */
export function createAppEndpoints(deps: {
  apps: Apps;
  users: AppOwned;
  others(): readonly AppOwned[];
  clock: DatabaseClock;
  logger: Logger;
  sweepEveryMs: number | undefined;
}) {
  const { apps, users, others, clock, logger, sweepEveryMs } = deps;
  const { model, deletedApps, service, revision } = apps;
  const removal = createAppRemoval({
    apps: model,
    deletedApps,
    users,
    others,
    revision,
    clock,
    logger,
    sweepEveryMs,
  });
  return {
    removal,
    feature: {
      routes: appRoutes(service, removal),
      jobs: [removal.job],
    } satisfies Feature,
  };
}
