// @module-tag long

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answersIn, readTour, runStep } from '../support/samples/readme-tour.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ADMIN_PASSWORD = 'the password of the tour';

const steps = readTour();

let folder: string;
let server: ChildProcess;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readme-tour-'));
  server = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: join(folder, 'data'), PORT: '0', ADMIN_PASSWORD },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  url = await announcedUrl(server);
}, 240_000);

afterAll(async () => {
  if (server.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit');
  await rm(folder, { recursive: true, force: true });
});

describe('the tour of the README', () => {
  it('has a command for each endpoint that it introduces', () => {
    const text = steps.map(({ command }) => command).join('\n');
    for (const path of ['/auth/login', '/auth/apps', '/schema', '/v1/users', '/auth/admin/users']) {
      expect(text).toContain(path);
    }
  });

  it.each(steps)('shows the actual output: $command', async ({ command, answer }) => {
    let output = '';
    for (let tries = 1; tries <= 10; tries += 1) {
      const { stdout, stderr } = await runStep(command, folder, { URL: url, ADMIN_PASSWORD });
      expect(stderr).toBe('');
      output = stdout;
      // On a busy machine a hash or a statement can take longer than the service gives a request.
      if (!/"code":"(tookTooLong|noDatabase|tooManyLogIns)"/.test(output)) break;
    }
    expect(answersIn(output)).toEqual(answersIn(answer));
  });
});

/** Returns the URL that a starting server prints. */
async function announcedUrl(started: ChildProcess): Promise<string> {
  if (!started.stdout) throw new Error('the output of the server is not piped');
  for await (const line of createInterface({ input: started.stdout })) {
    const found = /is ready: (http:\/\/\S+)/.exec(line)?.[1];
    if (found === undefined) continue;
    started.stdout.resume();
    return found;
  }
  throw new Error('the server exited before it was ready');
}
