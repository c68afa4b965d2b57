// @module-tag long

import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Leftovers, Process } from '../support/server/process.ts';

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

const LOCK = '.setup-lock';
/** Greater than every process id on Linux. */
const DEAD_PID = 2 ** 22 + 1;

const SCRIPTS = join(import.meta.dirname, '..', '..', 'scripts');

/** Runs npm until it has exited. */
async function npm(cwd: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await leftovers.keep(new Process(['npm', ...args], {}, cwd)).ended;
  if (code !== 0) throw new Error(stderr);
}

/** Packs a package into the folder; returns its specifier. */
async function packed(root: string, name: string, more: object = {}): Promise<string> {
  const folder = join(root, name);
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...more }));
  await npm(root, 'pack', `./${name}`);
  return `file:${join(root, `${name}-1.0.0.tgz`)}`;
}

/**
 * Creates a project with a package that serves, one of its tests, and one of another system. Its
 * installation takes one second and logs its start and end to a file.
 */
async function freshClone(): Promise<string> {
  const root = await leftovers.folder();
  await mkdir(join(root, 'scripts'));
  await mkdir(join(root, 'test'));
  for (const name of ['setup.mjs', 'setup-lock.mjs']) await cp(join(SCRIPTS, name), join(root, 'scripts', name));
  const write = (file: string, content: object) => writeFile(join(root, file), JSON.stringify(content));
  await write('package.json', {
    name: 'fresh',
    workspaces: ['test'],
    scripts: { preinstall: 'node preinstall.mjs' },
    dependencies: { serving: await packed(root, 'serving') },
    optionalDependencies: { elsewhere: await packed(root, 'elsewhere', { os: ['aix'] }) },
  });
  await write('test/package.json', {
    name: 'user-collection-tests',
    devDependencies: { testing: await packed(root, 'testing') },
  });
  await writeFile(
    join(root, 'preinstall.mjs'),
    `import { appendFileSync } from 'node:fs';
     appendFileSync('log', 'begins\\n');
     setTimeout(() => appendFileSync('log', 'ends\\n'), 1000);`,
  );
  await npm(root, 'install', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit');
  await writeFile(
    join(root, 'scripts', 'command.mjs'),
    `import { existsSync } from 'node:fs';
     import { install } from './setup.mjs';
     install({ tests: process.argv[2] !== 'start' });
     process.exitCode = existsSync('node_modules/serving/package.json') ? 0 : 1;`,
  );
  return root;
}

/** The installed packages. */
const installed = async (root: string): Promise<string[]> =>
  (await readdir(join(root, 'node_modules'))).filter((name) => !name.startsWith('.')).sort();

/** How many installations the log has. */
const installations = async (root: string): Promise<number> =>
  (await readFile(join(root, 'log'), 'utf8')).split('begins').length - 1;

const ALL = ['serving', 'testing', 'user-collection-tests'];

describe('npm start', () => {
  const start = (root: string) => leftovers.keep(new Process(['node', 'scripts/command.mjs', 'start'], {}, root)).ended;
  const test = (root: string) => leftovers.keep(new Process(['node', 'scripts/command.mjs'], {}, root)).ended;

  it('installs nothing after `npm ci`, and removes no package of the tests', async () => {
    const root = await freshClone();
    await npm(root, 'ci', '--offline');
    expect(await installed(root)).toEqual(ALL);
    expect(await start(root)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await test(root)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await installed(root)).toEqual(ALL);
    expect(await installations(root)).toBe(1);
  });

  it('installs what serves, once; npm test adds its own packages, which then stay', async () => {
    const root = await freshClone();
    for (const _ of [1, 2]) expect(await start(root)).toMatchObject({ code: 0 });
    expect(await installed(root)).toEqual(['serving']);
    expect(await installations(root)).toBe(1);
    for (const _ of [1, 2]) expect(await test(root)).toMatchObject({ code: 0 });
    expect(await installed(root)).toEqual(ALL);
    expect(await installations(root)).toBe(2);
    expect(await start(root)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await installed(root)).toEqual(ALL);
  });

  it('installs another version of a package, also where the tests are installed', async () => {
    const root = await freshClone();
    await npm(root, 'ci', '--offline');
    const lock = join(root, 'node_modules', '.package-lock.json');
    await writeFile(lock, (await readFile(lock, 'utf8')).replace('"version": "1.0.0"', '"version": "0.9.0"'));
    expect(await start(root)).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Installing packages/) });
    expect(await installed(root)).toEqual(ALL);
    expect(await installations(root)).toBe(2);
  });
});

describe('the file .env of a clone', () => {
  it('has settings of npm start and npm run cli; a variable of the environment wins', async () => {
    const root = await leftovers.folder();
    await mkdir(join(root, 'scripts'));
    for (const name of ['setup.mjs', 'setup-lock.mjs']) await cp(join(SCRIPTS, name), join(root, 'scripts', name));
    const command = join(root, 'scripts', 'command.mjs');
    await writeFile(
      command,
      `import { readSettings } from './setup.mjs';
       readSettings();
       const { MAIL_FROM, PORT, SESSION_SECRET } = process.env;
       console.log(JSON.stringify({ MAIL_FROM, PORT, SESSION_SECRET }));`,
    );
    const run = async () => {
      const { stdout } = await leftovers.keep(new Process(['node', command], { PORT: '4000' })).ended;
      return JSON.parse(stdout);
    };
    expect(await run()).toEqual({ PORT: '4000' });
    await writeFile(
      join(root, '.env'),
      "#PORT=1\nPORT=3000\nMAIL_FROM=Forms <a@b.example>\nSESSION_SECRET='a $b #c'\n",
    );
    expect(await run()).toEqual({ MAIL_FROM: 'Forms <a@b.example>', PORT: '4000', SESSION_SECRET: 'a $b #c' });
  });

  it.each(['start.mjs', 'cli.mjs'])('is read by %s, after the build', async (name) => {
    expect(await readFile(join(SCRIPTS, name), 'utf8')).toMatch(/^build\(\);\nreadSettings\(\);\n/m);
  });
});

/** Runs commands concurrently that install the project first; resolves with their results. */
function runCommands(root: string, count: number) {
  const command = () => leftovers.keep(new Process(['sh', '-c', `cd '${root}' && exec node scripts/command.mjs`]));
  return Promise.all(Array.from({ length: count }, () => command().ended));
}

describe('concurrent commands on a fresh clone', () => {
  it('wait until one of them has installed the project', async () => {
    const root = await freshClone();
    const ended = await runCommands(root, 3);
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await readFile(join(root, 'log'), 'utf8')).toBe('begins\nends\n');
    const waited = ended.filter(({ stderr }) => /^Waiting for process \d+, which installs/m.test(stderr));
    expect(waited).toHaveLength(2);
    expect((await readdir(root)).filter((name) => name.startsWith(LOCK))).toEqual([]);
  });

  it('replace the lock of a process that no longer exists, and only one installs', async () => {
    const root = await freshClone();
    await writeFile(join(root, LOCK), `${DEAD_PID} 6a2b8d0c-6a3e-4f0e-9f53-000000000000`);
    const ended = await runCommands(root, 4);
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(await readFile(join(root, 'log'), 'utf8')).toBe('begins\nends\n');
    expect((await readdir(root)).filter((name) => name.startsWith(LOCK))).toEqual([]);
  });

  it('release the lock if the installation fails, so that the next command tries again', async () => {
    const root = await freshClone();
    const lock = join(root, 'package-lock.json');
    await writeFile(lock, (await readFile(lock, 'utf8')).replaceAll(/"sha512-..../g, '"sha512-AAAA'));
    for (const { code } of await runCommands(root, 2)) expect(code).toBe(1);
    expect((await readdir(root)).filter((name) => name.startsWith(LOCK))).toEqual([]);
  });
});
