import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { randomName } from '../support/databases.ts';
import { databaseUri, Leftovers, ServerProcess } from '../support/process.ts';

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

const { start }: { start: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
).scripts;
const [, platformCheck = '', posix, windows] = /^(node -e ".+") && exec (node .+) \|\| (node .+)$/.exec(start) ?? [];

/** NODE_OPTIONS that set `process.platform` to win32 in `node -e`. */
const asOnWindows = `--import=data:text/javascript,${encodeURIComponent(
  "if (process.execArgv.includes('-e')) Object.defineProperty(process, 'platform', { value: 'win32' })",
)}`;

describe('npm start', () => {
  it('runs the same command on every system, with `exec` where the shell supports it', () => {
    expect(posix).toMatch(/^node (--\S+ )+scripts\/start\.mjs$/);
    expect(windows).toBe(posix);
    const check = (NODE_OPTIONS: string) =>
      spawnSync('sh', ['-c', platformCheck], { env: { PATH: process.env.PATH, NODE_OPTIONS } }).status;
    expect(check('')).toBe(0);
    expect(check(asOnWindows)).toBe(1);
    // Characters that cmd.exe interprets.
    expect(platformCheck).not.toMatch(/[%^&|<>!]/);
  });

  it('starts without `exec`, as on Windows, and stops when the terminal interrupts the process group', async () => {
    const env = { MONGODB_URI: databaseUri(randomName()), SESSION_SECRET: 'of the start tests', LOG_LEVEL: 'silent' };
    // A separate session, as in a terminal; npm becomes its leader.
    const command = ['setsid', 'npm', 'start', '--silent'];
    const npm = leftovers.keep(new ServerProcess({ ...env, NODE_OPTIONS: asOnWindows }, command));
    try {
      const url = await npm.url();
      expect((await fetch(`${url}/ready`)).status).toBe(200);
      process.kill(-npm.pid, 'SIGINT');
      await npm.ended;
      await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
    } finally {
      // After a failure the server may still run although npm has exited.
      spawnSync('kill', ['-KILL', '--', `-${npm.pid}`]);
    }
  });
});
