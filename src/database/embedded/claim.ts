import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The files in DATA_DIR that belong to a running mongod: `mongod-<port>.pid` with its owner's process id,
 * `mongod-<port>.key` with the key that it accepts, and `mongodb-uri` for people and their tools.
 *
 * Each start generates a key: a key that leaked or was lost is worth nothing after the next start. The port in the
 * names keeps two processes that start at once from overwriting each other's files.
 */
const CLAIM = /^mongod-(\d+)\.(?:pid|key)$/;
const URI_FILE = 'mongodb-uri';
const KEY_BYTES = 48;

/** A key for `mongod --keyFile`: hexadecimal digits, which need no escaping in a URI or a shell. */
export function createKey(): string {
  return randomBytes(KEY_BYTES).toString('hex');
}

/** Where the key of the mongod on `port` is kept. */
export function keyPath(dataDir: string, port: number): string {
  return join(dataDir, `mongod-${port}.key`);
}

/** Writes the claim of this process. It comes before mongod, so that a mongod can be found whenever its owner dies. */
export async function writePidFile(dataDir: string, port: number, key: string): Promise<void> {
  await writeSecret(keyPath(dataDir, port), key);
  await writeSecret(pidPath(dataDir, port), String(process.pid));
}

/** Removes the claim on `port`. */
export async function removePidFile(dataDir: string, port: number): Promise<void> {
  await rm(pidPath(dataDir, port), { force: true });
  await rm(keyPath(dataDir, port), { force: true });
}

/** Removes the claims of all others. Only for the one whose mongod runs: its lock on the files keeps everybody else's from starting. */
export async function removeOtherPidFiles(dataDir: string, port: number): Promise<void> {
  for (const other of await claimedPorts(dataDir)) if (other !== port) await removePidFile(dataDir, other);
}

/** The ports of all claims. */
export async function claimedPorts(dataDir: string): Promise<number[]> {
  const names = await readdir(dataDir).catch(() => []);
  return [...new Set(names.flatMap((name) => CLAIM.exec(name)?.[1] ?? []).map(Number))];
}

/** The process id in a claim; 0 when there is none. */
export async function claimedBy(dataDir: string, port: number): Promise<number> {
  return Number(await readFile(pidPath(dataDir, port), 'utf8').catch(() => '0'));
}

/** The key in a claim. A claim of an older version has none: its mongod runs without authentication. */
export async function readKey(dataDir: string, port: number): Promise<string | undefined> {
  return readFile(keyPath(dataDir, port), 'utf8').catch(() => undefined);
}

/** Writes the URI with which backup tools reach the running mongod. */
export async function publishUri(dataDir: string, uri: string): Promise<void> {
  await writeSecret(join(dataDir, URI_FILE), `${uri}\n`);
}

/** Removes that URI. */
export async function withdrawUri(dataDir: string): Promise<void> {
  await rm(join(dataDir, URI_FILE), { force: true });
}

function pidPath(dataDir: string, port: number): string {
  return join(dataDir, `mongod-${port}.pid`);
}

/** A new file, because a mode is set only when a file is created. mongod refuses a key that others can read. */
async function writeSecret(path: string, content: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, content, { mode: 0o600, flag: 'wx' });
}
