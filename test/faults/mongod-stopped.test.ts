import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { startProxy } from '../support/proxy.ts';
import { HUNG_AFTER_MS, Ledger, summary } from './ledger.ts';
import { type Answer, send, startLoad, submit, untilServed } from './load.ts';
import { inspect, startStandalone } from './mongod.ts';
import { logProgress, rounds, Service } from './service.ts';

const OUTAGES = rounds(2, 1);
const AWAY_MS = 8_000;
const RATE = 100;
/** The promise: all is served again so soon after the database is there again. */
const RECOVERED_WITHIN_MS = 5_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** One way for a database to go away without a word. */
interface Silence {
  uri: string;
  begin(): void;
  end(): void;
}

async function stoppedProcess(): Promise<Silence> {
  const { uri, members, stop } = await startStandalone();
  cleanups.push(stop);
  return { uri, begin: () => members[0]?.signal('SIGSTOP'), end: () => members[0]?.signal('SIGCONT') };
}

async function silentNetwork(): Promise<Silence> {
  const database = await startStandalone();
  cleanups.push(() => database.stop());
  const proxy = await startProxy(new URL(database.uri));
  cleanups.push(() => proxy.close());
  const uri = new URL(database.uri);
  uri.port = String(proxy.port);
  return { uri: uri.href, begin: () => proxy.stall(), end: () => proxy.restore() };
}

it.each([
  ['mongod stopped (SIGSTOP)', stoppedProcess],
  ['a network that swallows all', silentNetwork],
] as const)(
  'fault 3: %s for 8 s under load: 503 within 3 s, /health at once, all served within 5 s of its return',
  { retry: 1 },
  async (name, prepare) => {
    const silence = await prepare();
    const service = await (await Service.create({ MONGODB_URI: silence.uri })).start();
    cleanups.push(() => service.stop());
    const password = await service.createApp('forms');
    const ledger = new Ledger();
    const ask = await asks(service.url, password, ledger);
    const load = startLoad({ urls: [service.url], sourceAppId: 'forms', ledger, rate: RATE });

    for (let outage = 1; outage <= OUTAGES; outage += 1) {
      await sleep(1_000);
      silence.begin();
      const over = performance.now() + AWAY_MS;
      await sleep(200); // what was read of an app in the last 100 ms may be answered without asking the database
      while (performance.now() < over - HUNG_AFTER_MS) await expectRefusedInTime(service.url, ask);
      await sleep(over - performance.now());
      silence.end();
      const recoveries = await Promise.all(Object.values(ask).map((one) => untilServed(one)));
      logProgress(`${name}: all served again after ${recoveries.map(Math.round).join(', ')} ms`);
      expect(Math.max(...recoveries)).toBeLessThan(RECOVERED_WITHIN_MS);
    }

    await load.stop();
    const audit = await inspect(silence.uri, (db) => ledger.audit(db.collection('users')));
    logProgress(`${name}: ${summary(audit)}; slowest answer ${Math.round(ledger.slowestMs)} ms`);
    expect(audit).toMatchObject({ lost: [], twice: [], invented: [] });
    expect([...ledger.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(ledger.hung).toBe(0);
  },
);

/** One request of each kind that needs the database. */
async function asks(url: string, password: string, ledger: Ledger): Promise<Record<string, () => Promise<Answer>>> {
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

/** All are asked at once, and /health after them: it is answered first, and the others by 503 within 3 s. */
async function expectRefusedInTime(url: string, ask: Record<string, () => Promise<Answer>>): Promise<void> {
  let answered = 0;
  const refused = Object.entries(ask).map(async ([kind, one]) => {
    const { status, ms } = await one();
    answered += 1;
    expect.soft({ kind, status }).toEqual({ kind, status: 503 });
    expect.soft(ms, kind).toBeLessThan(HUNG_AFTER_MS);
  });
  const health = await send(`${url}/health`);
  expect(health.status).toBe(200);
  expect(answered, 'answered before /health').toBe(0);
  await Promise.all(refused);
}
