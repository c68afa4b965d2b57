// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { rounds } from '../support/run/rounds.ts';
import { DataDir } from './data-dir.ts';
import { Ledger, summary } from './ledger.ts';
import { send, startLoad, untilServed } from './load.ts';
import { inspect, startReplicaSet } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const ROUNDS = rounds(20, 3);
const RATE = 100;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A database for the service. */
interface DatabaseFixture {
  /** The environment variables that select it. */
  env: Record<string, string>;
  /** Its URI, known once the service has started. */
  uri(): Promise<string>;
}

async function embedded(): Promise<DatabaseFixture> {
  const dataDir = await DataDir.create();
  cleanups.push(() => dataDir.remove());
  return { env: { DATA_DIR: dataDir.path }, uri: async () => dataDir.uri() };
}

async function replicaSet(): Promise<DatabaseFixture> {
  const database = await startReplicaSet(1);
  cleanups.push(() => database.stop());
  return { env: { MONGODB_URI: database.uri }, uri: async () => database.uri };
}

it.each([
  ['the embedded database', embedded],
  ['a replica set', replicaSet],
] as const)(
  `keeps every acknowledged write once through ${ROUNDS} kills of the server on %s (invariants 1 and 3)`,
  async (name, prepare) => {
    const database = await prepare();
    const service = await (await Service.create(database.env)).start();
    cleanups.push(() => service.stop());
    await service.createApp('forms');
    const ledger = new Ledger();
    const load = startLoad({ urls: [service.url], sourceAppId: 'forms', ledger, rate: RATE });
    for (let round = 1; round <= ROUNDS; round += 1) {
      const before = ledger.acknowledged;
      await untilServed(() => send(`${service.url}/ready`));
      await sleep(300 + Math.random() * 700);
      await service.kill();
      await service.start();
      logProgress(`${name}: kill ${round} of ${ROUNDS}, ${ledger.acknowledged - before} acknowledged in this round`);
    }
    await load.stop();
    const audit = await inspect(await database.uri(), (db) => ledger.audit(db.collection('users')));
    logProgress(`${name}: ${summary(audit)}`);
    expect(audit).toMatchObject({ lost: [], twice: [], invented: [] });
    expect(audit.acknowledged).toBeGreaterThan(ROUNDS);
    expect(ledger.unexpected).toEqual([]);
  },
);
