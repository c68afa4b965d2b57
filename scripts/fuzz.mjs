// npm run test:fuzz: schemathesis sends the built service some ten thousands of requests made from its own OpenAPI document, without and with the admin's session.
// Which checks are left out, and why, is in docs/reliability.md. Arguments: --requests <n> for the least number in total.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, install, root, run, say } from './setup.mjs';

const SCHEMATHESIS = '4.32.5';
const ADMIN = 'fuzz-admin';
/** Each is a process of its own: schemathesis with several threads stumbles over a fault of Python 3.11. */
const PASSES = ['public', 'admin'];

const option = process.argv.indexOf('--requests');
const least = option < 0 ? 20_000 : Number(process.argv[option + 1]);

install();
build();
const schemathesis = installSchemathesis();
const folder = mkdtempSync(join(tmpdir(), 'user-collection-fuzz-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const password = randomBytes(18).toString('base64url');
const server = await startServer();
let failed = false;
try {
  await makeApps();
  let total = 0;
  // A round is all that the document gives at the number of examples in the configuration; the next has another seed.
  for (let round = 1; total < least && !failed; round += 1) {
    for (const { requests, passed } of await Promise.all(PASSES.map((pass) => fuzz(pass, round)))) {
      total += requests;
      failed ||= !passed;
    }
  }
  const unexpected = server.log().match(/"unexpected error"/g)?.length ?? 0;
  say(`${total} requests; ${unexpected} unexpected errors in the log${failed ? '; FAILED' : ''}`);
  if (unexpected > 0) say(server.log());
  failed ||= unexpected > 0;
} finally {
  await server.stop();
}
process.exit(failed ? 1 : 0);

/** Puts the pinned schemathesis into a virtual environment in the cache folder; returns its program. */
function installSchemathesis() {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'user-collection-service');
  const environment = join(cache, `schemathesis-${SCHEMATHESIS}`);
  const done = join(environment, 'installed');
  if (!existsSync(done)) {
    say(`Installing schemathesis ${SCHEMATHESIS} from PyPI (once; kept in the cache folder) ...`);
    mkdirSync(cache, { recursive: true });
    rmSync(environment, { recursive: true, force: true });
    run('python3', ['-m', 'venv', environment]);
    run(join(environment, 'bin', 'pip'), [
      'install',
      '--quiet',
      '--disable-pip-version-check',
      `schemathesis==${SCHEMATHESIS}`,
    ]);
    writeFileSync(done, '');
  }
  return join(environment, 'bin', 'schemathesis');
}

/** Starts the built server on an embedded database of its own; resolves when it listens. */
function startServer() {
  const env = {
    ...process.env,
    NODE_ENV: 'development',
    MONGODB_URI: '',
    DATA_DIR: join(folder, 'data'),
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_APP_ID: ADMIN,
    ADMIN_PASSWORD: password,
    RATE_LIMIT_LOGIN: '0',
    LOG_LEVEL: 'error',
  };
  const child = spawn(process.execPath, [join(root, 'dist', 'server.js')], { env, cwd: folder });
  let output = '';
  return new Promise((done, fail) => {
    child.once('exit', (code) => fail(new Error(`the server ended with ${code}:\n${output}`)));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const url = /is ready: (http:\/\/\S+)/.exec(output)?.[1];
      if (url) done({ url, log: () => output, stop: () => stop(child) });
    });
  });
}

function stop(child) {
  if (child.exitCode !== null) return undefined;
  return new Promise((done) => {
    child.once('exit', done);
    child.kill('SIGTERM');
  });
}

/** The apps that the document's examples and the passes name, so that requests find them. */
async function makeApps() {
  const json = { 'Content-Type': 'application/json' };
  const logIn = await fetch(`${server.url}/auth/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ sourceAppId: ADMIN, password }),
  });
  const cookie = logIn.headers.get('set-cookie').split(';')[0];
  for (const sourceAppId of ['newsletter', 'fuzz-rotated']) {
    const made = await fetch(`${server.url}/auth/apps`, {
      method: 'POST',
      headers: { ...json, cookie },
      body: JSON.stringify({ sourceAppId }),
    });
    if (!made.ok) throw new Error(`could not make the app: ${made.status}`);
  }
}

/** One run of schemathesis, shown when it is over. Resolves with how many requests it sent and whether every check passed. */
async function fuzz(pass, round) {
  const config = join(folder, `${pass}.toml`);
  const report = join(folder, `${pass}-${round}.json`);
  const text = readFileSync(join(root, 'scripts', `fuzz-${pass}.toml`), 'utf8');
  writeFileSync(config, text.replaceAll('{ADMIN}', ADMIN).replaceAll('{PASSWORD}', password));
  const args = ['--seed', String(round), '--report', 'json', '--report-json-path', report, '--no-color'];
  const child = spawn(schemathesis, ['--config-file', config, 'run', `${server.url}/openapi.json`, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((done) => child.once('exit', done));
  say(`== round ${round}, ${pass}\n${code === 0 ? output.slice(output.indexOf('Test cases:')) : output}`);
  const requests = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).test_cases.generated : 0;
  return { requests, passed: code === 0 && requests > 0 };
}
