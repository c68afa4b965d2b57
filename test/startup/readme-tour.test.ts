import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const HEADING = '## A tour with curl';
const ADMIN_PASSWORD = 'the password of the tour';

/** A command of the README and the output shown below it. */
interface Step {
  command: string;
  answer: string;
}

const steps = readTour(readFileSync(join(root, 'README.md'), 'utf8'));

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
    const env = { PATH: process.env.PATH, URL: url, ADMIN_PASSWORD };
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-euc', command], { cwd: folder, env });
    expect(stderr).toBe('');
    expect(answersIn(stdout)).toEqual(answersIn(answer));
  });
});

/** Returns the `bash` blocks of the tour, each with the `json` block that follows it. */
function readTour(readme: string): Step[] {
  const begin = readme.indexOf(`${HEADING}\n`);
  const tour = readme.slice(begin, readme.indexOf('\n## ', begin + 1));
  const found = [...tour.matchAll(/```bash\n([\s\S]*?)\n```\n\n```json\n([\s\S]*?)\n```/g)];
  const blocks = tour.match(/```bash\n/g) ?? [];
  if (found.length === 0 || found.length !== blocks.length) {
    throw new Error(`each bash block under "${HEADING}" must be followed by the json block of its answer`);
  }
  return found.map(([, command = '', answer = '']) => ({ command, answer }));
}

/**
 * Parses a text of one JSON document per line. Replaces values that differ between runs (ids,
 * times, passwords) by placeholders if they have the expected form.
 */
function answersIn(text: string): unknown[] {
  const forms: [RegExp, string][] = [
    [/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, '<id>'],
    [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'],
    [/(?<="password":")[A-Za-z0-9_-]{32}(?=")/g, '<password>'],
  ];
  const normalized = forms.reduce((result, [pattern, name]) => result.replaceAll(pattern, name), text);
  return normalized
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

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
