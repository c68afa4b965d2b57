// @module-tag long
// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxy, type TcpProxy } from '../support/peers/proxy.ts';
import { rounds } from '../support/run/rounds.ts';
import { Ledger, summary } from './ledger.ts';
import { submit, untilServed } from './load.ts';
import { type Database, inspect, startReplicaSet, startStandalone } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const ROUNDS = rounds(50, 10);
/** Time within which the service must serve again after the database has returned. */
const RECOVERED_WITHIN_MS = 5_000;

/** A server that reaches its database through a proxy. */
interface Fixture {
  database: Database;
  proxy: TcpProxy;
  service: Service;
  close(): Promise<void>;
}

async function prepare(database: Database): Promise<Fixture> {
  const { port } = database.members[0] ?? { port: 0 };
  const proxy = await startProxy(new URL(`tcp://127.0.0.1:${port}`));
  // A direct connection stays on the proxy; the driver still detects a member of a replica set.
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

/** Sends one submission and records its outcome; resolves with the status. */
async function submitOnce(ledger: Ledger, { service }: Fixture, number: number, key?: string): Promise<number> {
  const { status, ms } = await submit(service.url, 'forms', number, key);
  ledger.record(number, status, ms);
  return status;
}

async function expectIntact(ledger: Ledger, { database }: Fixture) {
  const audit = await inspect(database.uri, (db) => ledger.audit(db.collection('users')));
  logProgress(`cut connections: ${summary(audit)}`);
  expect(audit).toMatchObject({ lost: [], twice: [], invented: [] });
  return audit;
}

describe('a connection that is cut between commit and answer (invariant 3)', () => {
  it('leads to one stored item on a replica set, where the driver retries the write', async () => {
    const fixture = await prepare(await startReplicaSet(1));
    try {
      const ledger = new Ledger();
      for (let round = 0; round < ROUNDS; round += 1) {
        // Single writes in the first half of the rounds, batches in the second.
        const numbers = Array.from({ length: round < ROUNDS / 2 ? 1 : 20 }, () => ledger.open());
        fixture.proxy.withholdAnswers('cut', 1);
        const statuses = await Promise.all(numbers.map((number) => submitOnce(ledger, fixture, number)));
        expect(statuses).toEqual(numbers.map(() => 200));
      }
      expect((await expectIntact(ledger, fixture)).unanswered).toBe(0);
    } finally {
      await fixture.close();
    }
  });

  describe('on a standalone mongod', () => {
    let fixture: Fixture;
    beforeAll(async () => {
      fixture = await prepare(await startStandalone());
    });
    afterAll(() => fixture.close());

    it('leads to a 503, and concurrent repeats with the same Idempotency-Key are applied once', async () => {
      const ledger = new Ledger();
      let refused = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const number = ledger.open();
        fixture.proxy.withholdAnswers('cut', 1);
        const first = await submitOnce(ledger, fixture, number, `key-${number}`);
        expect([200, 503]).toContain(first);
        if (first === 503) refused += 1;
        const repeats = Array.from({ length: 8 }, () => untilServed(() => submitWithKey(ledger, number)));
        await Promise.all(repeats);
      }
      expect(refused).toBeGreaterThan(0);
      const audit = await expectIntact(ledger, fixture);
      expect(audit.acknowledged).toBe(ROUNDS);
    });

    it('leaves no version of a schema whose servers are not told of it', async () => {
      const admin = await fixture.service.admin();
      const label = (text: string) => ({ fields: [{ key: 'items', label: text, kind: 'array' as const }] });
      for (let round = 0; round < 5; round += 1) {
        // The version is stored, and the answer to the write of the revision is lost.
        fixture.proxy.withholdAnswers('cut', 1, 0, 'revisions');
        await admin.putSchema('forms', label(`Round ${round}`)).expect(200);
      }
    });

    it('does not delay later submissions when three connections never answer again', async () => {
      const ledger = new Ledger();
      // The time of the last submission is written a second later; that write must not be withheld.
      await sleep(1_500);
      fixture.proxy.withholdAnswers('silent', 3);
      const stuck: Promise<number>[] = [];
      // 100 ms apart, so that each is its own batch; group commit has at most three in flight.
      for (; stuck.length < 3; await sleep(100)) stuck.push(submitOnce(ledger, fixture, ledger.open()));
      const served = await untilServed(() => submitWithKey(ledger, ledger.open()));
      logProgress(`served again ${Math.round(served)} ms after three connections stopped answering`);
      expect(served).toBeLessThan(RECOVERED_WITHIN_MS);
      // A background job may have used one of the silent connections.
      const statuses = await Promise.all(stuck);
      expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual(2);
      expect(ledger.hung).toBe(0);
    });

    async function submitWithKey(ledger: Ledger, number: number) {
      const answer = await submit(fixture.service.url, 'forms', number, `key-${number}`);
      ledger.record(number, answer.status, answer.ms);
      return answer;
    }
  });
});
