// @module-tag long

import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/platform/core/config.ts';
import { findMongod } from '../../src/platform/embedded/mongod-binary.ts';
import { randomName } from '../support/database/databases.ts';
import { Client } from '../support/server/client.ts';
import { databaseUri, Leftovers, ServerProcess } from '../support/server/process.ts';

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

/** Creates an environment with a new DATA_DIR. Pass it to `start` again to restart the server. */
async function newEnv(): Promise<{ DATA_DIR: string; LOG_LEVEL: string }> {
  return { DATA_DIR: join(await leftovers.dataDir(), 'data'), LOG_LEVEL: 'error' };
}

function start(env: Record<string, string>, command?: readonly string[]): ServerProcess {
  return leftovers.keep(new ServerProcess(env, command));
}

/** Logs in and retries on 503, which the service may return on a busy machine. */
async function logIn(client: Client, password: string): Promise<void> {
  for (;;) {
    const { status } = await client.post('/auth/login', { sourceAppId: 'admin', password });
    if (status === 200) return;
    expect(status).toBe(503);
  }
}

/** Returns the process id of the mongod on `dataDir`, which mongod writes to its lock file. */
function mongodPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'mongodb', 'mongod.lock'), 'utf8'));
}

describe('first start, kill -9 and restart', () => {
  let env: Record<string, string>;
  let first: ServerProcess;
  let second: ServerProcess;
  let secondMongod: number;
  let admin: Client;

  beforeAll(async () => {
    env = await newEnv();
    first = start(env);
    admin = new Client(await first.url());
    await logIn(admin, await first.adminPassword());
    await admin.post('/auth/apps', { sourceAppId: 'forms' }).expect(200);
    await admin.submit('forms', { email: 'ada@example.com', data: { name: 'Ada' } }).expect(200);
    process.kill(first.pid, 'SIGKILL');
    // Without delay: the old mongod still runs, and its owner may still exist as a zombie process.
    second = start(env);
    await second.url();
    secondMongod = mongodPid(env.DATA_DIR ?? '');
  });

  it('prints the URL, the admin app with its password and a link on the first start', () => {
    expect(first.stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^User Collection Service is ready: (http:\/\/localhost:\d+) \(API documentation: \1\/docs\)$/,
      ),
      'Admin app: admin',
      expect.stringMatching(/^Admin password: \S{24,} \(shown this once; keep it\)$/),
      expect.stringMatching(
        /^First admin account: http:\/\/localhost:\d+\/dashboard\/invitation#\S{43} \(works once, for one hour\)$/,
      ),
    ]);
  });

  it('creates the first admin account by the link, once', async () => {
    const token = /invitation#(\S+)/.exec(first.stdout)?.[1];
    const body = { token, name: 'Ada', email: 'ada@example.com', password: 'a password of twelve' };
    const client = new Client(await second.url());
    await client.post('/auth/invitations/accept', { ...body, email: undefined }).expect(400);
    const accepted = await client.post('/auth/invitations/accept', body).expect(200);
    expect(accepted.body.account).toMatchObject({ email: 'ada@example.com', admin: true });
    await client.get('/auth/apps').expect(200);
    await client.post('/auth/invitations/accept', body).expect(410);
  });

  it('keeps every acknowledged record and does not print the password on restart', async () => {
    expect(second.stdout).not.toMatch(/assword|invitation/);
    const client = new Client(await second.url());
    await logIn(client, await first.adminPassword());
    const { body } = await client.get('/auth/admin/users').expect(200);
    expect(body.users).toHaveLength(1);
    expect(body.users[0]).toMatchObject({ sourceAppId: 'forms', email: 'ada@example.com', data: { name: 'Ada' } });
  });

  it('refuses to start a second server on the same DATA_DIR, and the first keeps running', async () => {
    const { code, stdout, stderr } = await start(env).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `Cannot start: The data folder ${env.DATA_DIR} is in use by process ${second.pid}. Stop that one first, or set DATA_DIR to another folder.\n`,
    );
    const health = await fetch(`${await second.url()}/ready`);
    expect(health.status).toBe(200);
  });

  it('restarts a killed mongod with all records', async () => {
    const client = new Client(await second.url());
    process.kill(secondMongod, 'SIGKILL');
    for (;;) {
      const ready = await fetch(`${await second.url()}/ready`);
      if (ready.status === 200 && mongodPid(env.DATA_DIR ?? '') !== secondMongod) break;
      await sleep(50);
    }
    await client.submit('forms', { email: 'ada@example.com', data: { name: 'Ada L.' } }).expect(200);
    await logIn(client, await first.adminPassword());
    const { body } = await client.get('/auth/admin/users').expect(200);
    expect(body.users).toHaveLength(1);
  });

  it('stops mongod and removes its pid file when it is stopped', async () => {
    const pid = mongodPid(env.DATA_DIR ?? '');
    expect(await second.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect((await readdir(env.DATA_DIR ?? '')).sort()).toEqual(['mongodb', 'session-secret']);
  });
});

it('a start with PUBLIC_URL prints that address', async () => {
  const server = start({ MONGODB_URI: databaseUri(randomName()), PUBLIC_URL: 'https://forms.example.com' });
  expect(await server.url()).toBe('https://forms.example.com');
  await server.waitForOutput(/First admin account: https:\/\/forms\.example\.com\/dashboard\/invitation#\S{43} /);
  expect(server.stdout).toContain('(API documentation: https://forms.example.com/docs)\n');
});

describe('stale pid files in DATA_DIR', () => {
  it('are ignored if a different process now has the pid of the owner', async () => {
    const env = await newEnv();
    const first = start(env);
    await first.url();
    const [pidFile = ''] = (await readdir(env.DATA_DIR)).filter((name) => name.endsWith('.pid'));
    process.kill(first.pid, 'SIGKILL');
    // The operating system reused the pid of the killed owner, here for this process.
    await writeFile(join(env.DATA_DIR, pidFile), String(process.pid));
    // Pid files of ports without a listener, one of them empty.
    await writeFile(join(env.DATA_DIR, 'mongod-1.pid'), String(process.pid));
    await writeFile(join(env.DATA_DIR, 'mongod-2.pid'), '');
    const second = start(env);
    await second.url();
    expect((await readdir(env.DATA_DIR)).filter((name) => name.endsWith('.pid'))).toHaveLength(1);
    expect(await second.end()).toMatchObject({ code: 0 });
  }, 60_000);

  it('let one of two concurrent starts on an empty DATA_DIR succeed and the other fail with a message', async () => {
    const env = await newEnv();
    const both = [start(env), start(env)];
    const loser = await Promise.race(both.map(async (server) => ({ server, ended: await server.ended })));
    expect(loser.ended.code).toBe(1);
    expect(loser.ended.stderr).toMatch(/^Cannot start: The data folder \S+ is in use by process \d+\. .*\n$/);
    const [winner] = both.filter((server) => server !== loser.server);
    await winner?.adminPassword();
    expect(loser.ended.stderr).toContain(`process ${winner?.pid}.`);
    expect(await winner?.end()).toMatchObject({ code: 0 });
  });

  it('are replaced if a process that starts at the same time removes the key before mongod reads it', async () => {
    const { path: mongod } = await findMongod(loadConfig(process.env).mongod, () => undefined);
    const folder = await leftovers.folder();
    const binary = join(folder, 'mongod');
    await writeFile(
      binary,
      `#!/bin/sh
if [ "$1" != --version ] && mkdir ${folder}/removed 2>/dev/null; then rm ${folder}/data/mongod-*.key; fi
exec ${mongod} "$@"
`,
      { mode: 0o700 },
    );
    const env = { ...(await newEnv()), DATA_DIR: join(folder, 'data'), MONGOMS_SYSTEM_BINARY: binary };
    const server = start(env);
    await server.url();
    expect(await readdir(folder)).toContain('removed');
    expect(await server.end()).toMatchObject({ code: 0 });
  });
});
