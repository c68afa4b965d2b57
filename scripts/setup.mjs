// What every command does first on a fresh clone: install the packages and build, when they are missing or older than their sources. Only Node's own modules here.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './setup-lock.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Installs the packages when package-lock.json changed since the last time. */
export function install() {
  once('node_modules/.installed-for', hash(['package-lock.json']), () => {
    say('Installing packages (once; a minute or so) ...');
    npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']);
  });
}

/** Compiles src/ to dist/ and the dashboard in web/ to dist/web/, each when one of its sources changed since the last time. */
export function build() {
  once(
    'dist/.built-for',
    hash(['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', ...sources('src')]),
    () => {
      say('Building ...');
      run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json']);
    },
  );
  // The dashboard checks fields by the service's own rules; of the rest of src/ it takes types only.
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

/** Runs a program in the project's folder; ends this process when it fails. */
export function run(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  if (error) say(`${program} could not be run: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs npm: the one that runs this script, by Node itself, because on Windows `npm` is a batch file, which needs a shell. */
function npm(args) {
  const running = process.env.npm_execpath ?? '';
  if (/npm-cli\.[cm]?js$/.test(running)) run(process.execPath, [running, ...args]);
  else run('npm', args, { shell: process.platform === 'win32' });
}

/** Progress goes to standard error: standard output belongs to the command. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Does the work unless the marker says that it is done. Two commands at once on a fresh clone wait for each other. */
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
