import { availableParallelism } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { type Attacks, startAttacks } from './attacks.ts';
import { startFileLoad } from './file-load.ts';
import { Ledger, summary } from './ledger.ts';
import { startLoad } from './load.ts';
import { inspect, type ReplicaSet, startReplicaSet } from './mongod.ts';
import { logProgress, Service } from './service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    soakMinutes?: number;
  }
}

const FAULT_INTERVAL_MS = 10_000;
const MINUTE_MS = 60_000;
/** Three mongods, two servers and the writers need idle time on the machine (reliability.md). */
const IS_SMALL = availableParallelism() < 4;
const RATE = IS_SMALL ? 100 : 300;
/** The reads of an operator's flood that are sent at the same time. */
const READS_AT_ONCE = IS_SMALL ? 2 : 150;
const MINUTES = inject('soakMinutes') ?? 15;

/** In production MongoDB has machines of its own. Here it takes the processors last. */
const NICENESS = IS_SMALL ? 10 : 0;

/** A fault; `run` resolves when it is over. */
interface Fault {
  name: string;
  run(): Promise<unknown>;
}

it(`keeps every acknowledged write for ${MINUTES} minutes at ${RATE} writes per second with a random fault about every 10 s (invariants 1 and 3)`, async () => {
  const set = await startReplicaSet(3, { niceness: NICENESS });
  const startServer = async () => (await Service.create({ MONGODB_URI: set.uri })).start();
  const servers: [Service, Service] = [await startServer(), await startServer()];
  const faults = createFaults(set, servers);
  const ledger = new Ledger();
  let attacks: Attacks | undefined;
  // On a busy machine the event loop of this process adds to the measured answer times.
  const eventLoopDelay = monitorEventLoopDelay();
  eventLoopDelay.enable();
  try {
    await servers[0].createApp('forms');
    attacks = await startAttacks(servers[0], set.uri, READS_AT_ONCE);
    await servers[0].createApp('files');
    const admin = await servers[0].admin();
    await admin.putSchema('files', { fields: [{ key: 'cv', kind: 'file', types: ['txt'] }] }).expect(200);
    const urls = servers.map(({ url }) => url);
    const cookie = await servers[0].cookie();
    const files = startFileLoad({ urls, sourceAppId: 'files', field: 'cv', writers: 2, cookie, pauseMs: 500 });
    const load = startLoad({ urls, sourceAppId: 'forms', ledger, rate: RATE });
    const startedAt = performance.now();
    for (let fault = 1; performance.now() - startedAt < MINUTES * MINUTE_MS; fault += 1) {
      const next = performance.now() + FAULT_INTERVAL_MS * (0.5 + Math.random());
      const { name, run } = pick(faults);
      await run();
      report(performance.now() - startedAt, fault, name, ledger);
      expect(servers.flatMap(({ endingErrors }) => endingErrors)).toEqual([]);
      await sleep(Math.max(0, next - performance.now()));
    }
    await Promise.all([load.stop(), files.stop()]);
    logProgress(`attacks: ${JSON.stringify(attacks.counts)}`);
    const audit = await inspect(set.uri, (db) => ledger.audit(db.collection('users')));
    const { lost, twice, invented } = audit;
    logProgress(summary(audit));
    const statuses = [...ledger.statuses].map(([status, times]) => `${status || 'none'} ${times}`);
    logProgress(`answers by status: ${statuses.join(', ')}`);
    logProgress(
      `hung over 3 s ${ledger.hung}; slowest ${Math.round(ledger.slowestMs)} ms; longest event loop delay of the writers ${Math.round(eventLoopDelay.max / 1e6)} ms`,
    );
    logProgress(`files: ${JSON.stringify(files.counts)}`);
    expect(files.unexpected).toEqual([]);
    await inspect(set.uri, async (db) => {
      expect(await files.audit(db)).toEqual([]);
      await expect.poll(() => files.countUnnamed(db), { timeout: 120_000, interval: 1_000 }).toBe(0);
    });
    expect({ lost, twice, invented, hung: ledger.hung, unexpected: ledger.unexpected }).toEqual({
      lost: [],
      twice: [],
      invented: [],
      hung: 0,
      unexpected: [],
    });
  } finally {
    await attacks?.stop();
    await Promise.all(servers.map((server) => server.stop()));
    await set.stop();
  }
});

function createFaults(set: ReplicaSet, servers: readonly Service[]): Fault[] {
  return [
    {
      name: 'kill -9 of a server',
      async run() {
        const server = pick(servers);
        await server.kill();
        await server.start();
      },
    },
    {
      name: 'SIGTERM of a server',
      async run() {
        const server = pick(servers);
        const ended = await server.stop();
        expect(ended?.code, server.endingErrors.join('\n')).toBe(0);
        await server.start();
      },
    },
    {
      name: 'kill -9 of the primary',
      async run() {
        const primary = await set.primary();
        await primary.kill();
        await set.primary();
        await primary.start();
      },
    },
    {
      name: 'kill -9 of a member',
      async run() {
        const member = pick(set.members);
        await member.kill();
        await member.start();
      },
    },
    {
      name: 'step-down of the primary',
      async run() {
        const primary = await set.primary();
        await primary.ask((admin) => admin.command({ replSetStepDown: 5, secondaryCatchUpPeriodSecs: 2, force: true }));
        await set.primary();
      },
    },
    {
      name: 'primary stopped for 8 s',
      async run() {
        const primary = await set.primary();
        primary.signal('SIGSTOP');
        await sleep(8_000);
        primary.signal('SIGCONT');
        await set.primary();
      },
    },
    {
      name: 'all members stopped for 4 s',
      async run() {
        for (const member of set.members) member.signal('SIGSTOP');
        await sleep(4_000);
        for (const member of set.members) member.signal('SIGCONT');
        await set.primary();
      },
    },
  ];
}

/** Returns a random element. */
function pick<T>(choices: readonly T[]): T {
  const choice = choices[Math.floor(Math.random() * choices.length)];
  if (choice === undefined) throw new Error('pick() needs a non-empty array');
  return choice;
}

function report(elapsedMs: number, fault: number, name: string, ledger: Ledger): void {
  const elapsed = `${Math.round(elapsedMs / 1_000)} s of ${MINUTES * 60} s`;
  logProgress(
    `${elapsed}: fault ${fault}, ${name}; ${ledger.acknowledged} acknowledged, hung ${ledger.hung} ${JSON.stringify(ledger.late.slice(-1))}`,
  );
}
