import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { DataDir } from './data-dir.ts';
import { type Audit, Ledger, summary } from './ledger.ts';
import { startLoad, submit, untilServed } from './load.ts';
import { inspect, type ReplicaSet, startReplicaSet } from './mongod.ts';
import { logProgress, rounds, Service } from './service.ts';

const ROUNDS = rounds(5, 1);
const RATE = 100;
/** The promise: served again so soon after the database is there again. */
const RECOVERED_WITHIN_MS = 5_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function startService(env: Record<string, string>): Promise<Service> {
  const service = await (await Service.create(env)).start();
  cleanups.push(() => service.stop());
  await service.createApp('forms');
  return service;
}

/** Under load, does each fault in turn, and measures from when the database is there again until a submission is accepted. */
async function underLoad(service: Service, faults: readonly { name: string; strike(): Promise<void> }[]) {
  const ledger = new Ledger();
  const load = startLoad({ urls: [service.url], sourceAppId: 'forms', ledger, rate: RATE });
  const recoveries: number[] = [];
  for (const { name, strike } of faults) {
    await sleep(1_000);
    await strike();
    const recovered = await untilServed(async () => {
      const number = ledger.open();
      const answer = await submit(service.url, 'forms', number);
      ledger.record(number, answer.status, answer.ms);
      return answer;
    });
    logProgress(`${name}: served again ${Math.round(recovered)} ms after the database was`);
    recoveries.push(recovered);
  }
  await load.stop();
  return { ledger, slowestRecovery: Math.max(...recoveries) };
}

function expectIntact(audit: Audit, ledger: Ledger): void {
  logProgress(`${summary(audit)}; slowest answer ${Math.round(ledger.slowestMs)} ms`);
  expect(audit).toMatchObject({ lost: [], twice: [], invented: [] });
  expect(audit.acknowledged).toBeGreaterThan(0);
  // The server itself was never away, so not even a connection may break.
  expect([...ledger.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
}

const repeated = <Fault>(faults: Fault[]): Fault[] => Array.from({ length: ROUNDS }, () => faults).flat();

describe('fault 2', () => {
  it('kill -9 of the embedded mongod under load: it is started again, nothing lost, nothing twice', {
    retry: 1,
  }, async () => {
    const dataDir = await DataDir.create();
    cleanups.push(() => dataDir.remove());
    const service = await startService({ DATA_DIR: dataDir.path });
    const uri = await dataDir.uri();
    const killed = {
      name: 'embedded mongod killed',
      async strike() {
        const pid = await dataDir.mongodPid();
        process.kill(pid, 'SIGKILL');
        while ((await dataDir.mongodPid().catch(() => pid)) === pid) await sleep(50);
        await inspect(uri, (db) => db.command({ ping: 1 }));
      },
    };
    const { ledger, slowestRecovery } = await underLoad(service, repeated([killed]));
    expectIntact(await inspect(uri, (db) => ledger.audit(db.collection('users'))), ledger);
    expect(slowestRecovery).toBeLessThan(RECOVERED_WITHIN_MS);
  });

  it('a replica set of 3 under load, its primary killed and stepped down in turn: only 200 and 503, nothing lost, nothing twice', {
    retry: 1,
  }, async () => {
    const set = await startReplicaSet(3);
    cleanups.push(() => set.stop());
    const service = await startService({ MONGODB_URI: set.uri });
    const faults = repeated([primaryKilled(set), primaryStepsDown(set)]);
    const { ledger, slowestRecovery } = await underLoad(service, faults);
    expectIntact(await inspect(set.uri, (db) => ledger.audit(db.collection('users'))), ledger);
    expect(slowestRecovery).toBeLessThan(RECOVERED_WITHIN_MS);
  });
});

function primaryKilled(set: ReplicaSet) {
  return {
    name: 'primary killed',
    async strike() {
      const primary = await set.primary();
      await primary.kill();
      await set.primary();
      // The one that was killed comes back as a secondary, or the next kill would leave no majority.
      void primary.start();
    },
  };
}

function primaryStepsDown(set: ReplicaSet) {
  return {
    name: 'primary stepped down',
    async strike() {
      const primary = await set.primary();
      await primary.ask((admin) => admin.command({ replSetStepDown: 5, secondaryCatchUpPeriodSecs: 2, force: true }));
      await set.primary();
    },
  };
}
