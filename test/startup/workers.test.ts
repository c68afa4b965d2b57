// @module-tag long

import { readdir, readFile, readlink } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../src/platform/database/client.ts';
import { solve } from '../../web/embed/proof-of-work.ts';
import { Ledger } from '../faults/ledger.ts';
import { startLoad } from '../faults/load.ts';
import { randomName } from '../support/database/databases.ts';
import { Client } from '../support/server/client.ts';
import { databaseUri, Leftovers, ServerProcess } from '../support/server/process.ts';

const WORKERS = 2;
const FAILURES = 3;
const METRICS_TOKEN = 'the-token-of-the-workers-test';
const PROGRAM = ['node', 'dist/server.js'];

const leftovers = new Leftovers();
const MONGODB_URI = databaseUri(randomName());
const env = {
  MONGODB_URI,
  METRICS_TOKEN,
  WORKERS: String(WORKERS),
  LOG_LEVEL: 'info',
  TRUST_PROXY: '1',
  RATE_LIMIT_LOGIN: String(FAILURES),
  SESSION_SECRET: 'of the workers test',
};

let server: ServerProcess;
let url: string;
let admin: Client;
beforeAll(async () => {
  server = leftovers.keep(new ServerProcess(env, PROGRAM));
  url = await server.url();
  admin = await new Client(url).logIn('admin', await server.adminPassword());
});
afterAll(() => leftovers.clear());

/** The process ids of the workers, of those too that still start. */
async function workersOf({ pid }: ServerProcess): Promise<number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')).trim().split(' ');
  const commands = children.map((child) => readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(commands)).flatMap((command, index) =>
    command.includes('worker-process') ? Number(children[index]) : [],
  );
}

/** The places whose worker ended, and that do not serve again. */
function missing(log: string): number {
  const last = new Map<string, boolean>();
  for (const [, place = '', message] of log.matchAll(/"worker":(\d+).*"msg":"(.*?)"/g)) {
    last.set(place, message === 'a worker serves again');
  }
  return [...last.values()].filter((serves) => !serves).length;
}

const allServe = () =>
  expect.poll(async () => [(await workersOf(server)).length, missing(server.stdout)]).toEqual([WORKERS, 0]);
const ends = (log: string): number => log.split('a worker ended and will be started again').length - 1;

/** Kills a worker; resolves when the server knows. */
async function kill(worker: number): Promise<void> {
  const before = ends(server.stdout);
  process.kill(worker, 'SIGKILL');
  await expect.poll(() => ends(server.stdout)).toBeGreaterThan(before);
}

/** Sends a request on a connection of its own; any worker gets it. */
function ask(path: string, headers: Record<string, string> = {}, agent = new Agent()): Promise<number> {
  return new Promise((resolve) => {
    const request = get(url + path, { agent, headers, timeout: 10_000 }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(0));
  });
}

async function socketsOf(worker: number): Promise<number> {
  const folder = `/proc/${worker}/fd`;
  const targets = (await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => ''));
  return (await Promise.all(targets)).filter((target) => target.startsWith('socket:')).length;
}

async function readMetrics(): Promise<(series: string) => number> {
  const response = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } });
  const lines = (await response.text()).split('\n');
  return (series) =>
    Number(
      lines
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')
        .at(-1) ?? 0,
    );
}

const HEALTH = 'http_requests_total{method="GET",route="/health",status="200"}';

describe('a server with WORKERS', () => {
  it('prints one URL, and on the first start the password and the link once', async () => {
    expect(await workersOf(server)).toHaveLength(WORKERS);
    for (const line of ['is ready:', 'Admin password:', 'First admin account:']) {
      expect(server.stdout.split(line)).toHaveLength(2);
    }
  });

  it('waits longer before each replacement of a worker that ends at once, and has never two', async () => {
    await allServe();
    const [steady, victim = server.pid] = await workersOf(server);
    const from = server.stdout.length;
    let most = 0;
    for (let killed = victim, round = 0; round < 3; round += 1) {
      process.kill(killed, 'SIGKILL');
      await expect
        .poll(
          async () => {
            const workers = await workersOf(server);
            most = Math.max(most, workers.length);
            return workers.find((worker) => worker !== steady && worker !== killed);
          },
          { interval: 10 },
        )
        .toBeDefined();
      [killed = victim] = (await workersOf(server)).filter((worker) => worker !== steady);
      expect(await ask('/health')).toBe(200);
    }
    const pauses = [...server.stdout.slice(from).matchAll(/"pauseMs":(\d+)/g)].map(([, ms]) => Number(ms));
    expect(pauses.length).toBeGreaterThanOrEqual(2);
    for (const [index, ms] of pauses.slice(1).entries()) expect(ms).toBe(Math.min(30_000, 2 * (pauses[index] ?? 0)));
    expect(most).toBe(WORKERS);
    await allServe();
  });

  it('adds the metrics of its workers up, also when some have ended', async () => {
    const before = (await readMetrics())(HEALTH);
    for (let request = 0; request < 20; request += 1) expect(await ask('/health')).toBe(200);
    const read = await readMetrics();
    expect(read(HEALTH)).toBe(before + 20);
    expect(read('job_steps_total{job="deletions"}')).toBeGreaterThan(0);
    for (const worker of await workersOf(server)) await kill(worker);
    await allServe();
    expect((await readMetrics())(HEALTH)).toBe(before + 20);
  });

  it('limits wrong passwords of all workers together', async () => {
    const { sourceAppId, password } = await admin.buildApp();
    const logIn = (sent: string) =>
      fetch(`${url}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.1', connection: 'close' },
        body: JSON.stringify({ sourceAppId, password: sent }),
      });
    const statuses: number[] = [];
    // On a busy machine a password is checked too late, which is 503.
    while (!statuses.includes(429) && statuses.length < 30) statuses.push((await logIn('wrong')).status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(FAILURES);
    for (let attempt = 0; attempt < 2 * WORKERS; attempt += 1) {
      expect([429, 503]).toContain((await logIn(password)).status);
    }
  });

  it('accepts a proof of work once over all workers', async () => {
    const { sourceAppId } = await admin.buildApp();
    await admin.put(`/auth/apps/${sourceAppId}/form`, { botProtection: 'proof-of-work' }).expect(200);
    const altcha = await solve((await admin.get(`/v1/forms/${sourceAppId}/challenge`).expect(200)).body);
    const replay = (_: unknown, person: number) =>
      fetch(`${url}/v1/users`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-app-id': sourceAppId, connection: 'close' },
        body: JSON.stringify({ email: `p${person}@example.com`, altcha }),
      });
    const statuses = (await Promise.all(Array.from({ length: 8 }, replay))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array(7).fill(403)]);
  });

  it('goes on while a worker is stopped', async () => {
    await allServe();
    const [stopped = server.pid] = await workersOf(server);
    process.kill(stopped, 'SIGSTOP');
    try {
      const requests = Array.from({ length: 10 }, () => ask('/health'));
      expect(await Promise.all(requests)).toEqual(Array(10).fill(200));
      expect((await readMetrics())(HEALTH)).toBeGreaterThan(0);
    } finally {
      process.kill(stopped, 'SIGCONT');
    }
  });

  it('gives a worker its share of the connections that another one has', async () => {
    const CONNECTIONS = 60;
    await allServe();
    const [idle = server.pid] = await workersOf(server);
    const agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const askAll = () => Promise.all(agents.map((agent) => ask('/health', {}, agent)));
    process.kill(idle, 'SIGSTOP');
    try {
      expect(await askAll()).toEqual(Array(CONNECTIONS).fill(200));
    } finally {
      process.kill(idle, 'SIGCONT');
    }
    const before = await socketsOf(idle);
    await expect
      .poll(async () => {
        expect(await askAll()).toEqual(Array(CONNECTIONS).fill(200));
        return (await socketsOf(idle)) - before;
      })
      .toBeGreaterThan(CONNECTIONS / 4);
    for (const agent of agents) agent.destroy();
  });

  it('loses no acknowledged submission when workers are killed, and replaces them', async () => {
    await allServe();
    const { sourceAppId } = await admin.buildApp({ fields: [{ key: 'items', kind: 'array' }] });
    const ledger = new Ledger();
    const load = startLoad({ urls: [url], sourceAppId, ledger, rate: 60 });
    for (let round = 0; round < 2; round += 1) {
      const before = ledger.acknowledged;
      await expect.poll(() => ledger.acknowledged).toBeGreaterThan(before + 20);
      const [worker = server.pid] = await workersOf(server);
      await kill(worker);
      await allServe();
    }
    await load.stop();
    const connection = await connectDatabase(MONGODB_URI);
    const app = await connection.collection('apps').findOne({ sourceAppId });
    const users = connection.collection('users');
    const own = { find: (_: object, options: object) => users.find({ appId: app?._id }, options) };
    const audit = await ledger.audit(own as unknown as typeof users);
    await connection.close();
    expect(audit).toMatchObject({ lost: [], twice: [], invented: [] });
    expect(audit.acknowledged).toBeGreaterThan(40);
    expect(ledger.unexpected).toEqual([]);
  });

  it('leaves signals of a terminal to its first process', async () => {
    await allServe();
    const workers = await workersOf(server);
    for (const worker of workers) for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM']) process.kill(worker, signal);
    for (let request = 0; request < 2 * WORKERS; request += 1) expect(await ask('/ready')).toBe(200);
    expect(await workersOf(server)).toEqual(workers);
  });

  it('ends its workers when it is killed; the next start prints no password', async () => {
    await allServe();
    const workers = await workersOf(server);
    await server.end('SIGKILL');
    const alive = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await expect.poll(() => workers.filter(alive)).toEqual([]);
    const next = leftovers.keep(new ServerProcess({ ...env, LOG_LEVEL: 'silent' }, PROGRAM));
    await next.url();
    expect(next.stdout).not.toContain('Admin');
    expect(await next.end()).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('the start of a server with WORKERS', () => {
  it('ends with the reason when the port is in use', async () => {
    const first = leftovers.keep(new ServerProcess({ ...env, LOG_LEVEL: 'silent' }, PROGRAM));
    const { port } = new URL(await first.url());
    const second = leftovers.keep(new ServerProcess({ ...env, PORT: port }, PROGRAM));
    expect(await second.ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`Port ${port} is in use`) });
    expect(await first.end()).toMatchObject({ code: 0 });
  });
});
