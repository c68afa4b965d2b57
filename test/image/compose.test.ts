import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../src/platform/core/free-port.ts';
import { answersIn, readTour, runStep } from '../support/samples/readme-tour.ts';

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
/** What is in .env beside the secrets of MongoDB. */
let settings: string;
const KEY = 'fedcba9876543210';
let secret = '0123456789abcdef';
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
  settings = example
    .replace(/^MONGODB_(?:KEY|PASSWORD)=$/gm, '')
    .replace(/^SESSION_SECRET=$/m, "SESSION_SECRET='a secret of the test of the $image'")
    .replace(/^#PORT=3000$/m, `PORT=${await freePort()}`)
    .replace(/^#HOST=.*$/m, 'HOST=127.0.0.1')
    .replace(/^#RATE_LIMIT_SUBMIT=.*$/m, 'RATE_LIMIT_SUBMIT=0')
    .replace(/^#WEBHOOKS_ALLOW_PRIVATE=.*$/m, 'WEBHOOKS_ALLOW_PRIVATE=true');
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

const setSecrets = (secrets: Record<string, string>) =>
  writeFile(join(folder, '.env'), [settings, ...Object.entries(secrets).map((pair) => pair.join('='))].join('\n'));

const compose = (command: string) => shell(`docker compose ${command}`);

/** The cookie of a session of the admin app. */
async function logIn(): Promise<string> {
  const body = JSON.stringify({ sourceAppId: 'admin', password });
  const headers = { 'Content-Type': 'application/json' };
  const { headers: answered } = await fetch(`${url}/auth/login`, { method: 'POST', headers, body });
  return answered.getSetCookie()[0]?.split(';')[0] ?? '';
}

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

/** Starts what .env and the files of the folder say; reads the address and the password. */
async function start(): Promise<void> {
  await compose('up --detach --wait');
  const log = await compose('logs --no-log-prefix service');
  [, url = ''] = /is ready: (\S+)/.exec(log) ?? [];
  [, password = password] = /Admin password: (\S+) /.exec(log) ?? [];
  expect((await fetch(`${url}/ready`)).status).toBe(200);
}

/** Runs a script in the container of the service, which has MongoDB's driver. */
const inService = (script: string) =>
  shell(`docker compose exec -T service node --input-type=module - <<'END'\n${script}\nEND`);

/** The code of MongoDB's answer to an operation of a client of the service's user. */
async function codeOf(operation: string, uri = 'process.env.MONGODB_URI'): Promise<number> {
  const printed = await inService(`
    import { MongoClient } from 'mongodb';
    const client = new MongoClient(${uri}, { serverSelectionTimeoutMS: 10_000 });
    console.log(await (${operation})(client).then(() => 0, (error) => error.code ?? error.message));
    await client.close();
  `);
  return Number(printed);
}

const volumes = async () => (await shell('docker volume ls --quiet')).split('\n').sort();
/** Those of before the test. */
let before: string[];

describe('a volume of version 1.0.0', () => {
  const NEW = ['docker-compose.yml', 'deploy/replica-set/initiate.js'];
  const old = join(import.meta.dirname, '1.0.0');

  it('gets the user of the service when MONGODB_KEY is added', async () => {
    await setSecrets({ MONGODB_PASSWORD: secret });
    for (const file of NEW) await cp(join(old, file.replace(/.*\//, '')), join(folder, file));
    await compose('build');
    await start();
    await shell(`${CLI} app create newsletter`);
    await expect.poll(() => submit('old@example.com')).toBe(true);

    for (const file of NEW) await cp(join(root, file), join(folder, file));
    await expect(compose('up --detach --wait')).rejects.toThrow('Set MONGODB_KEY in .env');
    await setSecrets({ MONGODB_KEY: KEY, MONGODB_PASSWORD: secret });
    await start();
    expect(await submit('new@example.com')).toBe(true);
    const emails = (await shell(`${CLI} users export newsletter --format ndjson`)).match(/[a-z]+@example\.com/g);
    expect(emails?.sort()).toEqual(['new@example.com', 'old@example.com']);
    await compose('down --volumes');
  });
});

it('builds and starts', async () => {
  // That version left volumes.
  before = await volumes();
  await compose('build');
  await start();
});

it.each(readTour())('shows the output of the README: $command', async ({ command, answer }) => {
  const { stdout } = await runStep(command, folder, { URL: url, ADMIN_PASSWORD: password });
  expect(answersIn(stdout)).toEqual(answersIn(answer));
});

it('refuses those who do not know the password of MongoDB', async () => {
  const asked = compose('exec -T mongodb mongosh --quiet --eval "db.getMongo().getDBNames()"');
  await expect(asked).rejects.toThrow(/requires authentication/);
});

describe('the user of the service', () => {
  const UNAUTHORIZED = 13;
  const AUTHENTICATION_FAILED = 18;

  it.each([
    ['create a user', `(c) => c.db('admin').command({ createUser: 'me', pwd: 'x', roles: ['root'] })`],
    ['drop another database', `(c) => c.db('other').dropDatabase()`],
    ['set a parameter', `(c) => c.db('admin').command({ setParameter: 1, logLevel: 0 })`],
    ['shut MongoDB down', `(c) => c.db('admin').command({ shutdown: 1, force: true })`],
  ])('may not %s', async (_title, operation) => {
    expect(await codeOf(operation)).toBe(UNAUTHORIZED);
  });

  it('has no key in its environment', async () => {
    expect(await shell('docker compose exec -T service printenv')).not.toContain(KEY);
    const asSystem = `'mongodb://__system:' + process.env.MONGODB_PASSWORD + '@mongodb:27017/?authSource=local'`;
    expect(await codeOf('(c) => c.db().command({ dbStats: 1 })', asSystem)).toBe(AUTHENTICATION_FAILED);
  });

  it('gets another password by .env and up', async () => {
    const asBefore = `process.env.MONGODB_URI.replace(/:[^:@]+@/, ':${secret}@')`;
    secret = 'another0password';
    await setSecrets({ MONGODB_KEY: KEY, MONGODB_PASSWORD: secret });
    await start();
    expect(await submit('rotated@example.com')).toBe(true);
    expect(await codeOf('(c) => c.db().command({ dbStats: 1 })', asBefore)).toBe(AUTHENTICATION_FAILED);
    expect(await codeOf('(c) => c.db().command({ dbStats: 1 })')).toBe(0);
  });

  it('serves files and webhooks', async () => {
    const listen = `require('http').createServer((q, r) => { q.pipe(require('fs').createWriteStream('/tmp/event')); r.end(); }).listen(8000)`;
    await shell(`docker compose exec --detach service node -e "${listen}"`);
    const cookie = await logIn();
    const send = async (method: string, path: string, body: object) => {
      const headers = { cookie, 'Content-Type': 'application/json' };
      const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    };
    expect(await send('POST', '/auth/apps', { sourceAppId: 'files' })).toMatchObject({ status: 200 });
    const fields = [{ key: 'cv', kind: 'file', types: ['pdf'] }];
    expect(await send('PUT', '/auth/apps/files/schema', { rejectUnknown: true, fields })).toMatchObject({
      status: 200,
    });
    const hook = { url: 'http://127.0.0.1:8000/', events: ['user.created'] };
    expect(await send('POST', '/auth/webhooks?sourceAppId=files', hook)).toMatchObject({ status: 200 });

    const query = 'field=cv&name=cv.pdf';
    const pdf = '%PDF-1.7\ncontent\n%%EOF\n';
    const uploaded = await fetch(`${url}/v1/forms/files/files?${query}`, { method: 'POST', body: pdf });
    const { token } = (await uploaded.json()) as { token: string };
    const headers = { 'x-app-id': 'files', 'Content-Type': 'application/json' };
    const body = JSON.stringify({ email: 'ada@example.com', data: { cv: [token] } });
    expect((await fetch(`${url}/v1/users`, { method: 'POST', headers, body })).status).toBe(200);
    const event = () => shell('docker compose exec -T service cat /tmp/event').catch(() => '');
    await expect.poll(event, { timeout: 60_000 }).toContain('user.created');
  });

  it('suffices for the command line', async () => {
    const doctor = await shell(`${CLI} doctor --json || true`);
    expect(doctor).toContain('PRIMARY');
    expect(doctor).not.toContain('could not be checked');
    await shell(`${CLI} migrate`);
    expect(await shell(`${CLI} shard --print`)).toContain('sh.shardCollection');
    await expect(shell(`${CLI} shard --apply`)).rejects.toThrow('not to a mongos');
    // As docs/restore-drill.md: the container has no file system to write.
    await shell(`${CLI} verify --write - > manifest.jsonl`);
    await shell(`${CLI} verify /dev/stdin < manifest.jsonl`);
  });
});

it('logs no successful check of the health', async () => {
  expect(await compose('logs --no-log-prefix service')).not.toMatch(/"path":"\/(?:health|ready)"/);
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

it('gives the user the password of .env again, after a backup of another one', async () => {
  await compose('run --rm -T tools mongodump --oplog > users.gz');
  secret = 'the2third2password';
  await setSecrets({ MONGODB_KEY: KEY, MONGODB_PASSWORD: secret });
  await start();
  await compose('stop service');
  await compose('run --rm -T tools mongorestore --drop --oplogReplay < users.gz');
  await start();
  await expectAll();
});

it('leaves no volume but that of the data', async () => {
  await compose('--profile tools down');
  const left = (await volumes()).filter((name) => !before.includes(name));
  expect(left).toEqual([`user-collection-test-${process.pid}_mongodb`]);
});
