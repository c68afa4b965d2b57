// @module-tag fault

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, inject, it } from 'vitest';
import { rounds } from '../support/run/rounds.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { Ledger, summary } from './ledger.ts';
import { type Answer, send, startLoad, submit, untilServed } from './load.ts';
import { inspect, type Mongod, type ReplicaSet, startReplicaSet } from './mongod.ts';
import { logProgress, Service } from './service.ts';

/** Worker processes of each server; 1: the server serves itself. */
const WORKERS = 2;
/** Submissions a second: few enough that a busy machine answers them beside nine processes. */
const RATE = rounds(30, 10);
const LIST_EVERY_MS = 200;
/** The pause between two faults, in which the load runs undisturbed. */
const PAUSE_MS = 500;
const APP = 'forms';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Part of the topology: how a fault begins, and how it ends. */
interface Fault {
  name: string;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
  /** The member of the replica set that is away, if the fault is one of a member. */
  away?(): Mongod | undefined;
}

/** The processes of deploy/replica-set/compose.yml, with a balancer instead of Caddy. */
interface Topology {
  set: ReplicaSet;
  servers: readonly Service[];
  balancer: Balancer;
}

async function startTopology(): Promise<Topology> {
  const set = await startReplicaSet(3);
  cleanups.push(() => set.stop());
  const env = { MONGODB_URI: set.uri, WORKERS: String(WORKERS) };
  const servers: Service[] = [];
  while (servers.length < 2) {
    const server = await (await Service.create(env)).start();
    cleanups.push(() => server.stop());
    servers.push(server);
  }
  const balancer = await startBalancer(servers.map(({ url }) => url));
  cleanups.push(() => balancer.close());
  return { set, servers, balancer };
}

/** The worker processes of a server, in the order of their ids. */
function workersOf({ pid }: Service): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return children
    .map(Number)
    .filter((child) => !readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('import-process'));
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) process.kill(pid, name);
}

/** A stop of processes that are looked up when it begins. */
function stopped(name: string, find: () => Promise<number[]> | number[]): Fault {
  let pids: number[] = [];
  return {
    name: `${name} stopped`,
    async begin() {
      pids = await find();
      signal(pids, 'SIGSTOP');
    },
    end: () => signal(pids, 'SIGCONT'),
  };
}

/** The faults of a member end when it is part of the set again. */
function memberFaults(name: string, find: () => Promise<Mongod>): Fault[] {
  let member: Mongod | undefined;
  const away = () => member;
  const rejoined = () =>
    member?.until(async (admin) => {
      const { isWritablePrimary, secondary } = await admin.command({ hello: 1 });
      return isWritablePrimary || secondary;
    });
  const stop = stopped(name, async () => {
    member = await find();
    return [member.pid];
  });
  return [
    {
      name: `${name} killed`,
      async begin() {
        member = await find();
        await member.kill();
      },
      async end() {
        await member?.start();
        await rejoined();
      },
      away,
    },
    {
      ...stop,
      async end() {
        await stop.end();
        await rejoined();
      },
      away,
    },
  ];
}

function serverFaults(name: string, server: Service): Fault[] {
  const killed: Fault = {
    name: `${name} killed`,
    begin: () => server.kill(),
    async end() {
      await server.start();
    },
  };
  return [killed, stopped(name, () => [server.pid, ...workersOf(server)])];
}

/** A killed worker is replaced by its server. */
function workerFaults(name: string, server: Service, index: number): Fault[] {
  const find = () => workersOf(server).slice(index, index + 1);
  const killed: Fault = {
    name: `${name} killed`,
    begin: () => signal(find(), 'SIGKILL'),
    async end() {
      while (workersOf(server).length < WORKERS) await sleep(50);
    },
  };
  return [killed, stopped(name, find)];
}

function allFaults({ set, servers }: Topology): Fault[] {
  const members = set.members.flatMap((member, index) => memberFaults(`member ${index + 1}`, async () => member));
  const each = servers.flatMap((server, number) => [
    ...serverFaults(`server ${number + 1}`, server),
    ...workersOf(server).flatMap((_, index) =>
      workerFaults(`worker ${index + 1} of server ${number + 1}`, server, index),
    ),
  ]);
  return [...members, ...memberFaults('the primary', () => set.primary()), ...each];
}

/** One kill and one stop: of a server and of the primary. */
function someFaults({ set, servers: [server] }: Topology): Fault[] {
  if (!server) throw new Error('no server');
  return [
    ...serverFaults('a server', server).slice(0, 1),
    ...memberFaults('the primary', () => set.primary()).slice(1),
  ];
}

/** Logs in as the app; resolves with the cookie of the session. */
async function logIn(url: string, password: string): Promise<string> {
  let cookies: string | string[] | undefined;
  await untilServed(async () => {
    const answer = await send(`${url}/auth/login`, { method: 'POST', body: { sourceAppId: APP, password } });
    cookies = answer.headers['set-cookie'];
    return answer;
  });
  return String(cookies).split(';')[0] ?? '';
}

/** Reads pages of the app until `stop`; resolves then with the statuses that came. */
function startListings(url: string, cookie: string): { stop(): Promise<Set<number>> } {
  const statuses = new Set<number>();
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      statuses.add((await send(`${url}/auth/users?sourceAppId=${APP}&limit=20`, { headers: { cookie } })).status);
      await sleep(LIST_EVERY_MS);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await reading;
      return statuses;
    },
  };
}

/** Resolves when a member other than `away` is the primary. */
async function elected({ members }: ReplicaSet, away: Mongod): Promise<void> {
  const others = members.filter((member) => member !== away);
  await Promise.race(
    others.map((member) => member.until(async (admin) => (await admin.command({ hello: 1 })).isWritablePrimary)),
  );
}

/** Submits one more number, as the load does. */
async function probe(url: string, ledger: Ledger): Promise<Answer> {
  const number = ledger.open();
  const answer = await submit(url, APP, number);
  ledger.record(number, answer.status, answer.ms);
  return answer;
}

it('loses nothing, stores nothing twice, and serves before the fault is over, when each process of a replica set of three and two servers behind a balancer is killed or stopped', async () => {
  const topology = await startTopology();
  const { set, servers, balancer } = topology;
  const password = (await servers[0]?.createApp(APP)) ?? '';
  const cookie = await logIn(balancer.url, password);
  for (const server of servers) expect(workersOf(server)).toHaveLength(WORKERS);

  const ledger = new Ledger();
  const load = startLoad({ urls: [balancer.url], sourceAppId: APP, ledger, rate: RATE });
  const listings = startListings(balancer.url, cookie);
  const faults = inject('thorough') ? allFaults(topology) : someFaults(topology);
  for (const fault of faults) {
    await sleep(PAUSE_MS);
    await fault.begin();
    const startedAt = performance.now();
    const since = () => Math.round(performance.now() - startedAt);
    const away = fault.away?.();
    const election = away ? elected(set, away).then(() => `a primary after ${since()} ms, `) : '';
    // Fails after a minute: no process of the topology is needed for the service to go on.
    await untilServed(() => probe(balancer.url, ledger));
    const served = since();
    logProgress(`${fault.name}: ${await election}the first submission answered after ${served} ms`);
    await fault.end();
  }
  const listed = await listings.stop();
  await load.stop();

  const audit = await inspect(set.uri, (db) => ledger.audit(db.collection('users')));
  logProgress(`${summary(audit)}; ${ledger.statuses.get(503) ?? 0} answers 503, ${ledger.statuses.get(0) ?? 0} none`);
  expect(audit).toMatchObject({ lost: [], twice: [], invented: [] });
  expect(audit.acknowledged).toBeGreaterThan(0);
  expect(ledger.unexpected).toEqual([]);
  expect([...listed].filter((status) => ![0, 200, 503].includes(status))).toEqual([]);
  expect(listed).toContain(200);
}, 900_000);
