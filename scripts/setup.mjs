// The first step of every command: installs the packages and builds if they are missing or older
// than their sources. Uses modules of Node.js only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './setup-lock.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The program of vitest, from the project folder. */
export const VITEST = join('node_modules', 'vitest', 'vitest.mjs');

const SERVING = 'node_modules/.installed-for';
/** What npm has installed, in the format of package-lock.json. */
const INSTALLED = 'node_modules/.package-lock.json';
const TESTS = 'node_modules/user-collection-tests';

/**
 * Installs the packages if package-lock.json has others than node_modules.
 * @param tests whether also those of test/package.json. Installed ones stay in any case.
 */
export function install({ tests = true } = {}) {
  const lock = hash(['package-lock.json']);
  const isServing = () => read(SERVING) === lock;
  once(
    () => !hasAll() && (tests || !isServing()),
    () => {
      const flags = ['--include=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
      if (isServing()) {
        say('Installing packages for tests (once) ...');
        // A service may run on the packages that are there: `npm ci` would remove them first.
        return npm(['install', '--no-save', ...flags]);
      }
      say('Installing packages (once) ...');
      const all = tests || TESTS in (packagesIn(INSTALLED) ?? {});
      npm(['ci', ...(all ? [] : ['--workspaces=false']), ...flags]);
      if (!all) write(SERVING, lock);
    },
  );
}

/**
 * Whether node_modules has every package of package-lock.json, whoever installed it. Optional ones
 * may be of another system.
 */
function hasAll() {
  const installed = packagesIn(INSTALLED);
  if (!installed) return false;
  return Object.entries(packagesIn('package-lock.json')).every(
    ([path, { version, integrity, link, optional }]) =>
      !path.startsWith('node_modules/') ||
      (path in installed
        ? link || (installed[path].version === version && installed[path].integrity === integrity)
        : optional),
  );
}

function packagesIn(lockFile) {
  return JSON.parse(read(lockFile) ?? '{}').packages;
}

/**
 * Builds src/ to dist/, web/ to dist/web/, web/client/ to dist/client/ and docs/ to dist/docs/,
 * each if one of its sources has changed.
 */
export function build() {
  const shared = ['package-lock.json', 'scripts/build.mjs'];
  const server = hash([...shared, 'openapi.json', 'tsconfig.json', 'tsconfig.build.json', ...sources('src')]);
  // The dashboard imports code of these modules, and types of all other ones.
  const loaded = [
    'src/platform/core/errors.ts',
    'src/features/imports/csv-cells.ts',
    'src/features/imports/date-format.ts',
    ...sources('src/core/fields'),
    ...sources('src/features/display'),
    ...sources('src/platform/languages'),
  ];
  const dashboard = hash([...shared, ...loaded, ...sources('web')]);
  const client = hash([...shared, 'tsconfig.json', ...sources(join('web', 'client'))]);
  const docs = hash([...shared, 'package.json', ...sources('docs')]);
  const steps = [
    { name: 'server', marker: 'dist/.built-for', wanted: server },
    { name: 'dashboard', marker: 'dist/web/.built-for', wanted: dashboard },
    { name: 'client', marker: 'dist/client/.built-for', wanted: client },
    { name: 'docs', marker: 'dist/docs/.built-for', wanted: docs },
  ];
  const missing = () => steps.filter(({ marker, wanted }) => read(marker) !== wanted);
  once(
    () => missing().length > 0,
    () => {
      const found = missing();
      const names = found.map(({ name }) => name);
      say(`Building: ${names.join(', ')} ...`);
      run(process.execPath, [join('scripts', 'build.mjs'), ...names]);
      for (const { marker, wanted } of found) write(marker, wanted);
    },
  );
}

/** Reads settings from `.env` of the project folder, if it is there. Set variables stay. */
export function readSettings() {
  const file = join(root, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
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

/** Runs `work` if `isMissing`. Concurrent commands wait for each other. */
function once(isMissing, work) {
  if (!isMissing()) return;
  const onWait = (pid) => say(`Waiting for process ${pid}, which installs or builds here ...`);
  withLock(join(root, '.setup-lock'), onWait, () => {
    if (isMissing()) work();
  });
}

function read(file) {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function write(file, text) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
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
