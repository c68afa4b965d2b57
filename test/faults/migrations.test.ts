// @module-tag long
// @module-tag fault

import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import type { MigrationDocument } from '../../src/platform/migrations/migrations.model.ts';
import { randomName } from '../support/database/databases.ts';
import { countOutdated, notesOf, storeNotes } from '../support/database/notes.ts';
import { rounds } from '../support/run/rounds.ts';
import { databaseUri, Process } from '../support/server/process.ts';

const AT_ONCE = 3;
/** In `npm run test:faults` each statement takes seconds. */
const LIMIT_MS = 1_200_000;

describe('migrations (decision 42)', () => {
  const clients: MongoClient[] = [];
  const processes: Process[] = [];
  afterAll(async () => {
    // After a failure some are stopped.
    await Promise.all(processes.map((one) => one.end('SIGKILL')));
    await Promise.all(clients.map((client) => client.close()));
  });

  async function oldDatabase() {
    const uri = databaseUri(randomName());
    const client = new MongoClient(uri);
    clients.push(client);
    const db = client.db();
    await storeNotes(db);
    return { uri, db, states: db.collection<MigrationDocument>('migrations') };
  }

  const migrate = (uri: string, env: Record<string, string> = {}) => {
    const command = [process.execPath, 'test/support/database/migrate-process.mjs'];
    const started = new Process(command, { MONGODB_URI: uri, ...env });
    processes.push(started);
    return started;
  };

  /** A database on which a part has to run. */
  async function databaseBefore(part: keyof typeof PARTS) {
    const database = await oldDatabase();
    if (part === 'contract') expect((await migrate(database.uri).ended).code).toBe(0);
    return database;
  }

  function statementsIn(stdout: string): number {
    const count = Number(/statements: (\d+)/.exec(stdout)?.[1]);
    expect(count).toBeGreaterThan(20);
    return count;
  }

  /** Works on each statement by its number in `npm run test:faults`, on a few in `npm test`. */
  async function atStatements(count: number, work: (at: number) => Promise<void>): Promise<void> {
    const every = rounds(1, Math.ceil(count / AT_ONCE));
    const numbers = Array.from({ length: Math.floor(count / every) }, (_, index) => (index + 1) * every);
    const workOnAll = async (): Promise<void> => {
      for (let at = numbers.shift(); at !== undefined; at = numbers.shift()) await work(at);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, workOnAll));
  }

  const PARTS = { expand: {}, contract: { CONTRACT: 'yes' } };

  /** Each part ran once, and nothing is left as it was. */
  async function expectMigrated({ db, states }: Awaited<ReturnType<typeof oldDatabase>>, part: keyof typeof PARTS) {
    const isContracted = part === 'contract';
    expect(await states.find().sort({ _id: 1 }).toArray()).toMatchObject(
      [1, 0, 1].map((contractions, index) => ({
        _id: index + 1,
        expansions: 1,
        contractions: isContracted ? contractions : 0,
        state: isContracted && contractions > 0 ? 'contracted' : 'expanded',
      })),
    );
    expect(await countOutdated(db)).toEqual({ notExpanded: 0, notContracted: isContracted ? 0 : 251 });
  }

  it.each(['expand', 'contract'] as const)(
    'continue after kill -9 at any statement (%s)',
    async (part) => {
      const whole = await databaseBefore(part);
      const { stdout, stderr, code } = await migrate(whole.uri, PARTS[part]).ended;
      expect([code, stderr]).toEqual([0, '']);
      await expectMigrated(whole, part);
      await atStatements(statementsIn(stdout), async (at) => {
        const database = await databaseBefore(part);
        const killed = await migrate(database.uri, { ...PARTS[part], SIGNAL: 'SIGKILL', AT: String(at) }).ended;
        expect(killed.code, `killed at statement ${at}`).toBeNull();
        const { code: result, stderr: errors } = await migrate(database.uri, PARTS[part]).ended;
        expect([result, errors], `after the kill at statement ${at}`).toEqual([0, '']);
        await expectMigrated(database, part);
      });
    },
    LIMIT_MS,
  );

  it.each(['expand', 'contract'] as const)(
    'change nothing late when they stopped at any statement (%s)',
    async (part) => {
      const whole = await databaseBefore(part);
      const { stdout } = await migrate(whole.uri, PARTS[part]).ended;
      await atStatements(statementsIn(stdout), async (at) => {
        const database = await databaseBefore(part);
        const stopped = migrate(database.uri, { ...PARTS[part], SIGNAL: 'SIGSTOP', AT: String(at) });
        await stopped.waitForOutput(/before statement/);
        expect((await migrate(database.uri, PARTS[part]).ended).code, `stopped at statement ${at}`).toBe(0);
        await expectMigrated(database, part);

        // As a server of the release before writes it, and as a late update would change it.
        const notes = notesOf(database.db);
        await notes.updateOne({ _id: 50 }, part === 'expand' ? { $unset: { size: 1 } } : { $set: { length: 1 } });
        const note = await notes.findOne({ _id: 50 });
        const states = await database.states.find().toArray();
        stopped.child.kill('SIGCONT');
        const { code, stderr } = await stopped.ended;
        // A connection that it waited for may have timed out.
        if (code !== 0) expect(stderr, `stopped at statement ${at}`).toMatch(/[Tt]imed out/);
        expect(await notes.findOne({ _id: 50 }), `stopped at statement ${at}`).toEqual(note);
        expect(await database.states.find().toArray(), `stopped at statement ${at}`).toEqual(states);
      });
    },
    LIMIT_MS,
  );

  it('a migrator that was stopped while another took over changes nothing when it goes on', async () => {
    const database = await oldDatabase();
    const notes = notesOf(database.db);
    const stopped = migrate(database.uri, { SIGNAL: 'SIGSTOP', AT: '2', UPDATE_OF: 'notes' });
    await expect.poll(() => notes.countDocuments({ size: { $exists: true } })).toBe(100);
    expect((await migrate(database.uri).ended).code).toBe(0);
    await expectMigrated(database, 'expand');
    expect(stopped.child.exitCode).toBeNull();

    // A server of the release before writes a note that the stopped update names.
    await notes.updateOne({ _id: 150 }, { $unset: { size: 1 } });
    const states = await database.states.find().toArray();
    stopped.child.kill('SIGCONT');
    expect((await stopped.ended).code).toBe(0);
    expect(await notes.findOne({ _id: 150 })).not.toHaveProperty('size');
    expect(await database.states.find().toArray()).toEqual(states);
  });

  it('a contraction that was stopped while another migrator did it ends without an error', async () => {
    const database = await databaseBefore('contract');
    // Its first update announces the contraction, the second begins it.
    const stopped = migrate(database.uri, { ...PARTS.contract, SIGNAL: 'SIGSTOP', AT: '2', UPDATE_OF: 'migrations' });
    await expect.poll(() => database.states.countDocuments({ state: 'checking' })).toBe(1);
    expect((await migrate(database.uri, PARTS.contract).ended).code).toBe(0);
    const states = await database.states.find().toArray();
    stopped.child.kill('SIGCONT');
    expect(await stopped.ended).toMatchObject({ code: 0, stderr: '' });
    expect(await database.states.find().toArray()).toEqual(states);
  });
});
