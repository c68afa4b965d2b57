import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/client.ts';
import { Leftovers, ServerProcess } from '../support/process.ts';

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

/** The environment of one server, given again to start it again. */
async function newEnv(): Promise<{ DATA_DIR: string; LOG_LEVEL: string }> {
  return { DATA_DIR: join(await leftovers.folder(), 'data'), LOG_LEVEL: 'error' };
}

function start(env: Record<string, string>, command?: readonly string[]): ServerProcess {
  return leftovers.keep(new ServerProcess(env, command));
}

/** Logs in as often as it takes: a machine that is busy may answer 503, and a client then asks again. */
async function logIn(client: Client, password: string): Promise<void> {
  for (;;) {
    const { status } = await client.post('/auth/login', { sourceAppId: 'admin', password });
    if (status === 200) return;
    expect(status).toBe(503);
  }
}

/** The process id of the mongod that serves `dataDir`, by its note of its own. */
function mongodPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'mongodb', 'mongod.lock'), 'utf8'));
}

describe('a first start, a kill -9 and the next start', () => {
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
    // At once: the old mongod still runs, and its owner's process id may still be held by a zombie.
    second = start(env);
    await second.url();
    secondMongod = mongodPid(env.DATA_DIR ?? '');
  });

  it('prints the URL and the admin app with its password once', () => {
    expect(first.stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^User Collection Service is ready: (http:\/\/localhost:\d+) \(API documentation: \1\/docs\)$/,
      ),
      'Admin app: admin',
      expect.stringMatching(/^Admin password: \S{24,} \(shown this once; keep it\)$/),
    ]);
  });

  it('finds every acknowledged record again, and does not print the password again', async () => {
    expect(second.stdout).not.toContain('assword');
    const client = new Client(await second.url());
    await logIn(client, await first.adminPassword());
    const { body } = await client.get('/auth/admin/users').expect(200);
    expect(body.users).toHaveLength(1);
    expect(body.users[0]).toMatchObject({ sourceAppId: 'forms', email: 'ada@example.com', data: { name: 'Ada' } });
  });

  it('refuses a second server on the same DATA_DIR in one readable line, and the first goes on', async () => {
    const { code, stdout, stderr } = await start(env).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `Cannot start: The data folder ${env.DATA_DIR} is in use by process ${second.pid}. Stop that one first, or set DATA_DIR to another folder.\n`,
    );
    const health = await fetch(`${await second.url()}/ready`);
    expect(health.status).toBe(200);
  });

  it('starts a mongod that was killed again by itself, with all records', async () => {
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

  it('leaves no mongod and no claim behind when it is stopped', async () => {
    const pid = mongodPid(env.DATA_DIR ?? '');
    expect(await second.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect((await readdir(env.DATA_DIR ?? '')).sort()).toEqual(['mongodb', 'session-secret']);
  });
});

describe('claims on DATA_DIR that prove nothing', () => {
  it('does not take a living process with a dead owner’s id for the owner', async () => {
    const env = await newEnv();
    const first = start(env);
    await first.url();
    const [claim = ''] = (await readdir(env.DATA_DIR)).filter((name) => name.endsWith('.pid'));
    process.kill(first.pid, 'SIGKILL');
    // The killed owner's id given again; here to this process, which lives.
    await writeFile(join(env.DATA_DIR, claim), String(process.pid));
    // And claims whose ports nobody serves, or which hold no id.
    await writeFile(join(env.DATA_DIR, 'mongod-1.pid'), String(process.pid));
    await writeFile(join(env.DATA_DIR, 'mongod-2.pid'), '');
    const second = start(env);
    await second.url();
    expect((await readdir(env.DATA_DIR)).filter((name) => name.endsWith('.pid'))).toHaveLength(1);
    expect(await second.end()).toMatchObject({ code: 0 });
  }, 60_000);

  it('lets one of two that start at once on an empty DATA_DIR win, and tells the other', async () => {
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
});
