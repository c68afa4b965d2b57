// @module-tag long

import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../src/platform/core/free-port.ts';
import { attachEmbedded } from '../../src/platform/embedded/embedded.ts';
import { Mongod } from '../faults/mongod.ts';
import { Leftovers, runCli, ServerProcess } from '../support/server/process.ts';

const leftovers = new Leftovers();
const mongods: Mongod[] = [];
afterAll(async () => {
  await Promise.all(mongods.map((mongod) => mongod.kill()));
  await leftovers.clear();
});

const ADMIN_PASSWORD = 'the-admin-password-of-the-access-tests';
const UNAUTHORIZED = 13;
const AUTHENTICATION_FAILED = 18;

/** A server with its own embedded database. */
class Embedded {
  readonly dataDir: string;
  server: ServerProcess;

  constructor(dataDir: string) {
    this.dataDir = dataDir;
    this.server = this.#start();
  }

  /** Kills the server with SIGKILL, runs `meanwhile` and starts a new server. */
  async restart(meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
    process.kill(this.server.pid, 'SIGKILL');
    await meanwhile();
    this.server = this.#start();
    await this.server.url();
  }

  async uri(): Promise<string> {
    return (await readFile(join(this.dataDir, 'mongodb-uri'), 'utf8')).trim();
  }

  async key(): Promise<string> {
    return readFile(join(this.dataDir, await this.#fileOfKind('key')), 'utf8');
  }

  async port(): Promise<number> {
    return Number(/\d+/.exec(await this.#fileOfKind('pid')));
  }

  /** Returns the URI without credentials, which users without access to DATA_DIR can guess. */
  async uriWithoutKey(): Promise<string> {
    return `mongodb://127.0.0.1:${await this.port()}/user-collection?directConnection=true`;
  }

  mongodPid(): number {
    return Number(readFileSync(join(this.dataDir, 'mongodb', 'mongod.lock'), 'utf8'));
  }

  cli(...args: string[]) {
    return runCli(args, { DATA_DIR: this.dataDir });
  }

  async remove(kind: 'key'): Promise<void> {
    await rm(join(this.dataDir, await this.#fileOfKind(kind)));
  }

  async #fileOfKind(kind: 'pid' | 'key'): Promise<string> {
    const [name, ...others] = (await readdir(this.dataDir)).filter((file) => file.endsWith(`.${kind}`));
    expect(others).toEqual([]);
    return name ?? '';
  }

  #start(): ServerProcess {
    return leftovers.keep(new ServerProcess({ DATA_DIR: this.dataDir, ADMIN_PASSWORD, LOG_LEVEL: 'trace' }));
  }
}

/** Runs an operation on a new connection; resolves with its result or with MongoDB's error code. */
async function runOn<T>(uri: string, operation: (client: MongoClient) => Promise<T>): Promise<T | number> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5_000 });
  try {
    return await operation(client);
  } catch (error) {
    if (error instanceof MongoServerError) return Number(error.code);
    throw error;
  } finally {
    await client.close();
  }
}

/** Starts a mongod without authentication and writes a pid file for it. */
async function startOtherMongod(dataDir: string, ownerPid: number): Promise<Mongod> {
  await mkdir(join(dataDir, 'mongodb'), { recursive: true });
  const mongod = new Mongod(await freePort(), join(dataDir, 'mongodb'), []);
  mongods.push(mongod);
  await mongod.start();
  await writeFile(join(dataDir, `mongod-${mongod.port}.pid`), String(ownerPid));
  return mongod;
}

const attempts: [string, (client: MongoClient) => Promise<unknown>][] = [
  ['read', (client) => client.db().collection('apps').findOne()],
  ['list databases', (client) => client.db('admin').command({ listDatabases: 1 })],
  ['write', (client) => client.db().collection('apps').insertOne({ sourceAppId: 'intruder' })],
  ['delete', (client) => client.db().dropDatabase()],
  ['create a user', (client) => client.db('admin').command({ createUser: 'me', pwd: 'x', roles: ['root'] })],
  ['see the options', (client) => client.db('admin').command({ getCmdLineOpts: 1 })],
  ['shut down', (client) => client.db('admin').command({ shutdown: 1, force: true })],
];

describe('authentication of the embedded database (attack: access by other users of the machine)', () => {
  let embedded: Embedded;
  beforeAll(async () => {
    embedded = new Embedded(join(await leftovers.dataDir(), 'data'));
    await embedded.server.url();
  });

  it.each(attempts)('refuses to %s without the key', async (_name, attempt) => {
    expect(await runOn(await embedded.uriWithoutKey(), attempt)).toBe(UNAUTHORIZED);
  });

  it.each(attempts)('refuses to %s with another key', async (_name, attempt) => {
    const guessed = (await embedded.uri()).replace(/__system:\w{8}/, '__system:00000000');
    expect(await runOn(guessed, attempt)).toBe(AUTHENTICATION_FAILED);
  });

  it('allows reads and writes with the URI in DATA_DIR/mongodb-uri', async () => {
    const uri = await embedded.uri();
    const app = await runOn(uri, (client) => client.db().collection('apps').findOne());
    expect(app).toMatchObject({ sourceAppId: 'admin' });
    const written = await runOn(uri, (client) => client.db('other').collection('a').insertOne({ a: 1 }));
    expect(written).toMatchObject({ acknowledged: true });
  });

  it('restricts the files that contain the key to the owner of DATA_DIR', async () => {
    const key = await embedded.key();
    expect(key).toMatch(/^[0-9a-f]{96}$/);
    const names = await readdir(embedded.dataDir);
    const keyFiles = names.filter((name) => name !== 'mongodb' && read(join(embedded.dataDir, name)).includes(key));
    expect(keyFiles.sort()).toEqual([`mongod-${await embedded.port()}.key`, 'mongodb-uri']);
    for (const name of keyFiles) expect((await stat(join(embedded.dataDir, name))).mode & 0o777).toBe(0o600);
    expect((await stat(embedded.dataDir)).mode & 0o777).toBe(0o700);
  });

  it('keeps the key out of command lines, environments and output', async () => {
    const [key, port] = [await embedded.key(), await embedded.port()];
    const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const listed = processes.map((pid) => read(`/proc/${pid}/cmdline`) + read(`/proc/${pid}/environ`));
    expect(listed.some((text) => text.includes(`mongod-${port}.key`))).toBe(true);
    expect(listed.filter((text) => text.includes(key))).toEqual([]);
    expect(embedded.server.stdout + embedded.server.stderr).not.toContain(key);
  });

  it('allows the command-line tool while the server runs', async () => {
    const { code, stdout, stderr } = await embedded.cli('app', 'list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('admin');
  });

  it('writes a lost key file again when mongod restarts', async () => {
    const [before, uri] = [embedded.mongodPid(), await embedded.uri()];
    await embedded.remove('key');
    process.kill(before, 'SIGKILL');
    while (!(await readdir(embedded.dataDir)).some((name) => name.endsWith('.key'))) await sleep(50);
    expect(await runOn(uri, (client) => client.db('admin').command({ ping: 1 }))).toMatchObject({ ok: 1 });
    expect(embedded.mongodPid()).not.toBe(before);
    expect(await embedded.cli('app', 'list')).toMatchObject({ code: 0 });
  }, 60_000);

  it('replaces the orphaned mongod and its key at the next start after kill -9', async () => {
    const [key, orphanPid] = [await embedded.key(), embedded.mongodPid()];
    await embedded.restart();
    expect(embedded.mongodPid()).not.toBe(orphanPid);
    expect(await embedded.key()).not.toBe(key);
    expect(await runOn(await embedded.uri(), (client) => client.db().collection('apps').countDocuments())).toBe(1);
  }, 60_000);

  it('starts with all data after kill -9 and the loss of the key file', async () => {
    await embedded.restart(() => embedded.remove('key'));
    expect(await runOn(await embedded.uri(), (client) => client.db().collection('apps').countDocuments())).toBe(1);
    expect(embedded.server.stdout).not.toContain('Admin password');
  }, 60_000);

  it('removes the key and URI files when it stops', async () => {
    expect(await embedded.server.end('SIGTERM')).toMatchObject({ code: 0 });
    expect((await readdir(embedded.dataDir)).sort()).toEqual(['mongodb', 'session-secret']);
  });
});

it('a mongod that cannot prove that it knows the key is not used', async () => {
  const dataDir = await leftovers.dataDir();
  const other = await startOtherMongod(dataDir, process.pid);
  const owner = await new MongoClient(`${other.uri}&appName=user-collection-owner`).connect();
  try {
    await writeFile(join(dataDir, `mongod-${other.port}.key`), '0'.repeat(96), { mode: 0o600 });
    expect(await attachEmbedded({ dataDir })).toBeUndefined();
  } finally {
    await owner.close();
  }
});

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // the process has exited
  }
}
