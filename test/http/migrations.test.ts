import { describe, expect, it } from 'vitest';
import type { AppDocument } from '../../src/apps/apps.model.ts';
import { loadConfig } from '../../src/core/config.ts';
import { createLogger } from '../../src/core/logger.ts';
import { connectDatabase } from '../../src/database/client.ts';
import type { ServerDocument } from '../../src/servers/servers.ts';
import { createServices } from '../../src/services.ts';
import { randomName } from '../support/databases.ts';
import { countOld, storeOldData } from '../support/old-database.ts';
import { databaseUri } from '../support/process.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { runTool } from '../support/tool.ts';

const states = ({ db }: TestServer) =>
  db.collection<{ _id: number; name: string; state: string; expansions: number }>('migrations');
const indexes = async ({ db }: TestServer, collection: string) =>
  (await db.collection(collection).indexes()).map(({ name }) => name);

const QUICK_BUILDS = { writesEndMs: 50 };

/** Prepares a database as a server does before it listens. */
async function prepare(database: string, config: Record<string, string> = {}): Promise<void> {
  const connection = await connectDatabase(databaseUri(database));
  const settings = loadConfig({ SESSION_SECRET: 'a secret of the tests', ...config });
  const services = createServices(settings, connection, createLogger({ logLevel: 'silent' }));
  try {
    await services.prepare();
  } finally {
    await services.stop();
    await connection.close();
  }
}

const EIGHT = Array.from({ length: 8 });

/** A server without migrations, whose database has the data of an earlier release. */
async function oldDatabase(): Promise<{ database: string; first: TestServer }> {
  const database = randomName();
  const first = await startServer({}, database, QUICK_BUILDS);
  await states(first).deleteMany({});
  await storeOldData(first.db);
  return { database, first };
}

const env = (database: string, more = {}) => ({
  ...{ MONGODB_URI: databaseUri(database), SESSION_SECRET: 'a secret of the tests', ...more },
});

describe('migrations at the start of servers', () => {
  it('run once when eight servers start at once on the data of an earlier release', async () => {
    const { database, first } = await oldDatabase();
    await Promise.all(EIGHT.map(() => prepare(database)));
    expect(await countOld(first.db)).toBe(0);
    expect((await states(first).find().toArray()).map(({ expansions }) => expansions)).toEqual([1, 1, 1, 1]);
    await first.close();
  });

  it('are not needed on a new database, also when eight servers start at once', async () => {
    const database = randomName();
    await Promise.all(EIGHT.map(() => prepare(database, { MIGRATE_ON_START: 'false' })));
    const server = await startServer({ MIGRATE_ON_START: 'false' }, database);
    const found = await states(server).find().sort({ _id: 1 }).toArray();
    expect(found.map(({ state, expansions }) => [state, expansions])).toEqual([
      ...[1, 2].map(() => ['expanded', 0]),
      ...[3, 4].map(() => ['contracted', 0]),
    ]);
    await server.close();
  });

  it('are run by the command when MIGRATE_ON_START is false', async () => {
    const { database, first } = await oldDatabase();
    const config = { MIGRATE_ON_START: 'false' };
    await expect(prepare(database, config)).rejects.toThrow(/missing \(1, 2, 3, 4\).*"user-collection migrate"/);

    const old = await countOld(first.db);
    const dry = await runTool(['migrate', '--dry-run'], env(database, config));
    expect(dry.stdout).toContain('2  sizes of import chunks: waiting; would run, to change: 250\n');
    expect(await countOld(first.db)).toBe(old);
    expect(await states(first).countDocuments()).toBe(0);

    expect(await runTool(['migrate'], env(database, config))).toMatchObject({ code: 0 });
    expect(await countOld(first.db)).toBe(0);
    await prepare(database, config);
    await first.close();
  });
});

describe('contractions', () => {
  const contract = (database: string) => runTool(['migrate', '--contract'], env(database));

  it('are refused while a server of an earlier release was seen', async () => {
    const { database, first } = await oldDatabase();
    const servers = first.db.collection<ServerDocument>('servers');
    const older = { ...(await servers.findOne({})), _id: 'older', levels: { reads: 0, writes: 2 } } as ServerDocument;
    await servers.insertOne(older);
    const refused = await contract(database);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`process ${process.pid}`) });
    expect(await states(first).distinct('state')).toEqual(['expanded']);

    await servers.updateOne({ _id: 'older' }, [{ $set: { seenAt: { $subtract: ['$$NOW', 61_000] } } }]);
    // A lock that was taken by a release which does not announce itself.
    const jobs = first.db.collection<{ _id: string }>('jobs');
    await jobs.insertOne({ _id: 'a job of the earlier release' });
    await jobs.updateOne({ _id: 'a job of the earlier release' }, [{ $set: { at: '$$NOW' } }]);
    expect(await contract(database)).toMatchObject({ code: 1, stderr: expect.stringContaining('does not announce') });

    await jobs.deleteOne({ _id: 'a job of the earlier release' });
    expect(await contract(database)).toMatchObject({ code: 0, stderr: expect.stringContaining('is contracted') });
    expect((await states(first).find().sort({ _id: 1 }).toArray()).map(({ state }) => state)).toEqual([
      ...['expanded', 'expanded', 'contracted', 'contracted'],
    ]);
    expect(await indexes(first, 'import_chunks')).not.toContain('importId_1');
    // None of those that this release declares, and names in its hints.
    for (const schema of first.services.collections) {
      const name = schema.options.collection;
      const declared = schema.indexes();
      if (declared.length === 0) continue;
      const kept = await first.db.collection(name).indexes();
      const keys = kept.map(({ key }) => JSON.stringify(key));
      expect(keys, name).toEqual(expect.arrayContaining(declared.map(([key]) => JSON.stringify(key))));
    }
    await first.close();
  });

  it('build the index values of dates again; the slots of the earlier release serve until then', async () => {
    const { database, first } = await oldDatabase();
    const { sourceAppId } = await first.admin.buildApp();
    const fields = [
      { key: 'day', kind: 'date' as const, indexed: true },
      { key: 'city', kind: 'text' as const, indexed: true },
    ];
    await first.admin.putSchema(sourceAppId, { fields }).expect(200);
    const apps = first.db.collection<AppDocument>('apps');
    const slots = async () => (await apps.findOne({ sourceAppId }))?.slots ?? [];
    const versions = async () => (await slots()).map(({ key, state, version }) => [key, state, version]).sort();
    await expect.poll(versions).toEqual([
      ['city', 'ready', 2],
      ['day', 'ready', 3],
    ]);
    await apps.updateOne({ sourceAppId, 'slots.key': 'day' }, { $set: { 'slots.$.version': 2 } });
    const { id } = (await slots()).find(({ key }) => key === 'day') ?? {};
    const second = await startServer({}, database, QUICK_BUILDS);
    await second.admin.putSchema(sourceAppId, { fields: [...fields, { key: 'more', kind: 'text' }] }).expect(200);
    // The job has compared the slots with this schema when it has claimed one for its next version.
    const third = { key: 'more', kind: 'text' as const, indexed: true };
    await second.admin.putSchema(sourceAppId, { fields: [...fields, third] }).expect(200);
    await expect.poll(async () => (await slots()).length).toBe(3);
    expect((await slots()).find(({ key }) => key === 'day')).toMatchObject({ id, version: 2 });

    expect(await contract(database)).toMatchObject({ code: 0 });
    await expect.poll(versions).toEqual([
      ['city', 'ready', 2],
      ['day', 'ready', 3],
      ['more', 'ready', 2],
    ]);
    await Promise.all([first.close(), second.close()]);
  });

  it('of a later release keep servers of this one from starting, and are prevented by a start', async () => {
    const { database, first } = await oldDatabase();
    const later = { _id: 99, name: 'of a later release', expansions: 1 };
    await states(first).insertOne({ ...later, state: 'expanded' });
    await prepare(database);
    await states(first).updateOne({ _id: 99 }, { $set: { state: 'checking' } });
    await prepare(database);
    expect(await states(first).findOne({ _id: 99 })).toMatchObject({ state: 'expanded' });
    await states(first).updateOne({ _id: 99 }, { $set: { state: 'contracting' } });
    await expect(prepare(database)).rejects.toThrow('migration 99, of a later release');
    await first.close();
  });
});
