import type { Types } from 'mongoose';
import { createAppActivity } from './apps/app-activity.ts';
import { createAppCreation } from './apps/app-creation.ts';
import { createPasswordHasher } from './apps/app-credentials.ts';
import { createAppRemoval, SWEEP_EVERY_MS } from './apps/app-removal.ts';
import { createLateSweep, upgradeTombstones } from './apps/app-tombstones.ts';
import { createAppModel, createDeletedAppModel, createRevisionModel } from './apps/apps.model.ts';
import { createAppService } from './apps/apps.service.ts';
import { createAppRevision } from './apps/revision.ts';
import type { Config } from './core/config.ts';
import type { Logger } from './core/logger.ts';
import type { Connection } from './database/client.ts';
import { ensureIndexes, STATEMENT_TIME_MS } from './database/collections.ts';
import { monitorPrimary } from './database/primary-monitor.ts';
import { createSchemaLeases } from './schemas/schema-leases.ts';
import { createSchemaStore } from './schemas/schema-store.ts';
import { createSchemaModel } from './schemas/schemas.model.ts';
import { createSchemaService } from './schemas/schemas.service.ts';
import { createLoginLimiter } from './sessions/login-limiter.ts';
import { createSessionOwnership, createSessionStore } from './sessions/session-store.ts';
import { createSessionService } from './sessions/sessions.service.ts';
import { createGroupCommit } from './submissions/store/group-commit.ts';
import { createIdempotencyKeys, createMovedKeyModel } from './submissions/store/idempotency-keys.ts';
import { createRecordLimits } from './submissions/store/record-limits.ts';
import { createRecordWriter } from './submissions/store/record-writer.ts';
import { createSubmissionStore } from './submissions/store/submission-store.ts';
import { createSubmissionService } from './submissions/submissions.service.ts';
import { createRecordIds } from './users/record-id.ts';
import { createRecordPages } from './users/record-pages.ts';
import { createSchemaCheckService } from './users/schema-check/schema-check.service.ts';
import { createUserStatsService } from './users/stats/stats.service.ts';
import { createUserCounts } from './users/stats/user-counts.ts';
import { createUserSearch } from './users/user-search.ts';
import { createUserStore } from './users/user-store.ts';
import { createUserModel } from './users/users.model.ts';
import { createUserService } from './users/users.service.ts';

export type Services = ReturnType<typeof createContainer>;

/**
 * Builds all services on one connection. This is the one place that knows how they fit together; nothing is shared between two calls, so a test can run
 * two servers in one process.
 *
 * @param options.passwordCost bcrypt's; lower only in tests
 * @param options.sweepEveryMs how often it looks for interrupted deletions; shorter only in tests
 */
export function createContainer(
  config: Pick<Config, 'maxArrayItems' | 'rateLimitLogin' | 'recordLimit'>,
  connection: Connection,
  logger: Logger,
  { passwordCost, sweepEveryMs = SWEEP_EVERY_MS }: { passwordCost?: number; sweepEveryMs?: number } = {},
) {
  const models = {
    apps: createAppModel(connection),
    deletedApps: createDeletedAppModel(connection),
    revisions: createRevisionModel(connection),
    schemas: createSchemaModel(connection),
    users: createUserModel(connection),
    movedKeys: createMovedKeyModel(connection),
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
  const others = [schemaStore, sessionOwnership, idempotencyKeys];
  const sweepLate = createLateSweep({ ...stored, owned: [userStore, ...others], logger, sweepEveryMs });
  const removal = createAppRemoval({ ...stored, users: userStore, others, revision, sweepLate, logger, sweepEveryMs });
  const leases = createSchemaLeases({
    findApp: (sourceAppId, readConcern) => apps.find(sourceAppId, readConcern),
    newestSchema: (app, readConcern) => schemaStore.newest(app.id, readConcern),
    readRevision: () => revision.read(),
  });
  monitorPrimary(connection, () => leases.revokeAll());
  const schemas = createSchemaService({ apps, store: schemaStore, leases, revision });
  const limits = createRecordLimits(config.recordLimit);
  const store = createSubmissionStore({
    users: collection,
    keys: idempotencyKeys,
    limits,
    writer: createGroupCommit(collection, createRecordWriter(collection)),
    newId: createRecordIds(),
    maxArrayItems: config.maxArrayItems,
  });
  const activity = createAppActivity(models.apps.collection);
  const search = createUserSearch(collection, undefined, pages);
  const users = createUserService({ schemas, store: userStore, search });
  const submissions = createSubmissionService({ apps, activity, leases, users: userStore, store, limits });
  const userStats = createUserStatsService({ apps, activity, counts: createUserCounts(collection) });
  const sessions = createSessionService({ apps, limiter: createLoginLimiter(config.rateLimitLogin) });

  return {
    apps,
    removal,
    schemas,
    schemaCheck: createSchemaCheckService({ apps, users }),
    users,
    submissions,
    userStats,
    sessions,
    sessionStore: createSessionStore(connection),

    /** Whether there is an app of that id, by a lease on it. */
    appExists: async (sourceAppId: string): Promise<boolean> => (await leases.hold(sourceAppId)) !== undefined,

    /** Lays the indexes that the promises rest on; to be awaited before anything else is asked. */
    async prepare(): Promise<void> {
      await upgradeTombstones(stored.deletedApps);
      await ensureIndexes(Object.values(models));
      await sessionOwnership.createIndexes();
    },

    /** For a server, before it listens: finishes what a crash interrupted, and goes on looking for deletions that were. */
    async start(): Promise<void> {
      await revision.bump();
      await removal.start();
    },

    /** Whether the database answers. */
    async ping(): Promise<boolean> {
      try {
        await connection.getClient().db().admin().command({ ping: 1, maxTimeMS: STATEMENT_TIME_MS });
        return true;
      } catch {
        return false; // why does not matter to who asks: the log of the failing requests tells
      }
    },

    /** Ends what runs in the background; resolves when what it had still to write is written, or cannot be. */
    async stop(): Promise<void> {
      removal.stop();
      await activity.flush().catch(() => undefined);
    },
  };
}
