import type { AppPart } from './core/apps/app-part.ts';
import { type Feature, modelsOf } from './core/feature.ts';
import type { SchemaPart } from './core/schemas/schema-part.ts';
import { type CoreTimings, createCore } from './core.ts';
import { createAccounts } from './features/accounts/accounts.ts';
import { activityPart, createAppActivity, createPace } from './features/activity/activity.ts';
import { createApiKeys } from './features/api-keys/api-keys.ts';
import { createAppAdministration } from './features/app-administration/app-administration.ts';
import { createAppPages } from './features/app-administration/app-pages.ts';
import { createAppReads } from './features/app-administration/app-reads.ts';
import { createAudit } from './features/audit/audit.ts';
import { createAuditLog } from './features/audit/audit-log.ts';
import { createNames } from './features/audit/names.ts';
import { seatPart } from './features/bots/admission.ts';
import { createChangeStorage, createChanges } from './features/changes/changes.ts';
import { consentPart } from './features/consents/consents.ts';
import { createEntries } from './features/entries/entries.ts';
import { createExports } from './features/exports/exports.ts';
import { createFileAccess } from './features/file-access/files.ts';
import { createFileStep, fileAppPart } from './features/files/file-part.ts';
import { createFiles } from './features/files/files.ts';
import { formPart } from './features/form-settings/form-settings.ts';
import { createFormSettings } from './features/form-settings/forms.ts';
import { originPart } from './features/form-settings/origins.ts';
import type { PageAssets } from './features/forms/page.ts';
import { createHeldFiles, createHeldModel, createHeldStore } from './features/held/held.model.ts';
import { createHistorySettings, historyPart } from './features/history/history-settings.ts';
import { formerEmailPart } from './features/idempotency/former-emails.ts';
import { createImports, type ImportProcess } from './features/imports/imports.ts';
import { createInbox } from './features/inbox/inbox.ts';
import { indexPart } from './features/indexes/index-slots.ts';
import { indexedFieldPart } from './features/indexes/indexed-fields.ts';
import { createSlotHandover } from './features/indexes/slot-handover.ts';
import { createSubmissions } from './features/intake.ts';
import { createMembers } from './features/members/members.ts';
import { sharedLoginPart } from './features/members/shared-login.ts';
import { type MailLimits, mailCountPart } from './features/notifications/mail-rates.ts';
import { createNotifications } from './features/notifications/notifications.ts';
import { consumersPart, createAppConsumers } from './features/outbox/app-consumers.ts';
import { finishing } from './features/outbox/outbox.ts';
import { createOverview } from './features/overview/overview.ts';
import { createPeople, createSuppressionList } from './features/people/people.ts';
import { retentionPart } from './features/people/retention.ts';
import { createConditionRules } from './features/record-conditions/record-conditions.service.ts';
import { createRecordConditions } from './features/record-conditions/record-conditions.ts';
import { createRecordBase } from './features/records/base.ts';
import { createRecordFeatures, createRecords } from './features/records/records.ts';
import { renamePart } from './features/renames/rename-part.ts';
import { createRenameStore } from './features/renames/rename-store.ts';
import { renameRoutes } from './features/renames/renames.routes.ts';
import { showing } from './features/renames/shown-renames.ts';
import { schemaReadRoutes } from './features/schemas/schema-reads.ts';
import { schemaVersionRoutes } from './features/schemas/schema-versions.ts';
import { createSearch } from './features/search/search.ts';
import { createProvider } from './features/single-sign-on/provider.ts';
import { signOnRoutes } from './features/single-sign-on/single-sign-on.routes.ts';
import { createViews } from './features/views/views.ts';
import { createDeliveryStorage, createWebhooks } from './features/webhooks/webhooks.ts';
import type { Config } from './platform/core/config.ts';
import { nameOfBucket } from './platform/core/files-url.ts';
import type { Logger } from './platform/core/logger.ts';
import { withTimeout } from './platform/core/timeouts.ts';
import { type Connection, measurePool } from './platform/database/client.ts';
import { ensureIndexes } from './platform/database/indexes.ts';
import { createJobLocks, createJobModel } from './platform/jobs/job-locks.ts';
import { createJobRunner, createJobSignal, measureJobs } from './platform/jobs/job-runner.ts';
import { createMetrics, measureProcess, NO_METRICS } from './platform/metrics/metrics.ts';
import { createUpgrades } from './platform/migrations/upgrades.ts';

const STOP_JOBS_WITHIN_MS = 1_000;
const STOP_ANNOUNCEMENT_WITHIN_MS = 500;

/** What features add to an app. */
export const APP_PARTS: readonly AppPart[] = [
  activityPart,
  sharedLoginPart,
  formPart,
  originPart,
  seatPart,
  mailCountPart,
  retentionPart,
  historyPart,
  consumersPart,
  indexPart,
  formerEmailPart,
  fileAppPart,
];

/** What features add to the versions of schemas. */
export const SCHEMA_PARTS: readonly SchemaPart[] = [indexedFieldPart, renamePart];

/** The times and costs that tests shorten. */
export interface Timings extends CoreTimings {
  queryBudgetMs?: number;
  mailLimits?: Partial<MailLimits>;
  /** The clock of deliveries, as `Date.now`. */
  deliveryNow?: () => number;
  /** How long the builder of indexes and the mover of renamed fields wait for late writes. */
  writesEndMs?: number;
  /** The waits before the searches for late writes, after the build of an index or a rename. */
  checksMs?: readonly number[];
  pollEveryMs?: number;
  retentionEveryMs?: number;
  searchWithinMs?: number;
  importWritesEndMs?: number;
  announceEveryMs?: number;
  /** The step of answers that do not tell who is known (spec 4.5.5). */
  answerStepMs?: number;
  /** The time for a test email (spec 4.12). */
  testMailWithinMs?: number;
  /** The time for a request, see `Deadline`. */
  deadlineMs?: number;
}

interface EntryOptions {
  timings?: Timings | undefined;
  /** The process that runs imports; without it, this process runs them. */
  importProcess?: ImportProcess;
  pageAssets?: PageAssets;
  /** In a worker: the jobs run in the first process of the server. */
  wakeJob?: (name: string) => void;
  /** Called when a network becomes known by a log-in. */
  onKnownNetwork?: (network: string) => void;
  /** The processes that serve requests, for the announcement of the server. */
  workers?: number;
  /** Called when a later release has contracted the database: the server must end. */
  onOutdated?: (error: Error) => void;
  /** Gets the progress of migrations; without it they are logged. */
  progress?: (line: string) => void;
}

export type Services = ReturnType<typeof createServices>;

/** Creates all features on one connection, bottom up. Two calls share nothing, for tests. */
export function createServices(config: Config, connection: Connection, logger: Logger, options: EntryOptions = {}) {
  const { pageAssets, importProcess, timings = {} } = options;
  const { queryBudgetMs, writesEndMs, checksMs } = timings;
  const registry = config.metricsToken === undefined ? undefined : createMetrics();
  const metrics = registry ?? NO_METRICS;
  const core = createCore(config, connection, logger, {
    metrics,
    timings,
    onKnownNetwork: options.onKnownNetwork,
    parts: {
      apps: APP_PARTS,
      schemas: SCHEMA_PARTS,
      schemaSteps: () => [slotHandover.step, createFileStep(consumers)],
      records: () => recordFeatures.parts,
      showing: () => showing(renames.recent),
      features: () => features,
    },
  });
  const { secret, cursors, clock, limits, load, apps, schemas, sessions, users } = core;
  const signal = createJobSignal();
  const abilities = { mail: config.mail !== undefined, links: config.publicUrl !== undefined };

  const audit = createAuditLog({ connection, days: config.auditDays, clock, logger });
  const appReads = createAppReads(apps);
  const readNames = createNames(() => Object.assign({}, ...features.map(({ names }) => names)));
  const activity = createAppActivity(apps.model);
  const pace = createPace(apps.model, activity);
  const renames = createRenameStore(schemas.model, timings.leaseMs);
  const conditionRules = createConditionRules({ store: schemas.store, renames });
  const suppressions = createSuppressionList(connection, config.sessionSecret);
  /** What many features share. Each declares what it takes. */
  const shared = {
    ...core,
    config,
    connection,
    logger,
    metrics,
    signal,
    abilities,
    pageAssets,
    appReads,
    activity,
    pace,
    renames,
    conditionRules,
    readNames,
    suppressions: suppressions.list,
  };
  const consumers = createAppConsumers(apps.model, apps.revision);
  const historySettings = createHistorySettings(apps.model, apps.revision);
  const slotHandover = createSlotHandover(apps.model);
  const formSettings = createFormSettings(shared);
  const provider = config.oidc && createProvider(config.oidc, secret, logger);
  const accounts = createAccounts({
    ...shared,
    sessions: sessions.service,
    endSessionUrl: provider?.endSessionUrl,
    owned: () => features.flatMap(({ ofAccounts = [] }) => ofAccounts),
  });
  const singleSignOn: Feature = { routes: signOnRoutes({ accounts, provider, audit, config, limits }) };
  const members = createMembers({ ...shared, accounts });
  const deliveries = createDeliveryStorage(connection);
  const changeStorage = createChangeStorage(connection, apps, clock);
  const heldModel = createHeldModel(connection);
  const files = createFiles(shared);
  const recordBase = createRecordBase(core.userBase, {
    apps,
    schemas,
    renames,
    appReads,
    pace,
    slotHandover,
    clock,
    signal,
    secret,
    writesEndMs,
    checksMs,
  });
  const recordFeatures = createRecordFeatures(recordBase, {
    features: [{ part: consentPart }],
    files,
    held: createHeldFiles(heldModel.collection),
  });
  const held = createHeldStore(heldModel.collection, recordBase.newId, clock, limits, recordFeatures.files.cleaner);
  const records = createRecords(recordBase, recordFeatures, users, {
    traces: [deliveries.traces, changeStorage.traces, held.traces],
    consumers,
  });
  const search = createSearch({ ...shared, records, queryBudgetMs });
  const conditions = createRecordConditions({ ...shared, records, queryBudgetMs });
  const exports = createExports({ apps, records, search, files });
  const inbox = createInbox({ settings: historySettings, records, search, cursors, queryBudgetMs });
  const submissions = createSubmissions({
    ...shared,
    records,
    files,
    heldModel,
    held,
    ignoredRedirects: formSettings.ignoredRedirects,
    images: formSettings.images,
    planChange: (change) => notifications.planChange(change),
    planConfirmation: (kept) => notifications.planConfirmation(kept),
    checkEntryLink: (sourceAppId, token) => entries.service.open(sourceAppId, token),
    answerStepMs: timings.answerStepMs,
  });
  const fileAccess = createFileAccess({ ...shared, files, records, findHeld: held.find });
  const views = createViews({ ...shared, accounts });
  const imports = createImports({
    ...shared,
    records,
    files,
    importProcess,
    writesEndMs: timings.importWritesEndMs,
    searchWithinMs: timings.searchWithinMs,
  });
  const notifications = createNotifications({
    ...shared,
    records,
    mailLimits: timings.mailLimits,
    findForm: submissions.findForm,
    changes: submissions.changes,
    conditions,
    emailOf: async (id) => (await accounts.store.findById(id))?.email,
    testMailWithinMs: timings.testMailWithinMs,
  });
  const webhooks = createWebhooks({
    ...shared,
    consumers,
    records,
    conditions,
    storage: deliveries,
    otherConsumers: [notifications.consumer, finishing(changeStorage.traces), finishing(held.traces)],
    now: timings.deliveryNow,
  });

  const changes = createChanges({ ...shared, storage: changeStorage, records, search });

  const people = createPeople({
    ...shared,
    settings: historySettings,
    records,
    search,
    retentionEveryMs: timings.retentionEveryMs,
    parts: () => features.flatMap(({ personal = [] }) => personal),
  });
  const entries = createEntries({
    ...shared,
    records,
    tokens: notifications.entryTokens,
    mails: notifications.entryMails,
    checkAdmission: submissions.checkAdmission,
    answerTimes: submissions.answerTimes,
    people: people.service,
    findForm: submissions.findForm,
    knownFiles: submissions.knownFiles,
    audit,
  });
  /**
   * In the order of routes, and of erasures: what can become a record, what names a record, the
   * records.
   */
  const features: Feature[] = [
    records.fileFeature,
    submissions.feature,
    { routes: schemaReadRoutes(schemas, apps.service) },
    { routes: renameRoutes(schemas.service) },
    core.features.schemas,
    { routes: schemaVersionRoutes(apps.service, schemas.model, readNames) },
    exports.feature,
    inbox,
    fileAccess,
    search.feature,
    conditions.feature,
    people.feature,
    entries.feature,
    imports.feature,
    changes,
    core.features.sessions,
    accounts.feature,
    members,
    singleSignOn,
    core.features.apps,
    { close: activity.flush },
    createAppAdministration(apps, sessions.service, cursors),
    core.features.administration,
    createApiKeys({ connection, apps, failures: config.rateLimitLogin, limits, hasMcp: config.mcp }),
    createAudit({ log: audit, findApp: schemas.findApp, cursors, readNames }),
    formSettings.feature,
    notifications.feature,
    webhooks,
    ...records.features,
    core.features.users,
    files.feature,
    suppressions.feature,
    views,
    createOverview({ accounts, pages: createAppPages(apps), appReads, activity, cursors, features: () => features }),
  ];
  const jobModel = createJobModel(connection);
  const jobLocks = createJobLocks(jobModel.collection);
  const jobs = createJobRunner({
    locks: jobLocks,
    jobs: features.flatMap((feature) => feature.jobs ?? []),
    workers: features.flatMap(({ workers = [] }) => workers),
    logger,
    pollEveryMs: timings.pollEveryMs,
  });
  signal.connect(options.wakeJob ?? jobs.wake);
  const upgrades = createUpgrades({
    connection,
    locks: jobLocks,
    isNew,
    throttle: pace.throttle,
    onOutdated: options.onOutdated,
    migrations: features.flatMap(({ migrations = [] }) => migrations),
    server: {
      workers: options.workers ?? 1,
      sessionSecret: secret,
      publicUrl: config.publicUrl ?? null,
      sendsMail: config.mail !== undefined,
      filesBucket: config.filesBucket ? nameOfBucket(config.filesBucket) : null,
    },
    clockAheadMs: clock.aheadMs,
    announceEveryMs: timings.announceEveryMs,
    progress: options.progress ?? ((line) => logger.info(line)),
  });
  const models = [jobModel, ...upgrades.models, limits.model, ...modelsOf(features)];
  measureJobs(jobs, metrics);
  measurePool(connection, metrics);
  const stopMeasuring = measureProcess(metrics);

  /** Whether no server has used the database: the first one creates an app and takes locks. */
  async function isNew(): Promise<boolean> {
    const projection = { _id: 1 } as const;
    const found = await Promise.all([
      apps.model.findOne({}, { projection }),
      apps.deletedApps.findOne({}, { projection }),
      jobModel.findOne({}, { projection }),
    ]);
    return found.every((document) => document === null);
  }

  return {
    features,
    core,
    accounts,
    publicUrl: config.publicUrl,
    apps: apps.service,
    audit,
    challenges: submissions.challenges,
    clock,
    collections: models.map(({ schema }) => schema),
    confirmations: notifications.confirmations,
    entries: entries.service,
    entryTokens: notifications.entryTokens,
    exports: exports.service,
    files,
    findApp: schemas.findApp,
    imports: imports.service,
    inventory: records.inventory,
    jobs,
    leases: schemas.leases,
    load,
    mailConsumer: notifications.consumer,
    /** Empty when the service sends no email. */
    mailJobs: notifications.jobs,
    mailQueue: notifications.queue,
    /** Undefined without METRICS_TOKEN. */
    metrics: registry,
    outboxSignal: records.outboxSignal,
    removal: core.removal,
    schemas: schemas.service,
    sessions: sessions.service,
    submissions: submissions.service,
    suppressions: suppressions.list,
    users: search.users,
    /** Notes a network that logged in at another process of the server. */
    noteKnownNetwork: sessions.service.noteKnownNetwork,
    migrator: upgrades.migrator,
    /** The servers on this database (platform/servers/servers.ts). */
    servers: upgrades.servers,
    /** Whether it knows the secret of stored hashes of emails. */
    hasSecret: config.sessionSecret !== undefined,

    /**
     * Runs missing migrations, and creates the indexes on which the invariants depend. Await it
     * before any other call.
     * @param migrate false: it runs no migration, except on a new database
     * @throws {MigrationRefused} when one is missing, or a later release has contracted the
     *   database
     */
    async prepare(migrate = config.migrateOnStart): Promise<void> {
      await upgrades.prepare(migrate);
      for (const feature of features) await feature.prepare?.();
      await ensureIndexes(connection, models);
    },

    createIndexes: () => ensureIndexes(connection, models),

    /** For a server, before it listens: finishes interrupted deletions and starts the jobs. */
    async start(): Promise<void> {
      // First, because the server announces how far its clock is ahead.
      await clock.start();
      await files.content.load();
      await upgrades.start();
      await core.start();
      jobs.start();
    },

    /** For a worker, before it listens. The first process of the server does the rest. */
    async startWorker(): Promise<void> {
      await clock.start();
      await files.content.load();
    },

    /** Stops background work; resolves when pending writes are completed or have failed. */
    async stop(): Promise<void> {
      stopMeasuring();
      clock.stop();
      await Promise.all(features.map((feature) => feature.stop?.())).catch(() => undefined);
      // A step in progress may be abandoned: the next server repeats it.
      await withTimeout(jobs.stop(), STOP_JOBS_WITHIN_MS, () => new Error('a job still runs')).catch(() => undefined);
      await Promise.all(features.map((feature) => feature.close?.())).catch(() => undefined);
      // Last, because the server still wrote documents of its level.
      const removal = withTimeout(upgrades.stop(), STOP_ANNOUNCEMENT_WITHIN_MS, () => new Error('no answer'));
      await removal.catch(() => undefined);
    },
  };
}
