import type { Connection } from '../database/client.ts';
import type { CollectionIndexes } from '../database/indexes.ts';
import type { JobLocks } from '../jobs/job-locks.ts';
import {
  createAnnouncement,
  createServerModel,
  listServers,
  runningServers,
  type ServerSettings,
  VERSION,
} from '../servers/servers.ts';
import type { Migration } from './migration.ts';
import { createMigrationModel, createMigrationStore } from './migrations.model.ts';
import { createMigrator, MigrationRefused } from './migrator.ts';

/**
 * What lets releases run beside each other on one database: migrations, and the announcement of
 * this server, by which others know its level (decision 42).
 */
export function createUpgrades(deps: {
  connection: Connection;
  locks: JobLocks;
  migrations: readonly Migration[];
  server: Omit<ServerSettings, 'version' | 'level' | 'poolSize'>;
  clockAheadMs(): number;
  announceEveryMs: number | undefined;
  /** Resolves with whether no server has used the database. */
  isNew(): Promise<boolean>;
  /** Called between steps of a migration, so that submissions pass. */
  throttle(begun: number, signal: AbortSignal): Promise<void>;
  progress(line: string): void;
  /** Called when the database was contracted beyond this release while the process was paused. */
  onOutdated?: ((error: Error) => void) | undefined;
}) {
  const { connection, locks, throttle, progress, isNew } = deps;
  const poolSize = connection.getClient().options.maxPoolSize;
  const serverModel = createServerModel(connection);
  const migrationModel = createMigrationModel(connection);
  const servers = serverModel.collection;
  const migrator = createMigrator({
    migrations: deps.migrations,
    store: createMigrationStore(migrationModel.collection),
    locks,
    findOlder,
    throttle,
    progress,
  });
  const announcement = createAnnouncement(
    servers,
    { ...deps.server, version: VERSION, level: migrator.level, poolSize },
    { clockAheadMs: deps.clockAheadMs, renewEveryMs: deps.announceEveryMs, onReturn: () => void admitAgain() },
  );

  async function admitAgain(): Promise<void> {
    try {
      await migrator.admit();
    } catch (error) {
      if (error instanceof MigrationRefused) deps.onOutdated?.(error);
    }
  }

  async function findOlder(level: number): Promise<string[]> {
    const older = (await runningServers(servers)).filter((server) => server.level < level);
    return older.map(({ host, pid, version }) => `${host}, process ${pid}, version ${version}`);
  }

  const models: CollectionIndexes[] = [serverModel, migrationModel];
  return {
    models,
    migrator,
    servers: { list: () => listServers(servers), own: announcement.id },

    /**
     * Runs missing migrations; a new database needs none.
     * @param migrate false: it runs none
     * @throws {MigrationRefused} when one is missing, or a later release has contracted the
     *   database
     */
    async prepare(migrate: boolean): Promise<void> {
      await migrator.admit();
      if (await isNew()) await migrator.skipAll();
      else if (migrate) await migrator.expand();
      else await migrator.requireAll();
    },

    /**
     * Announces this server.
     * @throws {MigrationRefused} when a later release has contracted the database meanwhile
     */
    async start(): Promise<void> {
      await announcement.start();
      await migrator.admit();
    },

    /** Withdraws the announcement. Call it when the server writes no more. */
    stop: announcement.stop,
  };
}
