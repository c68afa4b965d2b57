import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../src/platform/core/free-port.ts';
import { answersIn, readTour, runStep } from '../support/readme-tour.ts';

/*
 * Runs the commands of docs/operations.md in a copy of the repository, on the engine of `docker`
 * (DOCKER_HOST). Where no registry is reached, COMPOSE_FILE names a second file with other images:
 * COMPOSE_FILE=docker-compose.yml:/path/of/override.yml npm run test:image
 */

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const SENDERS = 8;
const CLI = 'docker compose exec -T service node dist/cli.js';

let folder: string;
let url: string;
let password: string;
/** The emails of the load whose submission was answered with 200. */
const acknowledged: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'user-collection-image-'));
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(root, file), join(folder, file)).catch(ignoreDeleted);
  }
  const example = await readFile(join(folder, '.env.example'), 'utf8');
  const env = example
    .replace(/^SESSION_SECRET=$/m, "SESSION_SECRET='a secret of the test of the $image'")
    .replace(/^MONGODB_PASSWORD=$/m, 'MONGODB_PASSWORD=0123456789abcdef')
    .replace(/^#PORT=3000$/m, `PORT=${await freePort()}`)
    .replace(/^#HOST=.*$/m, 'HOST=127.0.0.1')
    .replace(/^#RATE_LIMIT_SUBMIT=.*$/m, 'RATE_LIMIT_SUBMIT=0');
  await writeFile(join(folder, '.env'), env);
});

afterAll(async () => {
  await compose('--profile tools down --volumes --rmi local');
  await rm(folder, { recursive: true, force: true });
});

const ignoreDeleted = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ENOENT') throw error;
};

/** Runs a command, such as one of a document, in the copy, with a project of the test. */
async function shell(command: string): Promise<string> {
  const env = { ...process.env, COMPOSE_PROJECT_NAME: `user-collection-test-${process.pid}` };
  return (await run('bash', ['-euc', command], { cwd: folder, env, maxBuffer: 2 ** 28 })).stdout;
}

const compose = (command: string) => shell(`docker compose ${command}`);

async function submit(email: string): Promise<boolean> {
  const body = JSON.stringify({ email, data: { name: 'Load' } });
  const headers = { 'x-app-id': 'newsletter', 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/v1/users`, { method: 'POST', headers, body }).catch(() => undefined);
  return response?.status === 200;
}

/** Submits from several clients until `action` has ended. */
async function underLoad(name: string, action: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  let count = 0;
  const senders = Array.from({ length: SENDERS }, async (_, sender) => {
    for (let n = 0; !isOver; n += 1) {
      const email = `${name}-${sender}-${n}@example.com`;
      if (await submit(email)) {
        acknowledged.push(email);
        count += 1;
      } else await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
  await expect.poll(() => count, { timeout: 60_000 }).toBeGreaterThan(100);
  await action();
  isOver = true;
  await Promise.all(senders);
}

/** Each acknowledged email is in the export once. */
async function expectAll(): Promise<void> {
  const lines = await shell(`${CLI} users export newsletter --format ndjson`);
  const emails = lines
    .split('\n')
    .flatMap((line) => /"email":"([^"]+)"/.exec(line)?.[1] ?? [])
    .sort();
  expect(new Set(emails).size).toBe(emails.length);
  expect(acknowledged.filter((email) => !emails.includes(email))).toEqual([]);
}

it('builds and starts', async () => {
  await compose('build');
  await compose('up --detach --wait');
  const log = await compose('logs --no-log-prefix service');
  [, url = ''] = /is ready: (\S+)/.exec(log) ?? [];
  [, password = ''] = /Admin password: (\S+) /.exec(log) ?? [];
  expect((await fetch(`${url}/ready`)).status).toBe(200);
});

it.each(readTour())('shows the output of the README: $command', async ({ command, answer }) => {
  const { stdout } = await runStep(command, folder, { URL: url, ADMIN_PASSWORD: password });
  expect(answersIn(stdout)).toEqual(answersIn(answer));
});

it('refuses those who do not know the password of MongoDB', async () => {
  const asked = compose('exec -T mongodb mongosh --quiet --eval "db.getMongo().getDBNames()"');
  await expect(asked).rejects.toThrow(/requires authentication/);
});

it('loses nothing when the service is stopped or MongoDB is killed under load, and keeps all over down and up', async () => {
  await underLoad('stop', () => compose('stop service'));
  const [ended = ''] = (await compose('ps --all --format {{.ExitCode}} service')).split('\n');
  expect(ended).toBe('0');
  await compose('up --detach --wait');
  await underLoad('kill', async () => {
    await compose('kill mongodb');
    await compose('up --detach --wait');
    await expect.poll(() => submit('after@example.com'), { timeout: 60_000 }).toBe(true);
  });
  await expectAll();
  await compose('down');
  await compose('up --detach --wait');
  await expectAll();
});

it('restores a backup', async () => {
  await compose('run --rm -T tools mongodump --oplog > users.gz');
  await shell(`${CLI} app delete newsletter --yes`);
  await compose('stop service');
  await compose('run --rm -T tools mongorestore --drop --oplogReplay < users.gz');
  await compose('up --detach --wait');
  await expectAll();
});
