import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoClient } from 'mongodb';
import { loadConfig } from '../../src/platform/core/config.ts';
import { freePort } from '../../src/platform/core/free-port.ts';
import { findMongod } from '../../src/platform/embedded/mongod-binary.ts';
import { databaseFolder } from '../support/run/scratch.ts';
import { Process } from '../support/server/process.ts';

const REPLICA_SET = 'faults';
/** A third of the default, to shorten elections. */
const ELECTION_TIMEOUT_MS = 3_000;
const CLIENT_OPTIONS = { serverSelectionTimeoutMS: 2_000, connectTimeoutMS: 2_000, socketTimeoutMS: 10_000 };

/** A mongod process of one test. It can be killed and started again on the same files and port. */
export class Mongod {
  readonly port: number;
  readonly #dbPath: string;
  readonly #args: readonly string[];
  #process: Process | undefined;

  readonly #niceness: number;

  /** @param niceness lowers the priority of the process (nice(1)) */
  constructor(port: number, dbPath: string, args: readonly string[], niceness = 0) {
    this.port = port;
    this.#dbPath = dbPath;
    this.#args = args;
    this.#niceness = niceness;
  }

  get uri(): string {
    return `mongodb://127.0.0.1:${this.port}/user-collection?directConnection=true`;
  }

  get pid(): number {
    if (!this.#process) throw new Error('mongod was not started');
    return this.#process.pid;
  }

  /** Starts the process; resolves when mongod answers. */
  async start(): Promise<void> {
    await mkdir(this.#dbPath, { recursive: true });
    const { path } = await findMongod(loadConfig(process.env).mongod, () => undefined);
    const location = ['--dbpath', this.#dbPath, '--port', String(this.port), '--bind_ip', '127.0.0.1'];
    const log = ['--logpath', `${this.#dbPath}.log`, '--logappend'];
    const limits = ['--wiredTigerCacheSizeGB', '0.25', '--setParameter', 'diagnosticDataCollectionEnabled=false'];
    const program = this.#niceness > 0 ? ['nice', '-n', String(this.#niceness), path] : [path];
    this.#process = new Process([...program, ...location, ...log, ...limits, ...this.#args]);
    await this.until(async (admin) => (await admin.command({ ping: 1 })).ok === 1);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** Sends SIGKILL; resolves when the process has ended. */
  async kill(): Promise<void> {
    await this.#process?.end('SIGKILL');
  }

  /** Runs `query` on the admin database of this member; resolves with undefined when it fails. */
  async ask<T>(query: (admin: Db) => Promise<T>): Promise<T | undefined> {
    const client = new MongoClient(this.uri, CLIENT_OPTIONS);
    try {
      return await query(client.db('admin'));
    } catch {
      return undefined;
    } finally {
      await client.close();
    }
  }

  /** Repeats `condition` every 50 ms until it resolves with true. */
  async until(condition: (admin: Db) => Promise<boolean>): Promise<void> {
    while (!(await this.ask(condition))) await sleep(50);
  }
}

/** One or more mongod processes with a temporary folder. */
export interface Database {
  /** The connection string for `MONGODB_URI`. */
  uri: string;
  members: readonly Mongod[];
  /** Kills the processes and removes the folder. */
  stop(): Promise<void>;
}

/** Starts one mongod without a replica set. */
export async function startStandalone(): Promise<Database> {
  const folder = await databaseFolder('user-collection-faults-');
  const mongod = new Mongod(await freePort(), join(folder, 'db'), []);
  await mongod.start();
  return { uri: mongod.uri, members: [mongod], stop: () => stop([mongod], folder) };
}

export interface ReplicaSet extends Database {
  /** Waits for a member that reports itself as the writable primary. */
  primary(): Promise<Mongod>;
}

/**
 * Starts a replica set of `size` members with a primary. Its members accept failpoints.
 *
 * @param niceness of the processes: above 0, the servers are served before them on a small machine
 */
export async function startReplicaSet(size: number, { niceness = 0 } = {}): Promise<ReplicaSet> {
  const folder = await databaseFolder('user-collection-faults-');
  const args = ['--replSet', REPLICA_SET, '--oplogSize', '200', '--setParameter', 'enableTestCommands=1'];
  const members: Mongod[] = [];
  while (members.length < size) {
    members.push(new Mongod(await freePort(), join(folder, `db-${members.length}`), args, niceness));
  }
  await Promise.all(members.map((member) => member.start()));

  const replSetInitiate = {
    _id: REPLICA_SET,
    members: members.map(({ port }, _id) => ({ _id, host: `127.0.0.1:${port}` })),
    settings: { electionTimeoutMillis: ELECTION_TIMEOUT_MS, heartbeatIntervalMillis: 500 },
  };
  await members[0]?.until(async (admin) => (await admin.command({ replSetInitiate })).ok === 1);

  const primary = async (): Promise<Mongod> => {
    for (;;) {
      for (const member of members) {
        const hello = await member.ask((admin) => admin.command({ hello: 1 }));
        if (hello?.isWritablePrimary) return member;
      }
      await sleep(50);
    }
  };
  await primary();
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const uri = `mongodb://${hosts}/user-collection?replicaSet=${REPLICA_SET}`;
  return { uri, members, primary, stop: () => stop(members, folder) };
}

async function stop(members: readonly Mongod[], folder: string): Promise<void> {
  await Promise.all(members.map((member) => member.kill()));
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
}

/**
 * Runs `query` directly on the database, with read concern majority.
 *
 * @param serverSelectionTimeoutMS how long the driver waits for a usable member
 */
export async function inspect<T>(
  uri: string,
  query: (db: Db) => Promise<T>,
  serverSelectionTimeoutMS = 30_000,
): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS, readConcernLevel: 'majority' });
  try {
    return await query(client.db());
  } finally {
    await client.close();
  }
}
