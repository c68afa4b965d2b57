import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { MongoClient, ObjectId } from 'mongodb';
import { afterEach, describe, expect, it } from 'vitest';
import type { Tool } from '../../src/operations/cli/command.ts';
import { migrateCommand } from '../../src/operations/cli/database-commands.ts';
import { loadConfig } from '../../src/platform/core/config.ts';
import { createLogger } from '../../src/platform/core/logger.ts';
import { connectDatabase } from '../../src/platform/database/client.ts';
import { createJobLocks, createJobModel } from '../../src/platform/jobs/job-locks.ts';
import type { Migration } from '../../src/platform/migrations/migration.ts';
import {
  createMigrationModel,
  createMigrationStore,
  type MigrationDocument,
} from '../../src/platform/migrations/migrations.model.ts';
import { createMigrator, MigrationRefused } from '../../src/platform/migrations/migrator.ts';
import { createUpgrades } from '../../src/platform/migrations/upgrades.ts';
import type { ServerDocument } from '../../src/platform/servers/servers.ts';
import { createServices, type Services } from '../../src/services.ts';
import { randomName } from '../support/database/databases.ts';
import { type Note, noteMigrations } from '../support/database/note-migrations.mjs';
import { countOutdated, NOTES, storeNotes } from '../support/database/notes.ts';
import { installValidators } from '../support/database/validators.ts';
import { databaseUri } from '../support/server/process.ts';
import { startServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const SECRET = 'a secret of the tests';

/**
 * One server of a release with the first `level` migrations of the tests.
 * @param isNew whether no server has used the database
 */
async function openRelease(database: string, level = 3, isNew = false) {
  const connection = await connectDatabase(databaseUri(database));
  cleanups.push(() => connection.close());
  const db = connection.getClient().db(database);
  const jobs = createJobModel(connection);
  const migrations = noteMigrations(db.collection<Note>('notes')).slice(0, level);
  const locks = createJobLocks(jobs.collection);
  const upgrades = createUpgrades({
    connection,
    migrations,
    locks,
    clockAheadMs: () => 0,
    announceEveryMs: undefined,
    server: { workers: 1, sessionSecret: SECRET, publicUrl: null, sendsMail: false, filesBucket: null },
    isNew: async () => isNew,
    throttle: async () => undefined,
    progress: () => undefined,
  });
  cleanups.push(() => upgrades.stop());
  await installValidators(
    db,
    [jobs, ...upgrades.models].map(({ schema }) => schema),
  );
  return { ...upgrades, connection, db, locks };
}

type Release = Awaited<ReturnType<typeof openRelease>>;

const stateOf = async ({ db }: Pick<Release, 'db'>): Promise<MigrationDocument[]> =>
  db.collection<MigrationDocument>('migrations').find().sort({ _id: 1 }).toArray();
const statesOf = async (release: Release): Promise<string[]> => (await stateOf(release)).map(({ state }) => state);

/** A database with notes that no migration has changed. */
async function oldDatabase(): Promise<string> {
  const database = randomName();
  const client = await new MongoClient(databaseUri(database)).connect();
  await storeNotes(client.db());
  await client.close();
  return database;
}

const EIGHT = Array.from({ length: 8 });

describe('migrations at the start of servers', () => {
  it('run once when eight servers start at once on the data of an earlier release', async () => {
    const database = await oldDatabase();
    const releases = await Promise.all(EIGHT.map(() => openRelease(database)));
    await Promise.all(releases.map(({ prepare }) => prepare(true)));
    const [one] = releases as [Release];
    expect((await countOutdated(one.db)).notExpanded).toBe(0);
    expect((await stateOf(one)).map(({ state, expansions }) => [state, expansions])).toEqual(
      [1, 2, 3].map(() => ['expanded', 1]),
    );
  });

  it('are not needed on a new database, also when eight servers start at once', async () => {
    const database = randomName();
    const releases = await Promise.all(EIGHT.map(() => openRelease(database, 3, true)));
    await Promise.all(releases.map(({ prepare }) => prepare(false)));
    const [one] = releases as [Release];
    expect((await stateOf(one)).map(({ state, expansions }) => [state, expansions])).toEqual([
      ['contracted', 0],
      ['expanded', 0],
      ['contracted', 0],
    ]);
  });

  it('run beside those that are done already', async () => {
    const database = await oldDatabase();
    const first = await openRelease(database, 1);
    await first.prepare(true);
    const second = await openRelease(database);
    await second.prepare(true);
    expect((await stateOf(second)).map(({ changed, expansions }) => [changed, expansions])).toEqual([
      [NOTES, 1],
      [NOTES, 1],
      [0, 1],
    ]);
  });

  it('are refused when a number is missing or twice', async () => {
    const { connection, locks } = await openRelease(randomName(), 0);
    const store = createMigrationStore(createMigrationModel(connection).collection);
    const create = (numbers: number[]) => () =>
      createMigrator({
        migrations: numbers.map((number): Migration => ({ number, name: 'none' })),
        store,
        locks,
        findOlder: async () => [],
        throttle: async () => undefined,
        progress: () => undefined,
      });
    expect(create([2, 1])).not.toThrow();
    expect(create([1, 3])).toThrow('no number 2');
    expect(create([1, 1])).toThrow('no number 2');
  });
});

/** Runs the command `migrate` with the migrations of a release. */
async function migrate({ prepare, migrator }: Release, ...args: string[]): Promise<string> {
  const stdout = new PassThrough();
  const written = readAll(stdout);
  const services = { prepare: (isAllowed = true) => prepare(isAllowed), migrator } as Services;
  const tool: Tool = {
    streams: { stdin: new PassThrough(), stdout, stderr: new PassThrough() },
    env: {},
    endWith: () => undefined,
    withServices: (task) => task(services, undefined as never),
  };
  await migrateCommand(tool).parseAsync(args, { from: 'user' });
  stdout.end();
  return written;
}

describe('the command migrate', () => {
  it('runs missing migrations when servers do not, and says before what it would change', async () => {
    const release = await openRelease(await oldDatabase());
    await expect(release.prepare(false)).rejects.toThrow(/missing \(1, 2, 3\).*"user-collection-service migrate"/);

    const old = await countOutdated(release.db);
    const lines = [
      `1  sizes of notes: waiting; would run, to change: ${NOTES}`,
      `2  kinds of notes: waiting; would run, to change: ${NOTES}`,
      '3  index of notes: waiting; would run, to change: 0',
    ];
    expect(await migrate(release, '--dry-run')).toBe(`${lines.join('\n')}\n`);
    expect(await countOutdated(release.db)).toEqual(old);
    expect(await stateOf(release)).toEqual([]);

    expect(await migrate(release)).toContain(
      '1  sizes of notes: expanded; "migrate --contract" contracts it\n2  kinds',
    );
    expect(await countOutdated(release.db)).toEqual({ ...old, notExpanded: 0 });
    expect(await migrate(release, '--dry-run')).toMatch(/\nNothing is missing: no migration would run\.\n$/);
    await release.prepare(false);
  });

  it('contracts, and says before what it would change', async () => {
    const release = await openRelease(await oldDatabase());
    await release.prepare(true);
    const lines = [
      `1  sizes of notes: expanded; would be contracted, to change: ${NOTES}`,
      '2  kinds of notes: expanded',
      '3  index of notes: expanded; would be contracted, to change: 1',
    ];
    expect(await migrate(release, '--dry-run', '--contract')).toBe(`${lines.join('\n')}\n`);
    expect(await migrate(release, '--contract')).toContain('1  sizes of notes: contracted\n');
    expect(await countOutdated(release.db)).toEqual({ notExpanded: 0, notContracted: 0 });
  });

  it('of this release has nothing to do on a database of it', { tags: 'long' }, async () => {
    const server = await startServer({}, randomName());
    const env = { MONGODB_URI: databaseUri(server.database), SESSION_SECRET: SECRET };
    expect(await runTool(['migrate', '--contract'], env)).toMatchObject({ code: 0, stdout: '' });
    const stdout = 'Nothing is missing: no migration would run.\n';
    expect(await runTool(['migrate', '--dry-run'], env)).toMatchObject({ code: 0, stdout });
    await server.close();
  });
});

describe('contractions', () => {
  it('are refused while a server of an earlier release was seen', async () => {
    const database = await oldDatabase();
    const [older, release] = [await openRelease(database, 2), await openRelease(database)];
    await release.prepare(true);
    await older.start();
    await release.start();
    const refusal =
      /^Migration 3 is not contracted, because servers of an earlier release were seen .*: \S+, process \d+,/;
    await expect(release.migrator.contract()).rejects.toThrow(refusal);
    expect(await statesOf(release)).toEqual(['contracted', 'expanded', 'expanded']);

    // A server that was killed counts as running for a minute.
    const own = { _id: older.servers.own };
    const servers = release.db.collection<ServerDocument>('servers');
    await servers.updateOne(own, [{ $set: { seenAt: { $subtract: ['$$NOW', 59_000] } } }]);
    await expect(release.migrator.contract()).rejects.toThrow(refusal);
    await servers.updateOne(own, [{ $set: { seenAt: { $subtract: ['$$NOW', 61_000] } } }]);
    await release.migrator.contract();
    expect(await statesOf(release)).toEqual(['contracted', 'expanded', 'contracted']);
    expect(await countOutdated(release.db)).toEqual({ notExpanded: 0, notContracted: 0 });
  });

  it('are prevented by a server of an earlier release that starts before they begin', async () => {
    const database = await oldDatabase();
    const [older, release] = [await openRelease(database, 2), await openRelease(database)];
    await release.prepare(true);
    const migrator = createMigrator({
      migrations: noteMigrations(release.db.collection<Note>('notes')),
      store: createMigrationStore(createMigrationModel(release.connection).collection),
      locks: release.locks,
      throttle: async () => undefined,
      progress: () => undefined,
      async findOlder(number) {
        if (number === 3) await older.start();
        return [];
      },
    });
    await expect(migrator.contract()).rejects.toThrow('a server of an earlier release started');
    expect(await statesOf(release)).toEqual(['contracted', 'expanded', 'expanded']);
  });

  it('continue after a migrator that ended when it had announced one', async () => {
    const release = await openRelease(await oldDatabase());
    await release.prepare(true);
    const states = release.db.collection<MigrationDocument>('migrations');
    await states.updateOne({ _id: 1 }, { $set: { state: 'checking', turn: new ObjectId() } });
    await release.migrator.contract();
    expect(await statesOf(release)).toEqual(['contracted', 'expanded', 'contracted']);
  });

  it('keep servers of an earlier release from starting', async () => {
    const database = await oldDatabase();
    const release = await openRelease(database);
    await release.prepare(true);
    await release.migrator.contract();
    const older = await openRelease(database, 2);
    await expect(older.prepare(true)).rejects.toThrow(MigrationRefused);
    await expect(older.start()).rejects.toThrow('contracted by a later release (migration 3, index of notes)');
  });

  it('of a later release keep servers of this one from starting, and are prevented by a start', {
    tags: 'long',
  }, async () => {
    const server = await startServer({}, randomName());
    const states = server.db.collection<MigrationDocument>('migrations');
    const prepare = async (): Promise<void> => {
      const connection = await connectDatabase(databaseUri(server.database));
      const config = loadConfig({ SESSION_SECRET: SECRET });
      const services = createServices(config, connection, createLogger({ logLevel: 'silent' }));
      try {
        await services.prepare();
      } finally {
        await services.stop();
        await connection.close();
      }
    };
    const later = { _id: 99, name: 'of a later release', changed: 0, expansions: 1, contractions: 0 };
    await states.insertOne({ ...later, state: 'expanded' });
    await prepare();
    await states.updateOne({ _id: 99 }, { $set: { state: 'checking' } });
    await prepare();
    expect(await states.findOne({ _id: 99 })).toMatchObject({ state: 'expanded' });
    await states.updateOne({ _id: 99 }, { $set: { state: 'contracting' } });
    await expect(prepare()).rejects.toThrow('migration 99, of a later release');
    await server.close();
  });
});
