import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { databaseUri } from '../support/process.ts';
import { randomName } from '../support/server.ts';
import { startAttacks } from './attacks.ts';
import { Ledger } from './ledger.ts';
import { send, startLoad } from './load.ts';
import { inspect } from './mongod.ts';
import { rounds, Service, say } from './service.ts';

const SECONDS = rounds(60, 10);
const RATE = 100;
const MAX_MEGABYTES = 600;

it(`hardening, items 8 to 12: ${SECONDS} s of attacks on one app, and every submission of another one is answered`, async () => {
  const uri = databaseUri(randomName());
  const server = await (await Service.create({ MONGODB_URI: uri })).start();
  const ledger = new Ledger();
  const health: number[] = [];
  let megabytes = 0;
  await server.createApp('forms');
  const attacks = await startAttacks(server, uri);
  try {
    const load = startLoad({ urls: [server.url], sourceAppId: 'forms', ledger, rate: RATE, repeats: false });
    for (let second = 0; second < SECONDS; second += 1) {
      await sleep(1_000);
      const { status, ms } = await send(`${server.url}/health`);
      expect(status).toBe(200);
      health.push(ms);
      megabytes = Math.max(megabytes, residentMegabytes(server.pid));
    }
    await load.stop();
    const audit = await inspect(uri, (db) => ledger.audit(db.collection('users')));
    say(
      `${audit.sent} sent, statuses ${JSON.stringify([...ledger.statuses])}, slowest ${Math.round(ledger.slowestMs)} ms, slowest /health ${Math.round(Math.max(...health))} ms, ${Math.round(megabytes)} MB at most, attacks ${JSON.stringify(attacks.counts)}`,
    );
    expect([...ledger.statuses.keys()]).toEqual([200]);
    expect({ lost: audit.lost, twice: audit.twice }).toEqual({ lost: [], twice: [] });
    expect(megabytes).toBeLessThan(MAX_MEGABYTES);
  } finally {
    await attacks.stop();
    await server.stop();
  }
});

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
