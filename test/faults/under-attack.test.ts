// @module-tag long
// @module-tag fault

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { rounds } from '../support/run/rounds.ts';
import { databaseUri } from '../support/server/process.ts';
import { startAttacks } from './attacks.ts';
import { Ledger } from './ledger.ts';
import { send, startLoad } from './load.ts';
import { inspect } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const SECONDS = rounds(60, 5);
const RATE = rounds(100, 20);
const MAX_MEGABYTES = 600;

it(`accepts every submission and page of one app during ${SECONDS} s of attacks on another app (invariant 7)`, async () => {
  const uri = databaseUri(randomName());
  const server = await (await Service.create({ MONGODB_URI: uri })).start();
  const ledger = new Ledger();
  const healthMs: number[] = [];
  let maxMegabytes = 0;
  const password = await server.createApp('forms');
  const login = await send(`${server.url}/auth/login`, { method: 'POST', body: { sourceAppId: 'forms', password } });
  const cookie = String(login.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  const pages: number[] = [];
  const attacks = await startAttacks(server, uri);
  try {
    const load = startLoad({ urls: [server.url], sourceAppId: 'forms', ledger, rate: RATE, repeats: false });
    for (let second = 0; second < SECONDS; second += 1) {
      await sleep(1_000);
      const { status, ms } = await send(`${server.url}/health`);
      expect(status).toBe(200);
      healthMs.push(ms);
      pages.push((await send(`${server.url}/auth/users?limit=10&total=capped`, { headers: { cookie } })).status);
      maxMegabytes = Math.max(maxMegabytes, residentMegabytes(server.pid));
    }
    await load.stop();
    const audit = await inspect(uri, (db) => ledger.audit(db.collection('users')));
    logProgress(
      `${audit.sent} sent, statuses ${JSON.stringify([...ledger.statuses])}, slowest ${Math.round(ledger.slowestMs)} ms, slowest /health ${Math.round(Math.max(...healthMs))} ms, ${Math.round(maxMegabytes)} MB at most, attacks ${JSON.stringify(attacks.counts)}`,
    );
    expect([...ledger.statuses.keys()]).toEqual([200]);
    expect({ lost: audit.lost, twice: audit.twice }).toEqual({ lost: [], twice: [] });
    expect([...new Set(pages)]).toEqual([200]);
    expect(maxMegabytes).toBeLessThan(MAX_MEGABYTES);
  } finally {
    await attacks.stop();
    await server.stop();
  }
});

/** The resident memory of a process, in MB, as `/proc` reports it. */
function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
