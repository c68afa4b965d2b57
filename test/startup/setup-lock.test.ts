import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Leftovers, Process } from '../support/process.ts';

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

const LOCK = '.setup-lock';
/** Greater than every process id on Linux. */
const DEAD_PID = 2 ** 22 + 1;

/** Creates a project whose installation takes one second and logs its start and end to a file. */
async function freshClone(): Promise<string> {
  const root = await leftovers.folder();
  await mkdir(join(root, 'scripts'));
  for (const name of ['setup.mjs', 'setup-lock.mjs']) {
    await cp(join(import.meta.dirname, '..', '..', 'scripts', name), join(root, 'scripts', name));
  }
  const project = { name: 'fresh', version: '1.0.0', scripts: { preinstall: 'node preinstall.mjs' } };
  await writeFile(join(root, 'package.json'), JSON.stringify(project));
  const { scripts: _, ...locked } = { ...project, lockfileVersion: 3, requires: true };
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ ...locked, packages: { '': locked } }));
  await writeFile(
    join(root, 'preinstall.mjs'),
    `import { appendFileSync } from 'node:fs';
     appendFileSync('log', 'begins\\n');
     setTimeout(() => appendFileSync('log', 'ends\\n'), 1000);`,
  );
  await writeFile(
    join(root, 'scripts', 'command.mjs'),
    `import { existsSync } from 'node:fs';
     import { install } from './setup.mjs';
     install();
     process.exitCode = existsSync('node_modules/.installed-for') ? 0 : 1;`,
  );
  return root;
}

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
    await writeFile(join(root, 'preinstall.mjs'), 'process.exit(1)');
    for (const { code } of await runCommands(root, 2)) expect(code).toBe(1);
    expect((await readdir(root)).filter((name) => name.startsWith(LOCK))).toEqual([]);
  });
});
