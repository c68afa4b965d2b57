import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import mongoose from 'mongoose';

/**
 * Who runs the embedded database of a DATA_DIR, and where.
 *
 * Whoever wants to run it first lays a claim: the file `mongod-<port>.pid` with its process id. So a mongod can be found whenever its owner was killed,
 * and two that start at once do not overwrite each other's. A claim proves nothing: process ids and ports are given again, and a container
 * knows only its own. The mongod that listens there is asked which folder it serves, and whether its owner is still connected to it.
 */
const CLAIM = /^mongod-(\d+)\.pid$/;

/** The name under which the owner, and nobody else, connects. */
const OWNER = 'user-collection-owner';
const ANSWER_WITHIN_MS = 2_000;

/** A mongod that runs on a DATA_DIR now. */
export interface RunningMongod {
  port: number;
  ownerPid: number;
  /** The owner is connected. When it is not, it is dead, or just starting. */
  isOwned: boolean;
}

export function embeddedUri(port: number, as: 'owner' | 'guest'): string {
  const name = as === 'owner' ? `&appName=${OWNER}` : '';
  return `mongodb://127.0.0.1:${port}/user-collection?directConnection=true${name}`;
}

export async function layClaim(dataDir: string, port: number): Promise<void> {
  await writeFile(claimPath(dataDir, port), String(process.pid), { mode: 0o600 });
}

export async function dropClaim(dataDir: string, port: number): Promise<void> {
  await rm(claimPath(dataDir, port), { force: true });
}

/** Removes the claims of all others. Only for the one whose mongod runs: its lock on the files keeps everybody else's from starting. */
export async function dropOtherClaims(dataDir: string, port: number): Promise<void> {
  for (const other of await claimedPorts(dataDir)) if (other !== port) await dropClaim(dataDir, other);
}

/** The mongod that runs on `dataDir` now, or undefined. */
export async function findRunning(dataDir: string): Promise<RunningMongod | undefined> {
  for (const port of await claimedPorts(dataDir)) {
    const isOwned = await ask(port, async (admin) => {
      const options = await admin.command({ getCmdLineOpts: 1 });
      if (options.parsed?.storage?.dbPath !== mongodbFolder(dataDir)) return undefined;
      const connections = admin.aggregate([
        { $currentOp: { allUsers: true, idleConnections: true } },
        { $match: { appName: OWNER } },
      ]);
      return (await connections.next()) !== null;
    });
    if (isOwned === undefined) continue;
    const ownerPid = Number(await readFile(claimPath(dataDir, port), 'utf8').catch(() => '0'));
    return { port, ownerPid, isOwned };
  }
  return undefined;
}

/** Stops a mongod whose owner is gone. It is asked over its connection: its process id may by now be another process's. */
export async function shutDown(port: number): Promise<void> {
  await ask(port, (admin) => admin.command({ shutdown: 1, force: true }));
}

/** The folder of mongod's own files. */
export function mongodbFolder(dataDir: string): string {
  return join(dataDir, 'mongodb');
}

/** Whether a process of this machine lives. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return pid > 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function claimPath(dataDir: string, port: number): string {
  return join(dataDir, `mongod-${port}.pid`);
}

async function claimedPorts(dataDir: string): Promise<number[]> {
  const names = await readdir(dataDir).catch(() => []);
  return names.flatMap((name) => CLAIM.exec(name)?.[1] ?? []).map(Number);
}

/** What the MongoDB on that port answers, or undefined: nothing listens there, or something that is no MongoDB, or it is going down. */
async function ask<Answer>(
  port: number,
  question: (admin: mongoose.mongo.Db) => Promise<Answer>,
): Promise<Answer | undefined> {
  // The driver would look for a server for a second where nothing listens.
  if (!(await isListening(port))) return undefined;
  const client = new mongoose.mongo.MongoClient(embeddedUri(port, 'guest'), {
    serverSelectionTimeoutMS: ANSWER_WITHIN_MS,
    connectTimeoutMS: ANSWER_WITHIN_MS,
    socketTimeoutMS: ANSWER_WITHIN_MS,
  });
  try {
    return await question(client.db('admin'));
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: ANSWER_WITHIN_MS });
    const end = (answer: boolean) => () => {
      socket.destroy();
      done(answer);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}
