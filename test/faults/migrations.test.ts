import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import type { MigrationDocument } from '../../src/migrations/migrations.model.ts';
import { randomName } from '../support/databases.ts';
import { chunksOf, countOld, storeOldData } from '../support/old-database.ts';
import { databaseUri, Process } from '../support/process.ts';
import { rounds } from '../support/rounds.ts';

const AT_ONCE = 3;

describe('migrations of an old database (decision 42)', () => {
  const clients: MongoClient[] = [];
  afterAll(() => Promise.all(clients.map((client) => client.close())));

  async function oldDatabase() {
    const uri = databaseUri(randomName());
    const client = new MongoClient(uri);
    clients.push(client);
    const db = client.db();
    await storeOldData(db);
    return { uri, db, states: db.collection<MigrationDocument>('migrations') };
  }

  const migrate = (uri: string, env: Record<string, string> = {}) =>
    new Process([process.execPath, 'test/support/migrate-process.mjs'], { MONGODB_URI: uri, ...env });

  /** Each migration ran once, and nothing is left as it was. */
  async function expectMigrated({ db, states }: Awaited<ReturnType<typeof oldDatabase>>): Promise<void> {
    expect(await states.find().sort({ _id: 1 }).toArray()).toMatchObject(
      [1, 2, 3, 4].map((_id) => ({ _id, state: 'expanded', expansions: 1, contractions: 0 })),
    );
    expect(await countOld(db)).toBe(0);
  }

  it('continue after kill -9 at any statement', async () => {
    const whole = await oldDatabase();
    const { stdout, code } = await migrate(whole.uri).ended;
    expect(code).toBe(0);
    await expectMigrated(whole);
    const count = Number(/statements: (\d+)/.exec(stdout)?.[1]);
    expect(count).toBeGreaterThan(20);

    const every = rounds(1, Math.ceil(count / AT_ONCE));
    const kills = Array.from({ length: Math.floor(count / every) }, (_, index) => (index + 1) * every);
    const killAll = async (): Promise<void> => {
      for (let at = kills.shift(); at !== undefined; at = kills.shift()) {
        const database = await oldDatabase();
        const killed = await migrate(database.uri, { SIGNAL: 'SIGKILL', AT: String(at) }).ended;
        expect(killed.code, `killed at statement ${at}`).toBeNull();
        const { code: result, stderr } = await migrate(database.uri).ended;
        expect([result, stderr], `after the kill at statement ${at}`).toEqual([0, '']);
        await expectMigrated(database);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, killAll));
  });

  it('a migrator that was stopped while another took over changes nothing when it goes on', async () => {
    const database = await oldDatabase();
    const stopped = migrate(database.uri, { SIGNAL: 'SIGSTOP', AT: '2', UPDATE_OF: 'import_chunks' });
    await expect.poll(() => chunksOf(database.db).countDocuments({ size: { $exists: true } })).toBe(100);
    expect((await migrate(database.uri).ended).code).toBe(0);
    await expectMigrated(database);
    expect(stopped.child.exitCode).toBeNull();

    // A server of the earlier release writes a chunk that the stopped update names.
    await chunksOf(database.db).updateOne({ _id: 150 }, { $unset: { size: 1 } });
    const states = await database.states.find().toArray();
    stopped.child.kill('SIGCONT');
    expect((await stopped.ended).code).toBe(0);
    expect(await chunksOf(database.db).findOne({ _id: 150 })).not.toHaveProperty('size');
    expect(await database.states.find().toArray()).toEqual(states);
  });
});
