import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

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

/**
 * Generates a key for `mongod --keyFile`: hexadecimal digits, which need no escaping in a URI or a
 * shell.
 */
export function createKey(): string {
  return randomBytes(KEY_BYTES).toString('hex');
}

/** The path of the key file of the mongod on `port`. */
export function keyPath(dataDir: string, port: number): string {
  return join(dataDir, `mongod-${port}.key`);
}

/**
 * Writes key file and pid file of this process. Call it before mongod starts, so that a mongod
 * whose owner dies can always be found.
 */
export async function writePidFile(dataDir: string, port: number, key: string): Promise<void> {
  await writeSecret(keyPath(dataDir, port), key);
  await writeSecret(pidPath(dataDir, port), String(process.pid));
}

/** Removes pid file and key file of `port`. */
export async function removePidFile(dataDir: string, port: number): Promise<void> {
  await rm(pidPath(dataDir, port), { force: true });
  await rm(keyPath(dataDir, port), { force: true });
}

/**
 * Removes the files of all other ports. Call it only while the own mongod runs: mongod's lock on
 * the data files then excludes any other.
 */
export async function removeOtherPidFiles(dataDir: string, port: number): Promise<void> {
  for (const other of await listPorts(dataDir)) if (other !== port) await removePidFile(dataDir, other);
}

/** The ports that have a pid file or a key file. */
export async function listPorts(dataDir: string): Promise<number[]> {
  const names = await readdir(dataDir).catch(() => []);
  return [...new Set(names.flatMap((name) => MONGOD_FILE.exec(name)?.[1] ?? []).map(Number))];
}

/** The process id in the pid file of `port`; 0 when there is none. */
export async function readOwnerPid(dataDir: string, port: number): Promise<number> {
  return Number(await readFile(pidPath(dataDir, port), 'utf8').catch(() => '0'));
}

/**
 * The key of the mongod on `port`; undefined for a mongod of an older version, which runs without
 * authentication.
 */
export async function readKey(dataDir: string, port: number): Promise<string | undefined> {
  return readFile(keyPath(dataDir, port), 'utf8').catch(() => undefined);
}

/** Writes the URI with which backup tools connect to the running mongod. */
export async function publishUri(dataDir: string, uri: string): Promise<void> {
  await writeSecret(join(dataDir, URI_FILE), `${uri}\n`);
}

/** Removes the file with the URI. */
export async function withdrawUri(dataDir: string): Promise<void> {
  await rm(join(dataDir, URI_FILE), { force: true });
}

function pidPath(dataDir: string, port: number): string {
  return join(dataDir, `mongod-${port}.pid`);
}

/**
 * Replaces the file, because a mode applies to new files only. mongod refuses a key file that
 * others can read.
 */
async function writeSecret(path: string, content: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, content, { mode: 0o600, flag: 'wx' });
}
