import { randomUUID } from 'node:crypto';
import type { Types } from 'mongoose';
import { createApiKeyStore } from './api-keys/api-key-store.ts';
import { createApiKeyModel } from './api-keys/api-keys.model.ts';
import { createApiKeyService } from './api-keys/api-keys.service.ts';
import { createAppActivity } from './apps/app-activity.ts';
import { createAppCreation } from './apps/app-creation.ts';
import { createPasswordHasher } from './apps/app-credentials.ts';
import { createAppRemoval, SWEEP_EVERY_MS } from './apps/app-removal.ts';
import { createAppScope } from './apps/app-scope.ts';
import { createLateSweep, upgradeTombstones } from './apps/app-tombstones.ts';
import { createAppModel, createDeletedAppModel, createRevisionModel } from './apps/apps.model.ts';
import { type App, createAppService } from './apps/apps.service.ts';
import { createAppOrigins } from './apps/form-settings/app-origins.ts';
import { createFormSettingsService } from './apps/form-settings/form-settings.service.ts';
import { createRefusedOrigins } from './apps/form-settings/refused-origins.ts';
import { createAppRevision } from './apps/revision.ts';
import type { Config } from './core/config.ts';
import type { Logger } from './core/logger.ts';
import { withTimeout } from './core/timeouts.ts';
import type { Connection } from './database/client.ts';
import { ensureIndexes, STATEMENT_TIME_MS } from './database/collections.ts';
import { monitorPrimary } from './database/primary-monitor.ts';
import { createJobLocks } from './jobs/job-locks.ts';
import { createJobRunner } from './jobs/job-runner.ts';
import { createJobModel } from './jobs/jobs.model.ts';
import { createSchemaLeases } from './schemas/schema-leases.ts';
import { createSchemaStore } from './schemas/schema-store.ts';
import { createSchemaModel } from './schemas/schemas.model.ts';
import { createSchemaService } from './schemas/schemas.service.ts';
import { createLoginLimiter } from './sessions/login-limiter.ts';
import { createSessionOwnership, createSessionStore } from './sessions/session-store.ts';
import { createSessionService } from './sessions/sessions.service.ts';
import { createAdmissionCheck } from './submissions/admission/admission.ts';
import { createCapacity } from './submissions/admission/capacity.ts';
import { createSeats } from './submissions/admission/seats.ts';
import { createChallenges } from './submissions/bots/challenges.ts';
import { createSpentChallengeModel, createSpentChallenges } from './submissions/bots/spent-challenges.ts';
import { createHeldModel } from './submissions/held/held.model.ts';
import { createHeldService } from './submissions/held/held.service.ts';
import { createHeldOfPerson } from './submissions/held/held-of-person.ts';
import { createHeldStore } from './submissions/held/held-store.ts';
import { createFormLookup } from './submissions/pages/public-form.ts';
import { createRevalidation } from './submissions/revalidation.ts';
import { createGroupCommit } from './submissions/store/group-commit.ts';
import { createIdempotencyKeys, createMovedKeyModel } from './submissions/store/idempotency-keys.ts';
import { createRecordLimits } from './submissions/store/record-limits.ts';
import { createRecordWriter } from './submissions/store/record-writer.ts';
import { createSubmissionStore } from './submissions/store/submission-store.ts';
import { createSubmissionService } from './submissions/submissions.service.ts';
import { createRecordEditor } from './users/editing/record-editor.ts';
import { createIndexSlotService } from './users/index-slots/index-slots.service.ts';
import { createSlotJob } from './users/index-slots/slot-job.ts';
import { createSlotRecords } from './users/index-slots/slot-records.ts';
import { createSlotRepair } from './users/index-slots/slot-repair.ts';
import { createSlotStore } from './users/index-slots/slot-store.ts';
import { createPeopleService } from './users/people/people.service.ts';
import { createPersonRecords } from './users/people/person-records.ts';
import { createSuppressionModel, createSuppressions } from './users/people/suppressions.ts';
import { createBulkErase } from './users/query/bulk-erase.ts';
import { createPeopleSearch } from './users/query/people.ts';
import { createUserQuery } from './users/query/user-query.ts';
import { createRecordIds } from './users/record-id.ts';
import { createRecordPages } from './users/record-pages.ts';
import { createRetentionJob } from './users/retention/retention-job.ts';
import { createRetentionStore } from './users/retention/retention-store.ts';
import { createSchemaCheckService } from './users/schema-check/schema-check.service.ts';
import { createUserStatsService } from './users/stats/stats.service.ts';
import { createUserCounts } from './users/stats/user-counts.ts';
import { createUserSearch } from './users/user-search.ts';
import { createUserStore } from './users/user-store.ts';
import { createUserModel } from './users/users.model.ts';
import { createUserService } from './users/users.service.ts';

/** How long `stop` waits for a step of a background job. */
const STOP_JOBS_WITHIN_MS = 1_000;

export type Services = ReturnType<typeof createContainer>;

/**
 * Creates all services on one connection. Two calls share nothing, so a test can run two servers in
 * one process.
 *
 * @param options.passwordCost bcrypt cost; lower in tests only
 * @param options.sweepEveryMs interval of the search for interrupted deletions; shorter in tests
 *   only
 * @param options.writesEndMs how long the builder of indexes waits for late writes; shorter in
 *   tests only
 * @param options.retentionEveryMs interval of the erasure of old records; shorter in tests only
 * @param options.queryBudgetMs the time that a page of a query reads; shorter in tests only
 */
export function createContainer(
  config: Pick<Config, 'maxArrayItems' | 'rateLimitLogin' | 'recordLimit' | 'sessionSecret'>,
  connection: Connection,
  logger: Logger,
  {
    passwordCost,
    sweepEveryMs = SWEEP_EVERY_MS,
    writesEndMs,
    retentionEveryMs,
    queryBudgetMs,
  }: {
    passwordCost?: number;
    sweepEveryMs?: number;
    writesEndMs?: number;
    retentionEveryMs?: number;
    queryBudgetMs?: number;
  } = {},
) {
  const models = {
    apps: createAppModel(connection),
    deletedApps: createDeletedAppModel(connection),
    revisions: createRevisionModel(connection),
    schemas: createSchemaModel(connection),
    users: createUserModel(connection),
    movedKeys: createMovedKeyModel(connection),
    spentChallenges: createSpentChallengeModel(connection),
    held: createHeldModel(connection),
    suppressed: createSuppressionModel(connection),
    jobs: createJobModel(connection),
    apiKeys: createApiKeyModel(connection),
  };
  const collection = models.users.collection;
  const appIdOf = async (sourceAppId: string): Promise<Types.ObjectId | undefined> =>
    (await apps.find(sourceAppId))?.id;

  const schemaStore = createSchemaStore(models.schemas.collection);
  const idempotencyKeys = createIdempotencyKeys(collection, models.movedKeys.collection);
  const pages = createRecordPages(collection);
  const userStore = createUserStore(collection, pages, appIdOf, idempotencyKeys.removeOf);
  const sessionOwnership = createSessionOwnership(connection);

  const hasher = createPasswordHasher(passwordCost);
  const stored = { apps: models.apps.collection, deletedApps: models.deletedApps.collection };
  const createApp = createAppCreation({ apps: stored.apps, owned: [schemaStore] });
  const apps = createAppService({ ...stored, createApp, hasher });
  const revision = createAppRevision(models.revisions.collection);
  const newId = createRecordIds();
  const spentChallenges = createSpentChallenges(models.spentChallenges.collection);
  const heldStore = createHeldStore(models.held.collection, newId);
  const suppressions = createSuppressions(models.suppressed.collection, config.sessionSecret);
  const apiKeyStore = createApiKeyStore(models.apiKeys.collection);
  const others = [
    apiKeyStore,
    schemaStore,
    sessionOwnership,
    idempotencyKeys,
    spentChallenges,
    heldStore,
    suppressions,
  ];
  const sweepLate = createLateSweep({ ...stored, owned: [userStore, ...others], logger, sweepEveryMs });
  const removal = createAppRemoval({ ...stored, users: userStore, others, revision, sweepLate, logger, sweepEveryMs });
  const leases = createSchemaLeases({
    findApp: (sourceAppId, readConcern) => apps.find(sourceAppId, readConcern),
    newestSchema: (app, readConcern) => schemaStore.newest(app.id, readConcern),
    readRevision: () => revision.read(),
  });
  monitorPrimary(connection, () => leases.revokeAll());
  const findApp = async (sourceAppId: string): Promise<App | undefined> => (await leases.hold(sourceAppId))?.app;
  const refusedOrigins = createRefusedOrigins(stored.apps);
  const schemas = createSchemaService({ apps, store: schemaStore, leases, revision });
  const jobs = createJobRunner({ locks: createJobLocks(models.jobs.collection), logger });
  const slotRecords = createSlotRecords(collection);
  const slotStore = createSlotStore(stored.apps);
  const repairSlots = createSlotRepair({ records: slotRecords, hold: leases.hold });
  const slotDeps = { store: slotStore, records: slotRecords, schemas: schemaStore, revision };
  jobs.add(createSlotJob({ ...slotDeps, ...(writesEndMs !== undefined && { writesEndMs }) }));
  const retention = createRetentionStore(stored.apps);
  const retentionDeps = { store: retention, users: collection, removeKeysOf: idempotencyKeys.removeOf, logger };
  jobs.add(
    createRetentionJob({ ...retentionDeps, ...(retentionEveryMs !== undefined && { everyMs: retentionEveryMs }) }),
  );
  const limits = createRecordLimits(config.recordLimit);
  const store = createSubmissionStore({
    users: collection,
    keys: idempotencyKeys,
    limits,
    writer: createGroupCommit(collection, createRecordWriter(collection)),
    newId,
    maxArrayItems: config.maxArrayItems,
  });
  const activity = createAppActivity(models.apps.collection);
  const search = createUserSearch(collection, undefined, pages);
  const query = createUserQuery(collection, pages, queryBudgetMs);
  const bulkErase = createBulkErase({
    users: collection,
    walker: query.walker,
    removeKeysOf: idempotencyKeys.removeOf,
  });
  const peopleSearch = createPeopleSearch({ users: collection, pages, walker: query.walker, appIds: apps.idsAfter });
  const users = createUserService({
    ...{ apps, people: peopleSearch, schemas, store: userStore, search, query, bulkErase, slotStore },
  });
  const counts = createUserCounts(collection);
  // Without a secret (command line) nothing issues challenges or verifies them.
  const challenges = createChallenges(config.sessionSecret ?? randomUUID());
  const submissions = createSubmissionService({
    ...{ activity, leases, store, limits, spent: spentChallenges, held: heldStore },
    revalidation: createRevalidation({ apps, leases, users: userStore, repairSlots }),
    checkAdmission: createAdmissionCheck(challenges),
    capacity: createCapacity({ users: collection, seats: createSeats(stored.apps, counts.ofApp) }),
  });
  const userStats = createUserStatsService({ apps, activity, counts });
  const sessions = createSessionService({ apps, limiter: createLoginLimiter(config.rateLimitLogin) });

  return {
    apps,
    removal,
    leases,
    schemas,
    schemaCheck: createSchemaCheckService({ apps, users }),
    users,
    editor: createRecordEditor({ users: collection, leases, repairSlots, limits }),
    people: createPeopleService({
      ...{ apps, suppressions, logger },
      // A held submission can become a record.
      parts: [createHeldOfPerson(models.held.collection), createPersonRecords(collection, idempotencyKeys.removeOf)],
    }),
    suppressions,
    retention,
    submissions,
    challenges,
    held: createHeldService({ store: heldStore, submissions }),
    userStats,
    sessions,
    sessionStore: createSessionStore(connection),
    apiKeys: createApiKeyService({ store: apiKeyStore, apps, failures: config.rateLimitLogin }),

    formSettings: createFormSettingsService({ apps: stored.apps, revision, refused: refusedOrigins }),
    appOrigins: createAppOrigins({ apps: stored.apps, findApp, refused: refusedOrigins }),
    findApp,
    findForm: createFormLookup(leases),
    appScope: createAppScope(apps),
    indexSlots: createIndexSlotService({ apps, schemas: schemaStore }),
    jobs,

    /** Creates the indexes on which the invariants depend. Await it before any other call. */
    async prepare(): Promise<void> {
      await upgradeTombstones(stored.deletedApps);
      await ensureIndexes(Object.values(models));
      await sessionOwnership.createIndexes();
    },

    /**
     * For a server, before it listens: finishes interrupted deletions and starts the periodic
     * search for others.
     */
    async start(): Promise<void> {
      await revision.bump();
      await removal.start();
      jobs.start();
    },

    /** Whether the database answers. */
    async ping(): Promise<boolean> {
      try {
        await connection.getClient().db().admin().command({ ping: 1, maxTimeMS: STATEMENT_TIME_MS });
        return true;
      } catch {
        return false; // the reason is in the log of the requests that fail
      }
    },

    /** Stops background work; resolves when pending writes are completed or have failed. */
    async stop(): Promise<void> {
      removal.stop();
      // A step in progress may be abandoned: the next server repeats it.
      await withTimeout(jobs.stop(), STOP_JOBS_WITHIN_MS, () => new Error('a job goes on')).catch(() => undefined);
      await Promise.all([activity.flush(), refusedOrigins.flush()]).catch(() => undefined);
    },
  };
}
