// @module-tag long

import { spawnSync } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { databaseUri, Leftovers, ServerProcess } from '../support/server/process.ts';

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

// test/startup/stop.test.ts sends SIGTERM to npm.
it('npm start stops when the terminal interrupts the process group', async () => {
  const env = { MONGODB_URI: databaseUri(randomName()), SESSION_SECRET: 'of the start tests', LOG_LEVEL: 'silent' };
  // A session of its own, as in a terminal; npm becomes its leader.
  const npm = leftovers.keep(new ServerProcess(env, ['setsid', 'npm', 'start', '--silent']));
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
