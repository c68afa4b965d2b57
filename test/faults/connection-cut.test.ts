import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxy, type TcpProxy } from '../support/proxy.ts';
import { Ledger, summary } from './ledger.ts';
import { submit, untilServed } from './load.ts';
import { type Database, inspect, startReplicaSet, startStandalone } from './mongod.ts';
import { rounds, Service, say } from './service.ts';

const ROUNDS = rounds(50, 10);
/** The promise for a database that is there again. */
const RECOVERED_WITHIN_MS = 5_000;

/** A server whose way to the database is a proxy. */
interface Bench {
  database: Database;
  proxy: TcpProxy;
  service: Service;
  close(): Promise<void>;
}

async function prepare(database: Database): Promise<Bench> {
  const { port } = database.members[0] ?? { port: 0 };
  const proxy = await startProxy(new URL(`tcp://127.0.0.1:${port}`));
  // With a direct connection the driver stays with the proxy, and still knows a member of a replica set for one.
  const MONGODB_URI = `mongodb://127.0.0.1:${proxy.port}/user-collection?directConnection=true`;
  const service = await (await Service.create({ MONGODB_URI })).start();
  await service.createApp('forms');
  return {
    database,
    proxy,
    service,
    async close() {
      proxy.restore();
      await service.stop();
      await proxy.close();
      await database.stop();
    },
  };
}

/** Sends one submission, and writes into the ledger what came of it. */
async function note(ledger: Ledger, { service }: Bench, number: number, key?: string): Promise<number> {
  const { status, ms } = await submit(service.url, 'forms', number, key);
  ledger.note(number, status, ms);
  return status;
}

async function expectIntact(ledger: Ledger, { database }: Bench) {
  const audit = await inspect(database.uri, (db) => ledger.audit(db.collection('users')));
  say(`connections cut: ${summary(audit)}`);
  expect(audit).toMatchObject({ lost: [], twice: [], invented: [] });
  return audit;
}

describe('fault 4: the connection is cut between commit and answer', () => {
  it('on a replica set the driver sends the write again, and it is applied once', async () => {
    const bench = await prepare(await startReplicaSet(1));
    try {
      const ledger = new Ledger();
      for (let round = 0; round < ROUNDS; round += 1) {
        // Alone in the first rounds, in batches in the others.
        const numbers = Array.from({ length: round < ROUNDS / 2 ? 1 : 20 }, () => ledger.open());
        bench.proxy.withholdAnswers('cut', 1);
        const statuses = await Promise.all(numbers.map((number) => note(ledger, bench, number)));
        expect(statuses).toEqual(numbers.map(() => 200));
      }
      expect((await expectIntact(ledger, bench)).unanswered).toBe(0);
    } finally {
      await bench.close();
    }
  });

  describe('on a standalone', () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await prepare(await startStandalone());
    });
    afterAll(() => bench.close());

    it('the client is told 503, and its repeats with the same Idempotency-Key, several at once, are applied once', async () => {
      const ledger = new Ledger();
      let refused = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const number = ledger.open();
        bench.proxy.withholdAnswers('cut', 1);
        const first = await note(ledger, bench, number, `key-${number}`);
        expect([200, 503]).toContain(first);
        if (first === 503) refused += 1;
        const repeats = Array.from({ length: 8 }, () => untilServed(() => submitted(ledger, number)));
        await Promise.all(repeats);
      }
      expect(refused).toBeGreaterThan(0);
      const audit = await expectIntact(ledger, bench);
      expect(audit.acknowledged).toBe(ROUNDS);
    });

    it('connections that never answer again do not hold up what comes after them', { retry: 1 }, async () => {
      const ledger = new Ledger();
      bench.proxy.withholdAnswers('silent', 3);
      const held: Promise<number>[] = [];
      // Apart in time, so that each is a batch of its own: group commit has three on the wire at most.
      for (; held.length < 3; await sleep(100)) held.push(note(ledger, bench, ledger.open()));
      const served = await untilServed(() => submitted(ledger, ledger.open()));
      say(`after three silent connections served again in ${Math.round(served)} ms`);
      expect(served).toBeLessThan(RECOVERED_WITHIN_MS);
      expect(await Promise.all(held)).toEqual([503, 503, 503]);
      expect(ledger.hung).toBe(0);
    });

    async function submitted(ledger: Ledger, number: number) {
      const answer = await submit(bench.service.url, 'forms', number, `key-${number}`);
      ledger.note(number, answer.status, answer.ms);
      return answer;
    }
  });
});
