import { randomUUID } from 'node:crypto';
import type { AppPart } from './core/apps/app-part.ts';
import { createAppEndpoints, createApps } from './core/apps/apps.ts';
import type { Feature } from './core/feature.ts';
import type { SchemaPart } from './core/schemas/schema-part.ts';
import type { SchemaStep } from './core/schemas/schemas.service.ts';
import { createSchemaStorage, createSchemas } from './core/schemas/schemas.ts';
import { createSessions } from './core/sessions/sessions.ts';
import type { Showing } from './core/users/record-list.ts';
import type { RecordPart } from './core/users/record-part.ts';
import { submissionRoutes } from './core/users/submissions.routes.ts';
import { createSubmissionService } from './core/users/submissions.service.ts';
import { userListRoutes } from './core/users/users.routes.ts';
import { createUserBase, createUsers } from './core/users/users.ts';
import type { Config } from './platform/core/config.ts';
import type { Logger } from './platform/core/logger.ts';
import type { Connection } from './platform/database/client.ts';
import { createDatabaseClock } from './platform/database/clock.ts';
import { createSharedLimits } from './platform/database/shared-limits.ts';
import { createCursors } from './platform/http/cursors.ts';
import { createOperatorLoad } from './platform/http/operator-load.ts';
import { type Metrics, NO_METRICS } from './platform/metrics/metrics.ts';

/** What features add to the core. A function is called when its parts are first needed. */
interface CoreParts {
  apps?: readonly AppPart[];
  schemas?: readonly SchemaPart[];
  /** What features do when a schema is replaced, in their order. */
  schemaSteps?(): readonly SchemaStep[];
  /** In the order of the refusals of a write. */
  records?(): readonly RecordPart[];
  showing?: Showing;
  /** All features, also those of the core. Default: those of the core. */
  features?(): readonly Feature[];
}

/** The times and costs that tests shorten. */
export interface CoreTimings {
  passwordCost?: number;
  sweepEveryMs?: number;
  /** The same on all servers of a database (core/apps/revision.ts). */
  leaseMs?: number;
}

export type Core = ReturnType<typeof createCore>;

/**
 * Creates the core: apps, schemas, sessions and users, with the endpoints of sections 4.1 to 4.4 of
 * the specification. It works without any feature.
 * @param options.onKnownNetwork called when a network becomes known by a log-in
 */
export function createCore(
  config: Config,
  connection: Connection,
  logger: Logger,
  options: {
    parts?: CoreParts;
    metrics?: Metrics;
    timings?: CoreTimings;
    onKnownNetwork?: ((network: string) => void) | undefined;
  } = {},
) {
  const { parts = {}, metrics = NO_METRICS, timings = {}, onKnownNetwork } = options;
  const { features = () => own, records = () => [], schemaSteps = () => [] } = parts;
  const { leaseMs, passwordCost, sweepEveryMs } = timings;
  // Without a secret (command line) nothing issues or verifies challenges, cursors and links.
  const secret = config.sessionSecret ?? randomUUID();
  const cursors = createCursors(secret);
  const clock = createDatabaseClock({ connection, logger, metrics });
  const limits = createSharedLimits(connection, secret);
  const load = createOperatorLoad(metrics);

  const storage = createSchemaStorage(connection, parts.schemas ?? []);
  const apps = createApps({
    connection,
    parts: parts.apps ?? [],
    initialData: [storage.store],
    clock,
    metrics,
    passwordCost,
    leaseMs,
  });
  const schemas = createSchemas({
    storage,
    apps,
    connection,
    steps: schemaSteps,
    leaseMs,
    fileLimit: config.fileLimits.perFile,
  });
  const sessions = createSessions({
    connection,
    apps,
    config,
    limits,
    parts: () => features().flatMap((feature) => feature.sessions ?? []),
    onFailure: (...failure) => {
      for (const { audit } of features()) audit?.noteFailedLogIn(...failure);
    },
    onKnownNetwork,
  });
  const { leases } = schemas;
  const userBase = createUserBase({ config, connection, load, showing: parts.showing });
  const users = createUsers(userBase, { apps: apps.service, leases, parts: records, metrics });
  const administration = createAppEndpoints({
    apps,
    clock,
    logger,
    sweepEveryMs,
    users: users.owned,
    others: () => features().flatMap(({ owned = [] }) => owned),
  });
  const userFeature: Feature = {
    models: () => [users.model()],
    routes: () => [
      ...submissionRoutes(createSubmissionService({ leases, users })),
      ...userListRoutes(users, apps.service),
    ],
  };
  const own: Feature[] = [schemas.feature, sessions.feature, apps.feature, administration.feature, userFeature];

  return {
    secret,
    cursors,
    clock,
    limits,
    load,
    apps,
    schemas,
    sessions,
    userBase,
    users,
    removal: administration.removal,
    /** Each has its place in the list of all features. */
    features: {
      schemas: schemas.feature,
      sessions: sessions.feature,
      apps: apps.feature,
      administration: administration.feature,
      users: userFeature,
    },

    /** For a server, before it listens, with its clock started: finishes interrupted deletions. */
    async start(): Promise<void> {
      await apps.revision.bump();
      await administration.removal.start();
    },

    /** Resolves with whether the database answers. */
    async ping(): Promise<boolean> {
      try {
        await clock.read();
        return true;
      } catch {
        return false; // the reason is in the log of the requests that fail
      }
    },
  };
}
