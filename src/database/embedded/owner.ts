import { connect } from 'node:net';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { listPorts, readKey, readOwnerPid } from './claim.ts';

/**
 * Finds the process that owns the embedded database of a DATA_DIR, and its address.
 *
 * A pid file (claim.ts) proves nothing: process ids and ports are reused, and a container sees only
 * its own processes. So the mongod that listens on a recorded port is queried for the folder that
 * it serves and for a connection of its owner. With a key, both sides authenticate (SCRAM) without
 * revealing it: another program on that port learns nothing and is not accepted.
 */

/** The application name of the owner's connections. */
const OWNER_APP_NAME = 'user-collection-owner';
const PROBE_TIMEOUT_MS = 2_000;

/** The address of a mongod on this machine. */
export interface MongodAddress {
  port: number;
  /**
   * The key that it accepts; undefined for a mongod of an older version, without authentication.
   */
  key: string | undefined;
}

/** A mongod that runs on a DATA_DIR. */
export interface RunningMongod extends MongodAddress {
  ownerPid: number;
  /** Whether the owner is connected. If not, it is dead or still starting. */
  isOwned: boolean;
}

/**
 * The URI of an embedded mongod. `__system` is MongoDB's internal user, whose password is the key.
 */
export function embeddedUri({ port, key }: MongodAddress, as: 'owner' | 'client'): string {
  const credentials = key === undefined ? '' : `__system:${key}@`;
  const login = key === undefined ? '' : '&authSource=local&authMechanism=SCRAM-SHA-256';
  const name = as === 'owner' ? `&appName=${OWNER_APP_NAME}` : '';
  return `mongodb://${credentials}127.0.0.1:${port}/user-collection?directConnection=true${login}${name}`;
}

/** The mongod that runs on `dataDir`, or undefined. */
export async function findRunning(dataDir: string): Promise<RunningMongod | undefined> {
  for (const port of await listPorts(dataDir)) {
    const address = { port, key: await readKey(dataDir, port) };
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

/**
 * Shuts an orphaned mongod down with a command over its connection; its process id may have been
 * reused.
 */
export async function shutDown(address: MongodAddress): Promise<void> {
  await queryMongod(address, (admin) => admin.command({ shutdown: 1, force: true }));
}

/** The folder of mongod's data files. */
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

/**
 * Runs a query on the MongoDB at an address. Resolves with undefined when nothing listens there,
 * when it is no MongoDB or does not accept the key, or when it is shutting down.
 */
async function queryMongod<Result>(
  address: MongodAddress,
  query: (admin: mongoose.mongo.Db) => Promise<Result>,
): Promise<Result | undefined> {
  // Where nothing listens, the driver would retry until its timeout.
  if (!(await isListening(address.port))) return undefined;
  const client = new mongoose.mongo.MongoClient(embeddedUri(address, 'client'), {
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

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: PROBE_TIMEOUT_MS });
    const settle = (isOpen: boolean) => () => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', settle(true)).once('error', settle(false)).once('timeout', settle(false));
  });
}
