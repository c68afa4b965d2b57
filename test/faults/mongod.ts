import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { loadConfig } from '../../src/core/config.ts';
import { findMongod } from '../../src/database/embedded/mongod-binary.ts';
import { freePort } from '../../src/database/embedded/mongod-process.ts';
import { Process } from '../support/process.ts';

const REPLICA_SET = 'faults';
/** A third of the default, so that a test waits less for elections. */
const ELECTION_TIMEOUT_MS = 3_000;
const CLIENT_OPTIONS = { serverSelectionTimeoutMS: 2_000, connectTimeoutMS: 2_000, socketTimeoutMS: 10_000 };

/** A mongod process of a test's own, which can be killed and started again on the same files and port. */
export class Mongod {
  readonly port: number;
  readonly #dbPath: string;
  readonly #args: readonly string[];
  #process: Process | undefined;

  constructor(port: number, dbPath: string, args: readonly string[]) {
    this.port = port;
    this.#dbPath = dbPath;
    this.#args = args;
  }

  get uri(): string {
    return `mongodb://127.0.0.1:${this.port}/user-collection?directConnection=true`;
  }

  get pid(): number {
    if (!this.#process) throw new Error('mongod was not started');
    return this.#process.pid;
  }

  /** Starts it; resolves when it answers. */
  async start(): Promise<void> {
    await mkdir(this.#dbPath, { recursive: true });
    const { path } = await findMongod(loadConfig(process.env).mongod, () => undefined);
    const place = ['--dbpath', this.#dbPath, '--port', String(this.port), '--bind_ip', '127.0.0.1'];
    const log = ['--logpath', `${this.#dbPath}.log`, '--logappend'];
    const small = ['--wiredTigerCacheSizeGB', '0.25', '--setParameter', 'diagnosticDataCollectionEnabled=false'];
    this.#process = new Process([path, ...place, ...log, ...small, ...this.#args]);
    await this.until(async (admin) => (await admin.command({ ping: 1 })).ok === 1);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** kill -9; resolves when it is gone. */
  async kill(): Promise<void> {
    await this.#process?.end('SIGKILL');
  }

  /** What this very mongod answers, or undefined when it does not. */
  async ask<T>(question: (admin: mongo.Db) => Promise<T>): Promise<T | undefined> {
    const client = new mongo.MongoClient(this.uri, CLIENT_OPTIONS);
    try {
      return await question(client.db('admin'));
    } catch {
      return undefined;
    } finally {
      await client.close();
    }
  }

  async until(holds: (admin: mongo.Db) => Promise<boolean>): Promise<void> {
    while (!(await this.ask(holds))) await sleep(50);
  }
}

/** Databases of one test file, with their folder. */
export interface Database {
  /** For `MONGODB_URI`. */
  uri: string;
  members: readonly Mongod[];
  stop(): Promise<void>;
}

/** One mongod without a replica set. */
export async function startStandalone(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'user-collection-faults-'));
  const mongod = new Mongod(await freePort(), join(folder, 'db'), []);
  await mongod.start();
  return { uri: mongod.uri, members: [mongod], stop: () => stop([mongod], folder) };
}

export interface ReplicaSet extends Database {
  /** Waits for the member that is primary now, and knows it from itself. */
  primary(): Promise<Mongod>;
}

/** A replica set of so many members, with a primary. Its members take failpoints. */
export async function startReplicaSet(size: number): Promise<ReplicaSet> {
  const folder = await mkdtemp(join(tmpdir(), 'user-collection-faults-'));
  const args = ['--replSet', REPLICA_SET, '--oplogSize', '200', '--setParameter', 'enableTestCommands=1'];
  const members: Mongod[] = [];
  while (members.length < size) members.push(new Mongod(await freePort(), join(folder, `db-${members.length}`), args));
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

/** Reads straight from the database, past the service: what a majority has. */
export async function inspect<T>(
  uri: string,
  look: (db: mongo.Db) => Promise<T>,
  serverSelectionTimeoutMS = 30_000,
): Promise<T> {
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS, readConcernLevel: 'majority' });
  try {
    return await look(client.db());
  } finally {
    await client.close();
  }
}
