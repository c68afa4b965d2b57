// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { startProxy } from '../support/peers/proxy.ts';
import { rounds } from '../support/run/rounds.ts';
import { HUNG_AFTER_MS, Ledger, summary } from './ledger.ts';
import { type Answer, send, startLoad, submit, untilServed } from './load.ts';
import { inspect, startStandalone } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const OUTAGES = rounds(2, 1);
const OUTAGE_MS = 8_000;
const RATE = 100;
/** Time within which everything must be served again after the database has returned. */
const RECOVERED_WITHIN_MS = 5_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A database that can stop answering while its connections stay open. */
interface SilentDatabase {
  uri: string;
  begin(): void;
  end(): void;
}

async function stoppedProcess(): Promise<SilentDatabase> {
  const { uri, members, stop } = await startStandalone();
  cleanups.push(stop);
  return { uri, begin: () => members[0]?.signal('SIGSTOP'), end: () => members[0]?.signal('SIGCONT') };
}

async function silentNetwork(): Promise<SilentDatabase> {
  const database = await startStandalone();
  cleanups.push(() => database.stop());
  const proxy = await startProxy(new URL(database.uri));
  cleanups.push(() => proxy.close());
  const uri = new URL(database.uri);
  uri.port = String(proxy.port);
  return { uri: uri.href, begin: () => proxy.stall(), end: () => proxy.restore() };
}

it.each([
  ['a stopped mongod (SIGSTOP)', stoppedProcess],
  ['a network that drops all data', silentNetwork],
] as const)(
  'answers 503 within 3 s and /health at once during 8 s of %s, and serves all within 5 s after it',
  async (name, prepare) => {
    const database = await prepare();
    const service = await (await Service.create({ MONGODB_URI: database.uri })).start();
    cleanups.push(() => service.stop());
    const password = await service.createApp('forms');
    const ledger = new Ledger();
    const requests = await createRequests(service.url, password, ledger);
    const load = startLoad({ urls: [service.url], sourceAppId: 'forms', ledger, rate: RATE });

    for (let outage = 1; outage <= OUTAGES; outage += 1) {
      await sleep(1_000);
      database.begin();
      const endsAt = performance.now() + OUTAGE_MS;
      // Until no lease is left; a lease answers some requests without the database.
      await sleep(200);
      while (performance.now() < endsAt - HUNG_AFTER_MS) await expectRefusedInTime(service.url, requests);
      await sleep(endsAt - performance.now());
      database.end();
      const recoveries = await Promise.all(Object.values(requests).map((request) => untilServed(request)));
      logProgress(`${name}: all served again after ${recoveries.map(Math.round).join(', ')} ms`);
      expect(Math.max(...recoveries)).toBeLessThan(RECOVERED_WITHIN_MS);
    }

    await load.stop();
    const audit = await inspect(database.uri, (db) => ledger.audit(db.collection('users')));
    logProgress(`${name}: ${summary(audit)}; slowest answer ${Math.round(ledger.slowestMs)} ms`);
    expect(audit).toMatchObject({ lost: [], twice: [], invented: [] });
    expect([...ledger.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(ledger.hung).toBe(0);
  },
);

type Requests = Record<string, () => Promise<Answer>>;

/** Logs in, and returns one request of each kind that needs the database. */
async function createRequests(url: string, password: string, ledger: Ledger): Promise<Requests> {
  const body = { sourceAppId: 'forms', password };
  const logIn = () => send(`${url}/auth/login`, { method: 'POST', body });
  const cookie = String((await logIn()).headers['set-cookie']).split(';')[0] ?? '';
  return {
    async submission() {
      const number = ledger.open();
      const answer = await submit(url, 'forms', number);
      ledger.record(number, answer.status, answer.ms);
      return answer;
    },
    listing: () => send(`${url}/auth/users`, { headers: { cookie } }),
    logIn,
    session: () => send(`${url}/auth/session`, { headers: { cookie } }),
  };
}

/**
 * Sends all requests, then GET /health. Expects the answer to /health first, and a 503 within 3 s
 * for each of the others.
 */
async function expectRefusedInTime(url: string, requests: Requests): Promise<void> {
  let answered = 0;
  const refused = Object.entries(requests).map(async ([kind, request]) => {
    const { status, ms } = await request();
    answered += 1;
    expect.soft({ kind, status }).toEqual({ kind, status: 503 });
    expect.soft(ms, kind).toBeLessThan(HUNG_AFTER_MS);
  });
  const health = await send(`${url}/health`);
  expect(health.status).toBe(200);
  expect(answered, 'answered before /health').toBe(0);
  await Promise.all(refused);
}
