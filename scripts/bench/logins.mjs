// npm run bench -- --logins: submissions and right passwords during a flood of wrong passwords, at
// the production cost of bcrypt. Other builds of the service can be measured beside this one.
import { fork, spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { basename, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { schema, submission } from './cases.mjs';
import { ADMIN_PASSWORD, createApp, ofDatabase, startService } from './fixture.mjs';
import { startStandalone } from './mongods.mjs';
import { cpuMicroseconds, stopServer } from './processes.mjs';
import { median, percentiles, round, table } from './report.mjs';

const APP = 'logins';
const WARM_UP_MS = 5_000;
/** From the first passwords of a flood to the measurement. */
const FLOOD_BEGINS_MS = 2_000;
/** The address whose right passwords are measured, and that logs in before the flood. */
const OPERATOR = '203.0.113.1';
const ATTEMPTS = 10;
const PATIENCE_MS = 3_000;
const PAUSE_MS = 300;

/**
 * Measures every build in turns, each time with a new server.
 *
 * @param options.beside folders of other versions, built
 * @param options.busy processes that compute all the time, as on a slow machine
 */
export default async function measureLogins({ beside, busy, rounds, seconds, progress }) {
  const database = await startStandalone(progress);
  const builds = ['.', ...beside].map((folder) => ({ name: basename(resolve(folder)), folder }));
  const measured = [];
  try {
    for (let turn = 0; turn < rounds; turn += 1) {
      for (const build of turn % 2 === 0 ? builds : builds.toReversed()) {
        const uri = ofDatabase(database.uri, `logins-${builds.indexOf(build)}-${turn}`);
        const cells = { ...(await withoutLimit(build, uri, seconds)), ...(await withLimit(build, uri, busy)) };
        measured.push({ build: build.name, ...cells });
        progress(JSON.stringify(measured.at(-1)));
      }
    }
  } finally {
    await database.stop();
  }
  return { results: { measured }, table: tableOf(builds, measured) };
}

const startBuild = ({ folder }, uri, env) => startService(uri, { folder, env: { TRUST_PROXY: '1', ...env } });

/** Submissions one at a time: idle, and beside 10 and 40 clients that nothing limits. */
async function withoutLimit(build, uri, seconds) {
  const server = await startBuild(build, uri, { RATE_LIMIT_LOGIN: '0' });
  try {
    await createApp(server.url, APP, schema);
    await submitFor(server.url, WARM_UP_MS);
    const cells = { idle: await submitFor(server.url, seconds * 1_000) };
    for (const clients of [10, 40]) {
      const options = { clients, addresses: 0, sourceAppId: APP };
      cells[`flood of ${clients}`] = await duringFlood(server, options, () => submitFor(server.url, seconds * 1_000));
    }
    return cells;
  } finally {
    await stopServer(server);
  }
}

/** Right passwords with the limit of production: beside 200 addresses, and beside one. */
async function withLimit(build, uri, busy) {
  const server = await startBuild(build, uri, {});
  const spinning = Array.from({ length: busy }, () => spawn(process.execPath, ['-e', 'for (;;);']));
  try {
    const cells = {};
    for (const addresses of [200, 1]) {
      await logIn(server.url);
      const options = { clients: 40, addresses, sourceAppId: APP };
      cells[`log-ins beside ${addresses}`] = await duringFlood(server, options, () => rightPasswords(server.url));
    }
    return cells;
  } finally {
    for (const child of spinning) child.kill('SIGKILL');
    await stopServer(server);
  }
}

/**
 * Runs `work` during a flood; resolves with its result and what the flood was answered and cost.
 */
async function duringFlood(server, { clients, addresses, sourceAppId }, work) {
  const attacker = fork(new URL('login-flood.mjs', import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  attacker.send({ url: server.url, clients, addresses, sourceAppId });
  await sleep(FLOOD_BEGINS_MS);
  const startedAt = performance.now();
  const before = cpuMicroseconds(server.pid);
  const result = await work();
  const elapsed = (performance.now() - startedAt) / 1_000;
  const cpu = (cpuMicroseconds(server.pid) - before) / 1e6 / elapsed;
  const statuses = await new Promise((done) => {
    attacker.once('message', done);
    attacker.send('stop');
  });
  return { ...result, flood: statuses, seconds: round(elapsed + FLOOD_BEGINS_MS / 1_000), cpu: round(cpu) };
}

/** Sends submissions one after the other; resolves with their latencies in milliseconds. */
async function submitFor(url, ms) {
  const agent = new Agent({ keepAlive: true });
  const times = [];
  let refused = 0;
  const until = performance.now() + ms;
  while (performance.now() < until) {
    const { path, headers, body } = submission(APP, `p${Math.random()}@example.com`, { name: 'Ada', agreed: true });
    const begun = performance.now();
    if ((await post(url + path, headers, body, agent)) === 200) times.push(performance.now() - begun);
    else refused += 1;
  }
  agent.destroy();
  return { ...percentiles(times), refused };
}

/** The right passwords that are answered in time, of ten in sequence. */
async function rightPasswords(url) {
  let served = 0;
  const times = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const begun = performance.now();
    const status = await logIn(url);
    const ms = performance.now() - begun;
    times.push(Math.round(ms));
    if (status === 200 && ms <= PATIENCE_MS) served += 1;
    await sleep(PAUSE_MS);
  }
  return { served, times };
}

function logIn(url) {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': OPERATOR };
  const body = JSON.stringify({ sourceAppId: 'admin', password: ADMIN_PASSWORD });
  return post(`${url}/auth/login`, headers, body);
}

function post(url, headers, body, agent) {
  return new Promise((done, reject) => {
    const sent = request(url, { method: 'POST', headers, agent }, (response) => {
      response.resume();
      response.once('end', () => done(response.statusCode));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

function tableOf(builds, measured) {
  const rows = builds.map(({ name }) => {
    const own = measured.filter(({ build }) => build === name);
    const submissions = ['idle', 'flood of 10', 'flood of 40'].map((cell) =>
      ['median', 'p90', 'p99'].map((key) => median(own.map((one) => one[cell][key]))).join(' / '),
    );
    const served = [200, 1].map((addresses) => own.map((one) => one[`log-ins beside ${addresses}`].served).join(', '));
    return [name, ...submissions, ...served];
  });
  const submissionHead = ['Submission, idle: median / p90 / p99 ms', 'beside 10 clients', 'beside 40 clients'];
  const passwordHead = ['right passwords of 10, beside 200 addresses', 'beside one address'];
  return table(['Build', ...submissionHead, ...passwordHead], rows);
}
