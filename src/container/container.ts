import { randomUUID } from 'node:crypto';
import { createApiKeyService } from '../api-keys/api-keys.service.ts';
import { createAppActivity, createPace } from '../apps/activity.ts';
import type { App } from '../apps/app.ts';
import { createAppCreation } from '../apps/app-creation.ts';
import { createAppRemoval, createLateSweep, createRemovalGuard, SWEEP_EVERY_MS } from '../apps/app-removal.ts';
import { createAppScope } from '../apps/app-scope.ts';
import { createAppService } from '../apps/apps.service.ts';
import { createFormSettingsService } from '../apps/form-settings.service.ts';
import { createAppOrigins, createOriginCounts } from '../apps/origins.ts';
import { createPasswordHasher } from '../apps/passwords.ts';
import { createAuditLog } from '../audit/audit-log.ts';
import type { Config } from '../core/config.ts';
import type { Logger } from '../core/logger.ts';
import { type Connection, measurePool, monitorPrimary } from '../database/client.ts';
import { createDatabaseClock } from '../database/clock.ts';
import { measureJobs } from '../jobs/job-runner.ts';
import { createMetrics, measureProcess, NO_METRICS } from '../metrics/metrics.ts';
import type { MailLimits } from '../notifications/mail-rates.ts';
import { createPeopleService } from '../people/people.service.ts';
import { createSchemaLeases } from '../schemas/schema-leases.ts';
import { createSchemaService } from '../schemas/schemas.service.ts';
import { createIndexSlotService } from '../search/indexes.ts';
import { createSchemaCheckService } from '../search/schema-check.ts';
import { createUserStatsService } from '../search/statistics.ts';
import { createUserCounts } from '../search/user-counts.ts';
import { createSessionStore } from '../sessions/session-store.ts';
import { createLoginLimiter, createSessionService } from '../sessions/sessions.service.ts';
import { createHeldService } from '../submissions/held.ts';
import { createFormLookup } from '../submissions/pages/form-view.ts';
import { type BackgroundTimes, createBackground } from './background.ts';
import { createImports, type ImportProcess } from './imports.ts';
import { createLifecycle } from './lifecycle.ts';
import { createModels } from './models.ts';
import { createNotifications } from './notifications.ts';
import { createStores } from './stores.ts';
import { createSubmissions } from './submissions.ts';
import { createUsers } from './users.ts';
import { createWebhooks } from './webhooks.ts';

/** What tests shorten or make cheaper. */
export interface ContainerOptions extends BackgroundTimes {
  /** The bcrypt cost. */
  passwordCost?: number;
  /** The interval of the search for interrupted deletions. */
  sweepEveryMs?: number;
  /** The time that a page of a query reads. */
  queryBudgetMs?: number;
  /** The hourly limits of emails. */
  mailLimits?: MailLimits;
  /** The clock of deliveries, as `Date.now`. */
  deliveryNow?: () => number;
}

/** How an entry uses the services. */
interface EntryOptions {
  /** The process that runs imports; without it, this process runs them. */
  importProcess?: ImportProcess;
}

/** The settings that services depend on. */
type ContainerConfig = Pick<
  Config,
  | 'auditDays'
  | 'importLimits'
  | 'mail'
  | 'maxArrayItems'
  | 'metricsToken'
  | 'publicUrl'
  | 'rateLimitLogin'
  | 'recordLimit'
  | 'sessionSecret'
  | 'webhooksAllowPrivate'
>;

export type Services = ReturnType<typeof createContainer>;

/**
 * Creates all services on one connection. Two calls share nothing, so a test can run two servers in
 * one process.
 */
export function createContainer(
  config: ContainerConfig,
  connection: Connection,
  logger: Logger,
  {
    passwordCost,
    sweepEveryMs = SWEEP_EVERY_MS,
    queryBudgetMs,
    mailLimits,
    deliveryNow,
    importProcess,
    ...times
  }: ContainerOptions & EntryOptions = {},
) {
  const registry = config.metricsToken === undefined ? undefined : createMetrics();
  const metrics = registry ?? NO_METRICS;
  const models = createModels(connection);
  const stored = { apps: models.apps.collection, deletedApps: models.deletedApps.collection };
  const clock = createDatabaseClock({ connection, logger, metrics });
  const stores = createStores(
    config,
    connection,
    clock,
    models,
    async (sourceAppId) => (await apps.find(sourceAppId))?.id,
  );
  const { revision } = stores;
  const audit = createAuditLog({ events: models.audit.collection, days: config.auditDays, clock, logger });

  const apps = createAppService({
    ...stored,
    createApp: createAppCreation({ apps: stored.apps, owned: [stores.schemas], clock }),
    hasher: createPasswordHasher(passwordCost, metrics),
  });
  const guardOf = createRemovalGuard({ ...stored, clock });
  const owned = [stores.records, ...stores.owned];
  const sweepLate = createLateSweep({ ...stored, owned, guardOf, logger, sweepEveryMs });
  const removal = createAppRemoval({
    ...{ ...stored, users: stores.records, others: stores.owned, guardOf, clock },
    ...{ revision, sweepLate, logger, sweepEveryMs },
  });
  const leases = createSchemaLeases({
    findApp: (sourceAppId, readConcern) => apps.find(sourceAppId, readConcern),
    newestSchema: (app, readConcern) => stores.schemas.newest(app.id, readConcern),
    readRevision: () => revision.read(),
  });
  monitorPrimary(connection, () => leases.revokeAll());
  const findApp = async (sourceAppId: string): Promise<App | undefined> => (await leases.hold(sourceAppId))?.app;
  const refusedOrigins = createOriginCounts(stored.apps, 'refusedOrigins');
  const ignoredRedirects = createOriginCounts(stored.apps, 'ignoredRedirects');
  const activity = createAppActivity(stored.apps);
  const pace = createPace(stored.apps, activity);
  const abilities = { mail: config.mail !== undefined, links: config.publicUrl !== undefined };
  const counts = createUserCounts(models.users.collection);
  // Without a secret (command line) nothing issues or verifies challenges and links.
  const secret = config.sessionSecret ?? randomUUID();
  const notifications = createNotifications({
    ...{ config, models, stores, findApp, pace, logger, secret, mailLimits },
    wake: (job) => jobs.wake(job),
  });
  const webhooks = createWebhooks({
    ...{ config, models, stores, logger, otherConsumers: [notifications.consumer], now: deliveryNow, metrics, pace },
    wake: () => jobs.wake('events'),
  });
  const otherJobs = [removal.job, ...webhooks.jobs, ...notifications.jobs];
  const jobs = createBackground(models, stores, logger, { clock, pace, times, otherJobs });
  measureJobs(jobs, metrics);
  measurePool(connection, metrics);
  const stopMeasuring = measureProcess(metrics);
  const schemas = createSchemaService({ apps, store: stores.schemas, leases, revision, slots: stores.slotHandover });
  const { users, editor, repairSlots, repairRenames } = createUsers({
    ...{ config, models, stores, apps, leases, schemas, queryBudgetMs },
  });
  const { submissions, challenges, revalidation } = createSubmissions({
    ...{ config, models, stores, apps, leases, activity, counts, repairSlots, repairRenames, secret, metrics },
  });
  const imports = createImports({
    ...{ config, models, stores, leases, pace, revalidation, jobs, logger, importProcess },
    times,
  });

  /** Not awaited, so that the answer takes the same time for an app that does not exist. */
  async function noteFailedLogin(sourceAppId: string, address: string): Promise<void> {
    const app = await apps.find(sourceAppId);
    if (app) await audit.record({ action: 'login.failed', actor: { kind: 'anonymous', address }, app });
  }

  return {
    apps,
    audit,
    removal,
    leases,
    schemas,
    schemaCheck: createSchemaCheckService({ apps, users, schemas }),
    users,
    editor,
    people: createPeopleService({ apps, suppressions: stores.suppressions, logger, parts: stores.personal }),
    suppressions: stores.suppressions,
    retention: stores.retention,
    submissions,
    imports,
    challenges,
    held: createHeldService({ store: stores.held, submissions, renames: stores.renames }),
    userStats: createUserStatsService({ apps, activity, counts, queues: stores.queues }),
    sessions: createSessionService({
      ...{ apps, limiter: createLoginLimiter(config.rateLimitLogin) },
      onFailure: (sourceAppId, address) => void noteFailedLogin(sourceAppId, address).catch(() => undefined),
    }),
    sessionStore: createSessionStore(connection),
    apiKeys: createApiKeyService({ store: stores.apiKeys, apps, failures: config.rateLimitLogin }),
    formSettings: createFormSettingsService({
      ...{ apps: stored.apps, revision, refused: refusedOrigins, ignored: ignoredRedirects, abilities },
    }),
    ignoredRedirects,
    appOrigins: createAppOrigins({ apps: stored.apps, findApp, refused: refusedOrigins }),
    findApp,
    findForm: createFormLookup(leases),
    appScope: createAppScope(apps),
    indexSlots: createIndexSlotService({ apps, schemas: stores.schemas, renames: stores.renames }),
    webhooks: webhooks.service,
    deliveries: webhooks.deliveries,
    outboxSignal: stores.outboxSignal,
    jobs,
    /** Undefined without METRICS_TOKEN. */
    metrics: registry,
    abilities,
    confirmations: notifications.confirmations,
    mailQueue: stores.mails,
    /** The jobs that send emails; none when the service sends none. */
    mailJobs: notifications.jobs,
    /** Plans emails about events of records. */
    mailConsumer: notifications.consumer,
    /** Whether it knows the secret with which stored hashes of emails are made. */
    hasSecret: config.sessionSecret !== undefined,
    ...createLifecycle({
      ...{ clock, models, sessions: stores.sessions, revision, removal, jobs, webhooks, notifications },
      flushed: [activity, refusedOrigins, ignoredRedirects, audit],
      stopMeasuring,
    }),
  };
}
