import { connect } from 'node:net';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { claimedBy, claimedPorts, readKey } from './claim.ts';

/**
 * Who runs the embedded database of a DATA_DIR, and where.
 *
 * A claim (embedded-claim.ts) proves nothing: process ids and ports are given again, and a container knows only its
 * own. So the mongod that listens on a claimed port is asked which folder it serves, and whether its owner is still
 * connected to it. With a key, both sides prove that they know it (SCRAM), and neither reveals it: another program on
 * that port learns nothing and is not believed.
 */

/** The name under which the owner, and nobody else, connects. */
const OWNER = 'user-collection-owner';
const ANSWER_WITHIN_MS = 2_000;

/** How to reach a mongod on this machine. */
export interface MongodAddress {
  port: number;
  /** The key that it accepts; undefined for one without authentication, of an older version. */
  key: string | undefined;
}

/** A mongod that runs on a DATA_DIR now. */
export interface RunningMongod extends MongodAddress {
  ownerPid: number;
  /** The owner is connected. When it is not, it is dead, or just starting. */
  isOwned: boolean;
}

/** The URI of an embedded mongod. `__system` is MongoDB's internal user, whose password is the key. */
export function embeddedUri({ port, key }: MongodAddress, as: 'owner' | 'guest'): string {
  const credentials = key === undefined ? '' : `__system:${key}@`;
  const login = key === undefined ? '' : '&authSource=local&authMechanism=SCRAM-SHA-256';
  const name = as === 'owner' ? `&appName=${OWNER}` : '';
  return `mongodb://${credentials}127.0.0.1:${port}/user-collection?directConnection=true${login}${name}`;
}

/** The mongod that runs on `dataDir` now, or undefined. */
export async function findRunning(dataDir: string): Promise<RunningMongod | undefined> {
  for (const port of await claimedPorts(dataDir)) {
    const address = { port, key: await readKey(dataDir, port) };
    const isOwned = await ask(address, async (admin) => {
      const options = await admin.command({ getCmdLineOpts: 1 });
      if (options.parsed?.storage?.dbPath !== mongodbFolder(dataDir)) return undefined;
      const connections = admin.aggregate([
        { $currentOp: { allUsers: true, idleConnections: true } },
        { $match: { appName: OWNER } },
      ]);
      return (await connections.next()) !== null;
    });
    if (isOwned === undefined) continue;
    return { ...address, ownerPid: await claimedBy(dataDir, port), isOwned };
  }
  return undefined;
}

/** Stops a mongod whose owner is gone. It is asked over its connection: its process id may by now be another process's. */
export async function shutDown(address: MongodAddress): Promise<void> {
  await ask(address, (admin) => admin.command({ shutdown: 1, force: true }));
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

/**
 * What the MongoDB at that address answers, or undefined: nothing listens there, or something that is no MongoDB or
 * does not accept the key, or it is going down.
 */
async function ask<Answer>(
  address: MongodAddress,
  question: (admin: mongoose.mongo.Db) => Promise<Answer>,
): Promise<Answer | undefined> {
  // The driver would look for a server for a second where nothing listens.
  if (!(await isListening(address.port))) return undefined;
  const client = new mongoose.mongo.MongoClient(embeddedUri(address, 'guest'), {
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
