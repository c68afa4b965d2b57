import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { DataDir } from './data-dir.ts';
import { Ledger, summary } from './ledger.ts';
import { send, startLoad, untilServed } from './load.ts';
import { inspect, startReplicaSet } from './mongod.ts';
import { rounds, Service, say } from './service.ts';

const ROUNDS = rounds(20, 3);
const RATE = 100;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** What a service is told of its database, and where that is to be found afterwards. */
interface Where {
  env: Record<string, string>;
  uri(): Promise<string>;
}

async function embedded(): Promise<Where> {
  const dataDir = await DataDir.create();
  cleanups.push(() => dataDir.remove());
  return { env: { DATA_DIR: dataDir.path }, uri: async () => dataDir.uri() };
}

async function replicaSet(): Promise<Where> {
  const database = await startReplicaSet(1);
  cleanups.push(() => database.stop());
  return { env: { MONGODB_URI: database.uri }, uri: async () => database.uri };
}

it.each([
  ['the embedded default', embedded],
  ['a replica set', replicaSet],
] as const)(
  `fault 1: kill -9 of the server under load on %s, ${ROUNDS} times: nothing lost, nothing twice`,
  async (name, prepare) => {
    const where = await prepare();
    const service = await (await Service.create(where.env)).start();
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
      say(`${name}: kill ${round} of ${ROUNDS}, ${ledger.acknowledged - before} acknowledged in this round`);
    }
    await load.stop();
    const audit = await inspect(await where.uri(), (db) => ledger.audit(db.collection('users')));
    say(`${name}: ${summary(audit)}`);
    expect(audit).toMatchObject({ lost: [], twice: [], invented: [] });
    expect(audit.acknowledged).toBeGreaterThan(ROUNDS);
    expect(ledger.unexpected).toEqual([]);
  },
);
