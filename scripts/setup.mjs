// The first step of every command: installs the packages and builds if they are missing or older
// than their sources. Uses modules of Node.js only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './setup-lock.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Installs the packages if package-lock.json has changed.
 * @param tests whether also those of test/package.json
 */
export function install({ tests = true } = {}) {
  const lock = hash(['package-lock.json']);
  const [all, serving] = [`${lock} all`, `${lock} serving`];
  const step = { marker: 'node_modules/.installed-for', wanted: tests ? all : serving, enough: [all] };
  once([step], () => {
    const flags = ['--include=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    if (read(step) === serving) {
      say('Installing packages for tests (once) ...');
      // A service may run on the packages that are there: `npm ci` would remove them first.
      npm(['install', '--no-save', ...flags]);
    } else {
      say('Installing packages (once) ...');
      npm(['ci', ...(tests ? [] : ['--workspaces=false']), ...flags]);
    }
  });
}

/**
 * Compiles src/ to dist/, web/ to dist/web/ and web/client/ to dist/client/, each if one of its
 * sources has changed.
 */
export function build() {
  const shared = ['package-lock.json', 'scripts/build.mjs'];
  const server = hash([...shared, 'openapi.json', 'tsconfig.json', 'tsconfig.build.json', ...sources('src')]);
  // The dashboard imports code of these modules, and types of all other ones.
  const loaded = [
    'src/platform/core/errors.ts',
    'src/operators/imports/csv-cells.ts',
    'src/operators/imports/date-format.ts',
    ...sources('src/fields'),
    ...sources('src/platform/languages'),
  ];
  const dashboard = hash([...shared, ...loaded, ...sources('web')]);
  const client = hash([...shared, 'tsconfig.json', ...sources(join('web', 'client'))]);
  const steps = [
    { name: 'server', marker: 'dist/.built-for', wanted: server },
    { name: 'dashboard', marker: 'dist/web/.built-for', wanted: dashboard },
    { name: 'client', marker: 'dist/client/.built-for', wanted: client },
  ];
  once(steps, (missing) => {
    const names = missing.map(({ name }) => name);
    say(`Building: ${names.join(', ')} ...`);
    run(process.execPath, [join('scripts', 'build.mjs'), ...names]);
  });
}

/** Runs a program in the project folder; exits with its code if it fails. */
export function run(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  if (error) say(`${program} could not be run: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * Runs the npm that started this script, with Node: on Windows `npm` is a batch file, which needs a
 * shell.
 */
function npm(args) {
  const running = process.env.npm_execpath ?? '';
  if (/npm-cli\.[cm]?js$/.test(running)) run(process.execPath, [running, ...args]);
  else run('npm', args, { shell: process.platform === 'win32' });
}

/** Writes progress to standard error; standard output is for the output of the command. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs `work` with the steps that are not done: whose marker file contains neither `wanted` nor one
 * of `enough`. Concurrent commands wait for each other.
 */
function once(steps, work) {
  const missing = () => steps.filter((step) => ![step.wanted, ...(step.enough ?? [])].includes(read(step)));
  if (missing().length === 0) return;
  const onWait = (pid) => say(`Waiting for process ${pid}, which installs or builds here ...`);
  withLock(join(root, '.setup-lock'), onWait, () => {
    const found = missing();
    if (found.length === 0) return;
    work(found);
    for (const { marker, wanted } of found) {
      mkdirSync(dirname(join(root, marker)), { recursive: true });
      writeFileSync(join(root, marker), wanted);
    }
  });
}

function read({ marker }) {
  const path = join(root, marker);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function hash(files) {
  const digest = createHash('sha256').update(process.version);
  for (const file of files) digest.update(`${file}\0`).update(readFileSync(join(root, file)));
  return digest.digest('hex');
}

function sources(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => statSync(join(root, name)).isFile())
    .sort();
}
