// @module-tag long

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { chmod, lstat, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createPrivateFile } from '../../src/platform/core/private-file.ts';
import { randomName } from '../support/database/databases.ts';
import { databaseUri, Leftovers, Process, ServerProcess } from '../support/server/process.ts';

/** The umask that hides nothing: what is private then is so by its own mode. */
const OPEN = ['/bin/sh', '-c', 'umask 000; exec "$@"', 'sh'];
const CLI = [...OPEN, process.execPath, 'dist/cli.js'];
const root = join(import.meta.dirname, '..', '..');

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

/** What others than the owner may read, write or enter in a folder, with the mode. */
function openTo(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.flatMap((name) => {
    const { mode } = statSync(join(folder, name));
    return (mode & 0o077) === 0 ? [] : [`${name} ${(mode & 0o777).toString(8)}`];
  });
}

it('all files of DATA_DIR are their owner’s, while the service runs and after kill -9', async () => {
  const dataDir = join(await leftovers.dataDir(), 'new', 'data');
  const start = () =>
    leftovers.keep(new ServerProcess({ DATA_DIR: dataDir }, [...OPEN, process.execPath, 'dist/server.js']));
  const killed = start();
  await killed.url();
  expect(openTo(join(dataDir, '..'))).toEqual([]);
  await killed.end('SIGKILL');
  expect(openTo(join(dataDir, '..'))).toEqual([]);
  const again = start();
  await again.url();
  await again.end();
  expect(openTo(join(dataDir, '..'))).toEqual([]);
  expect(readdirSync(dataDir)).toContain('session-secret');
});

it('the folder that a downloaded mongod is kept in is its owner’s', async () => {
  const cache = join(await leftovers.folder(), 'cache');
  const dataDir = await leftovers.dataDir();
  const env = { DATA_DIR: dataDir, XDG_CACHE_HOME: cache, MONGOMS_SYSTEM_BINARY: '', PATH: '' };
  // Nothing is downloaded.
  const server = new ServerProcess({ ...env, MONGOMS_RUNTIME_DOWNLOAD: 'false' }, [
    ...OPEN,
    process.execPath,
    'dist/server.js',
  ]);
  expect((await server.ended).stderr).toContain('No MongoDB server (mongod) could be obtained');
  expect(readdirSync(cache)).toHaveLength(1);
  expect(openTo(cache)).toEqual([]);
});

it('the manifest of a backup and the rejected lines of an import are their owner’s, also in place of a file that was not', async () => {
  const folder = await leftovers.folder();
  const env = { MONGODB_URI: databaseUri(randomName()), SESSION_SECRET: 'a secret of the file modes' };
  const run = (...args: string[]) => new Process([...CLI, ...args], env).ended;
  const [manifest, rejects, lines] = ['manifest', 'rejects.csv', 'lines.csv'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const file of [manifest, rejects]) {
    await writeFile(file, 'of before');
    await chmod(file, 0o666);
  }
  await writeFile(lines, 'email\nno email\n', { mode: 0o600 });
  expect(await run('app', 'create', 'shop')).toMatchObject({ code: 0 });
  expect(await run('users', 'import', 'shop', lines, '--rejects', rejects)).toMatchObject({ code: 0 });
  expect(await run('verify', '--write', manifest)).toMatchObject({ code: 0 });
  expect(await readFile(rejects, 'utf8')).toContain('no email');
  expect(await readFile(manifest, 'utf8')).toMatch(/^\{"kind":"manifest"/);
  expect(openTo(folder)).toEqual([]);
  // A link stays one: its file is as its owner made it.
  const link = join(folder, 'link.csv');
  await symlink(manifest, link);
  expect(await run('users', 'import', 'shop', lines, '--rejects', link)).toMatchObject({ code: 0 });
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readFile(manifest, 'utf8')).toContain('no email');
});

it('a file that is not complete is its owner’s, and leaves the one before it', async () => {
  const folder = await leftovers.folder();
  const path = join(folder, 'file');
  await writeFile(path, 'of before', { mode: 0o600 });
  const before = process.umask(0);
  try {
    const file = await createPrivateFile(path);
    await file.append('half');
    expect(readdirSync(folder)).toHaveLength(2);
    expect(openTo(folder)).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe('of before');
    await file.discard();
    expect(readdirSync(folder)).toEqual(['file']);
    const whole = await createPrivateFile(path);
    await whole.append('whole');
    await whole.end();
  } finally {
    process.umask(before);
  }
  expect([readdirSync(folder), readFileSync(path, 'utf8'), openTo(folder)]).toEqual([['file'], 'whole', []]);
});

it('backup.sh makes files and a folder of the caller’s own, also when it is killed (a script instead of docker)', async () => {
  const folder = await leftovers.folder();
  const backups = join(folder, 'all', 'backups');
  const backUp = async (docker: string): Promise<string[]> => {
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\n${docker}\n`, { mode: 0o755 });
    const command = [...OPEN, '/bin/sh', join(root, 'deploy', 'replica-set', 'backup.sh'), backups];
    await new Process(command, { PATH: `${folder}:${process.env.PATH}` }).ended;
    return readdirSync(backups).map((name) => name.replace(/^.*Z/, ''));
  };
  expect(await backUp('echo "$@"; case "$*" in *mongodump*) kill -KILL $PPID ;; esac')).toEqual(['.json', '.partial']);
  expect(openTo(join(folder, 'all'))).toEqual([]);
  expect(await backUp('echo "$@"')).toContain('.archive.gz');
  expect(openTo(join(folder, 'all'))).toEqual([]);
  expect((await lstat(backups)).mode & 0o777).toBe(0o700);
});
