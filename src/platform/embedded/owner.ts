import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';

/**
 * The files in DATA_DIR that describe a running mongod: `mongod-<port>.pid` (the pid file: its
 * owner's process id), `mongod-<port>.key` (the key that it accepts), and `mongodb-uri` for
 * operators and their tools.
 *
 * Each start generates a new key, so a leaked key is useless after a restart. The port in the names
 * keeps two processes that start at the same time from overwriting each other's files.
 */
const MONGOD_FILE = /^mongod-(\d+)\.(?:pid|key)$/;
const URI_FILE = 'mongodb-uri';
const KEY_BYTES = 48;

/** Generates a key for `mongod --keyFile` that needs no escaping in a URI or a shell. */
export function createKey(): string {
  return randomBytes(KEY_BYTES).toString('hex');
}

export function keyPath(dataDir: string, port: number): string {
  return join(dataDir, `mongod-${port}.key`);
}

/** Call it before mongod starts, so that a mongod whose owner dies can always be found. */
export async function writePidFile(dataDir: string, port: number, key: string): Promise<void> {
  await writeSecret(keyPath(dataDir, port), key);
  await writeSecret(pidPath(dataDir, port), String(process.pid));
}

export async function removePidFile(dataDir: string, port: number): Promise<void> {
  await rm(pidPath(dataDir, port), { force: true });
  await rm(keyPath(dataDir, port), { force: true });
}

/** Call it only while the own mongod runs: its lock on the data files excludes any other. */
export async function removeOtherPidFiles(dataDir: string, port: number): Promise<void> {
  for (const other of await listPorts(dataDir)) if (other !== port) await removePidFile(dataDir, other);
}

/** The ports that have a pid file or a key file. */
async function listPorts(dataDir: string): Promise<number[]> {
  const names = await readdir(dataDir).catch(() => []);
  return [...new Set(names.flatMap((name) => MONGOD_FILE.exec(name)?.[1] ?? []).map(Number))];
}

/** The process id in the pid file of `port`; 0 when there is none. */
async function readOwnerPid(dataDir: string, port: number): Promise<number> {
  return Number(await readFile(pidPath(dataDir, port), 'utf8').catch(() => '0'));
}

/** The key in the key file of `port`; undefined when there is none. */
export async function readKey(dataDir: string, port: number): Promise<string | undefined> {
  return readFile(keyPath(dataDir, port), 'utf8').catch(() => undefined);
}

/** Writes the URI with which backup tools connect to the running mongod. */
export async function publishUri(dataDir: string, uri: string): Promise<void> {
  await writeSecret(join(dataDir, URI_FILE), `${uri}\n`);
}

export async function withdrawUri(dataDir: string): Promise<void> {
  await rm(join(dataDir, URI_FILE), { force: true });
}

function pidPath(dataDir: string, port: number): string {
  return join(dataDir, `mongod-${port}.pid`);
}

/** Replaces the file, because a mode applies to new files only. */
async function writeSecret(path: string, content: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, content, { mode: 0o600, flag: 'wx' });
}

/** The application name of the owner's connections. */
const OWNER_APP_NAME = 'user-collection-owner';
const PROBE_TIMEOUT_MS = 2_000;

/** The address of a mongod on this machine. */
interface MongodAddress {
  port: number;
  key: string;
}

/** A mongod that runs on a DATA_DIR. */
export interface RunningMongod extends MongodAddress {
  ownerPid: number;
  /** Whether the owner is connected. If not, it is dead or still starting. */
  isOwned: boolean;
}

/** `__system` is MongoDB's internal user, whose password is the key. */
export function embeddedUri({ port, key }: MongodAddress, as: 'owner' | 'client'): string {
  const login = 'authSource=local&authMechanism=SCRAM-SHA-256';
  const name = as === 'owner' ? `&appName=${OWNER_APP_NAME}` : '';
  return `mongodb://__system:${key}@127.0.0.1:${port}/user-collection?directConnection=true&${login}${name}`;
}

/**
 * Finds the process that owns the embedded database of a DATA_DIR, and its address.
 *
 * A pid file proves nothing: process ids and ports are reused, and a container sees only its own
 * processes. So the mongod on a recorded port is queried for its folder and for a connection of its
 * owner. Both sides authenticate with the key (SCRAM) without revealing it.
 */
export async function findRunning(dataDir: string): Promise<RunningMongod | undefined> {
  for (const port of await listPorts(dataDir)) {
    const key = await readKey(dataDir, port);
    if (key === undefined) continue;
    const address = { port, key };
    const isOwned = await queryMongod(address, async (admin) => {
      const options = await admin.command({ getCmdLineOpts: 1 });
      if (options.parsed?.storage?.dbPath !== mongodbFolder(dataDir)) return undefined;
      const connections = admin.aggregate([
        { $currentOp: { allUsers: true, idleConnections: true } },
        { $match: { appName: OWNER_APP_NAME } },
      ]);
      return (await connections.next()) !== null;
    });
    if (isOwned === undefined) continue;
    return { ...address, ownerPid: await readOwnerPid(dataDir, port), isOwned };
  }
  return undefined;
}

/** Shuts an orphaned mongod down over its connection; its process id may have been reused. */
export async function shutDown(address: MongodAddress): Promise<void> {
  await queryMongod(address, (admin) => admin.command({ shutdown: 1, force: true }));
}

export function mongodbFolder(dataDir: string): string {
  return join(dataDir, 'mongodb');
}

/** Whether a process with this id exists on this machine. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return pid > 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Resolves with undefined when no MongoDB that accepts the key answers at the address. */
async function queryMongod<Result>(
  address: MongodAddress,
  query: (admin: Db) => Promise<Result>,
): Promise<Result | undefined> {
  // Where nothing listens, the driver would retry until its timeout.
  if (!(await isListening(address.port))) return undefined;
  const client = new MongoClient(embeddedUri(address, 'client'), {
    serverSelectionTimeoutMS: PROBE_TIMEOUT_MS,
    connectTimeoutMS: PROBE_TIMEOUT_MS,
    socketTimeoutMS: PROBE_TIMEOUT_MS,
  });
  try {
    return await query(client.db('admin'));
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', timeout: PROBE_TIMEOUT_MS });
  socket.once('timeout', () => socket.destroy(new Error('timeout')));
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
