// @module-tag long

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../src/platform/core/free-port.ts';
import { randomName } from '../support/database/databases.ts';
import { FullPipe } from '../support/peers/full-pipe.ts';
import { databaseUri } from '../support/server/process.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

const LOGS = {
  'on a full disk'(): number {
    const fd = openSync('/dev/full', 'w');
    cleanups.push(() => closeSync(fd));
    return fd;
  },
  'in a pipe that nobody reads'(): number {
    const pipe = new FullPipe();
    cleanups.push(() => pipe.close());
    return pipe.writer;
  },
};

/** Starts a program with this log; resolves when it serves and has lines to write. */
async function serveWith(log: number, program: string[], workers: number) {
  const port = await freePort();
  const { PATH = '', HOME = '' } = process.env;
  const settings = { MONGODB_URI: databaseUri(randomName()), SESSION_SECRET: 'of the log tests' };
  const child = spawn(process.execPath, program, {
    // The level of the lines of /health.
    env: { PATH, HOME, ...settings, PORT: String(port), WORKERS: String(workers), LOG_LEVEL: 'debug' },
    stdio: ['ignore', log, log],
  });
  cleanups.push(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const health = () => fetch(`${url}/health`, { headers: { connection: 'close' } }).then(({ status }) => status);
  await expect.poll(() => health().catch(() => child.exitCode ?? 'away')).toBe(200);
  // More than a piece, in each worker.
  const requests = Array.from({ length: 200 }, health);
  expect(new Set(await Promise.all(requests))).toEqual(new Set([200]));
  return { child, pid: child.pid ?? 0, health, ended };
}

describe.each(Object.entries(LOGS))('a server with its log %s', (name, open) => {
  it.each([
    ['one process', ['dist/server.js'], 1],
    ['two workers', ['dist/server.js'], 2],
    // Node fails to end a file of which nothing can be written.
    ...(name === 'in a pipe that nobody reads' ? [['the command serve', ['dist/cli.js', 'serve'], 1] as const] : []),
  ] as const)('starts, serves and stops: %s', async (_program, program, workers) => {
    const server = await serveWith(open(), [...program], workers);
    server.child.kill('SIGTERM');
    // The code is 1 if the stop takes more than 10 seconds.
    expect(await server.ended).toEqual([0, null]);
    await expect(server.health()).rejects.toThrow('fetch failed');
  });

  it('has no workers when its first process was killed', async () => {
    const server = await serveWith(open(), ['dist/server.js'], 2);
    const children = (await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')).trim().split(' ');
    for (const child of children) cleanups.push(() => isAlive(child) && process.kill(Number(child), 'SIGKILL'));
    server.child.kill('SIGKILL');
    await expect.poll(() => children.filter(isAlive)).toEqual([]);
    await expect(server.health()).rejects.toThrow('fetch failed');
  });
});

describe('a server whose terminal is gone', () => {
  it.each([
    ['one process', 'dist/server.js', 1],
    ['two workers', 'dist/server.js', 2],
    ['the command serve', 'dist/cli.js serve', 1],
  ])('stops: %s', async (_, program, workers) => {
    const folder = await mkdtemp(join(tmpdir(), 'user-collection-terminal-'));
    cleanups.push(() => rm(folder, { recursive: true }));
    const recorded = (name: string) => readFile(join(folder, name), 'utf8').catch(() => '');
    const port = await freePort();
    const { PATH = '', HOME = '' } = process.env;
    const settings = { MONGODB_URI: databaseUri(randomName()), SESSION_SECRET: 'of the log tests' };
    // The shell gets SIGHUP when its terminal ends.
    const run = `setsid "${process.execPath}" ${program} <&3 & echo $! >"${folder}/pid"`;
    const shell = `trap "" HUP; exec 3<&0; ${run}; wait $!; echo $? >"${folder}/code"`;
    const terminal = spawn('script', ['-qfec', shell, '/dev/null'], {
      env: {
        PATH,
        HOME,
        ...settings,
        PORT: String(port),
        WORKERS: String(workers),
        LOG_LEVEL: 'debug',
        SHELL: '/bin/sh',
      },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    cleanups.push(() => terminal.kill('SIGKILL'));
    const url = `http://127.0.0.1:${port}/health`;
    const health = () => fetch(url).then(({ status }) => status);
    await expect.poll(() => health().catch(() => terminal.exitCode ?? 'away')).toBe(200);
    const pid = (await recorded('pid')).trim();
    cleanups.push(() => isAlive(pid) && process.kill(Number(pid), 'SIGKILL'));
    terminal.kill('SIGKILL');
    await once(terminal, 'exit');
    process.kill(Number(pid), 'SIGTERM');
    // The code is 1 if the stop takes more than 10 seconds.
    await expect.poll(() => recorded('code')).toBe('0\n');
  });
});

function isAlive(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}
