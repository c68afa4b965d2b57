// The first step of every command: installs the packages and builds if they are missing or older
// than their sources. Uses modules of Node.js only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './setup-lock.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Installs the packages if package-lock.json has changed. */
export function install() {
  once('node_modules/.installed-for', hash(['package-lock.json']), () => {
    say('Installing packages (once; a minute or so) ...');
    npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']);
  });
}

/** Compiles src/ to dist/ and web/ to dist/web/, each if one of its sources has changed. */
export function build() {
  once(
    'dist/.built-for',
    hash(['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', ...sources('src')]),
    () => {
      say('Building ...');
      run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json']);
    },
  );
  // The dashboard imports code of src/fields and src/core/errors.ts, and types of all other
  // modules.
  once(
    'dist/web/.built-for',
    hash(['package-lock.json', 'src/core/errors.ts', ...sources('src/fields'), ...sources('web')]),
    () => {
      say('Building the dashboard ...');
      run(process.execPath, [
        join('node_modules', 'vite', 'bin', 'vite.js'),
        'build',
        '-c',
        join('web', 'vite.config.ts'),
      ]);
    },
  );
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
 * Runs `work` unless the marker file contains `wanted`. Concurrent commands wait for each other.
 */
function once(marker, wanted, work) {
  const path = join(root, marker);
  const isDone = () => existsSync(path) && readFileSync(path, 'utf8') === wanted;
  if (isDone()) return;
  const onWait = (pid) => say(`Waiting for process ${pid}, which installs or builds here ...`);
  withLock(join(root, '.setup-lock'), onWait, () => {
    if (isDone()) return;
    work();
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, wanted);
  });
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
