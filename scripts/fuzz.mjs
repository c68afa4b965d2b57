// npm run test:fuzz: schemathesis sends the built service at least 20,000 requests generated
// from its OpenAPI document, without and with an admin session. The TOML files have the checks that
// are left out, with reasons. --requests <n> sets the minimum total.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, stopServer } from './bench/processes.mjs';
import { logIn } from './client.mjs';
import { build, install, root, run, say } from './setup.mjs';

const SCHEMATHESIS = '4.32.5';
const ADMIN = 'fuzz-admin';
/** One process each: with several threads schemathesis hits a bug of Python 3.11. */
const PASSES = ['public', 'admin'];

const option = process.argv.indexOf('--requests');
const minRequests = option < 0 ? 20_000 : Number(process.argv[option + 1]);

install();
build();
const schemathesis = installSchemathesis();
const folder = mkdtempSync(join(tmpdir(), 'user-collection-fuzz-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const password = randomBytes(18).toString('base64url');
const server = await startService();
let failed = false;
try {
  await createApps();
  let total = 0;
  // One round sends the configured number of examples; each has another seed.
  for (let round = 1; total < minRequests && !failed; round += 1) {
    for (const { requests, passed } of await Promise.all(PASSES.map((pass) => fuzz(pass, round)))) {
      total += requests;
      failed ||= !passed;
    }
  }
  const log = readFileSync(server.log, 'utf8');
  const unexpected = log.match(/"unexpected error"/g)?.length ?? 0;
  say(`${total} requests; ${unexpected} unexpected errors in the log${failed ? '; FAILED' : ''}`);
  if (unexpected > 0) say(log);
  failed ||= unexpected > 0;
} finally {
  await stopServer(server);
}
process.exit(failed ? 1 : 0);

/**
 * Installs the pinned schemathesis into a virtual environment in the cache folder; returns the path
 * of its program.
 */
function installSchemathesis() {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'user-collection-service');
  const environment = join(cache, `schemathesis-${SCHEMATHESIS}`);
  const marker = join(environment, 'installed');
  if (!existsSync(marker)) {
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
    writeFileSync(marker, '');
  }
  return join(environment, 'bin', 'schemathesis');
}

/** Starts the built server on a separate embedded database; resolves when it listens. */
function startService() {
  return startServer([join(root, 'dist', 'server.js')], {
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    MONGOMS_SYSTEM_BINARY: process.env.MONGOMS_SYSTEM_BINARY,
    NODE_ENV: 'development',
    DATA_DIR: join(folder, 'data'),
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_APP_ID: ADMIN,
    ADMIN_PASSWORD: password,
    RATE_LIMIT_LOGIN: '0',
    LOG_LEVEL: 'error',
  });
}

/** Creates the apps that the document's examples and the configurations use. */
async function createApps() {
  const admin = await logIn(server.url, ADMIN, password);
  for (const sourceAppId of ['newsletter', 'fuzz-rotated']) await admin('POST', '/auth/apps', { sourceAppId });
}

/**
 * Runs schemathesis once and prints its output. Resolves with the number of requests and whether
 * all checks passed.
 */
async function fuzz(pass, round) {
  const config = join(folder, `${pass}.toml`);
  const report = join(folder, `${pass}-${round}.json`);
  const text = readFileSync(join(root, 'scripts', `fuzz-${pass}.toml`), 'utf8');
  writeFileSync(config, text.replaceAll('{ADMIN}', ADMIN).replaceAll('{PASSWORD}', password));
  const args = ['--seed', String(round), '--report', 'json', '--report-json-path', report, '--no-color'];
  const child = spawn(schemathesis, ['--config-file', config, 'run', `${server.url}/openapi.json`, ...args], {
    cwd: folder,
    env: { ...process.env, SCHEMATHESIS_HOOKS: join(root, 'scripts', 'fuzz-hooks.py') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.once('exit', resolve));
  say(`== round ${round}, ${pass}\n${code === 0 ? output.slice(output.indexOf('Test cases:')) : output}`);
  const requests = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).test_cases.generated : 0;
  return { requests, passed: code === 0 && requests > 0 };
}
