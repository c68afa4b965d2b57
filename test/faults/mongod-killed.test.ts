// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { rounds } from '../support/run/rounds.ts';
import { DataDir } from './data-dir.ts';
import { type Audit, Ledger, summary } from './ledger.ts';
import { startLoad, submit, untilServed } from './load.ts';
import { inspect, type ReplicaSet, startReplicaSet } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const ROUNDS = rounds(5, 1);
const RATE = 100;
/** Time within which the service must serve again after the database has returned. */
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

/**
 * Runs each fault in turn under load. After each it measures the time from the return of the
 * database to the first accepted submission, in milliseconds.
 */
async function underLoad(service: Service, faults: readonly { name: string; run(): Promise<void> }[]) {
  const ledger = new Ledger();
  const load = startLoad({ urls: [service.url], sourceAppId: 'forms', ledger, rate: RATE });
  const recoveries: number[] = [];
  for (const { name, run } of faults) {
    await sleep(1_000);
    await run();
    const recovered = await untilServed(async () => {
      const number = ledger.open();
      const answer = await submit(service.url, 'forms', number);
      ledger.record(number, answer.status, answer.ms);
      return answer;
    });
    logProgress(`${name}: served again ${Math.round(recovered)} ms after the database`);
    recoveries.push(recovered);
  }
  await load.stop();
  return { ledger, slowestRecovery: Math.max(...recoveries) };
}

function expectIntact(audit: Audit, ledger: Ledger): void {
  logProgress(`${summary(audit)}; slowest answer ${Math.round(ledger.slowestMs)} ms`);
  expect(audit).toMatchObject({ lost: [], twice: [], invented: [] });
  expect(audit.acknowledged).toBeGreaterThan(0);
  // The server itself kept running, so no client connection may break.
  expect([...ledger.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
}

const repeated = <Fault>(faults: Fault[]): Fault[] => Array.from({ length: ROUNDS }, () => faults).flat();

describe('the service under load', () => {
  it('restarts the embedded mongod after kill -9 and keeps every acknowledged write once (invariants 1 and 3)', async () => {
    const dataDir = await DataDir.create();
    cleanups.push(() => dataDir.remove());
    const service = await startService({ DATA_DIR: dataDir.path });
    const uri = await dataDir.uri();
    const killed = {
      name: 'embedded mongod killed',
      async run() {
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

  it('answers only 200 and 503 and keeps every acknowledged write once while the primary of three members is killed and steps down in turn', async () => {
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
    async run() {
      const primary = await set.primary();
      await primary.kill();
      await set.primary();
      // Without this member the next kill would leave no majority.
      void primary.start();
    },
  };
}

function primaryStepsDown(set: ReplicaSet) {
  return {
    name: 'primary stepped down',
    async run() {
      const primary = await set.primary();
      await primary.ask((admin) => admin.command({ replSetStepDown: 5, secondaryCatchUpPeriodSecs: 2, force: true }));
      await set.primary();
    },
  };
}
