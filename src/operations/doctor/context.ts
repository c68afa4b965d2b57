import type { Db, Document, MongoClient } from 'mongodb';
import type { Config } from '../../platform/core/config.ts';
import type { Connection } from '../../platform/database/client.ts';
import { compareClocks } from '../../platform/database/clock.ts';
import type { SeenServer } from '../../platform/servers/servers.ts';
import type { Services } from '../../services.ts';
import type { Finding } from './findings.ts';

/** The time limit of an ordinary statement of a check, in milliseconds. */
export const STATEMENT_MS = 3_000;

/** An opened database with what the checks and the manifest of a backup read. */
export interface Diagnosis {
  config: Config;
  /** SESSION_SECRET or the kept one; undefined when there is none. */
  secret: string | undefined;
  services: Pick<Services, 'collections' | 'inventory' | 'jobs' | 'migrator'>;
  connection: Connection;
  client: MongoClient;
  database: Db;
  /** Runs a command on the database `admin`, or on another one. */
  command(command: Document, database?: string): Promise<Document>;
  close(): Promise<void>;
}

/** What every check may use. */
export interface Context extends Diagnosis, Greeting {
  /** The servers that announced themselves in the last minute. */
  running: readonly SeenServer[];
}

/** One row of a table of checks. */
export interface Check<Given = Context> {
  name: string;
  run(given: Given): Promise<Finding | Finding[]>;
}

/** Creates the function of {@link Diagnosis.command}: bounded, also while there is no primary. */
export const createCommand =
  (client: MongoClient): Diagnosis['command'] =>
  (command, database = 'admin') =>
    client.db(database).command({ ...command, maxTimeMS: STATEMENT_MS }, { readPreference: 'primaryPreferred' });

interface Greeting {
  /** The reply to `hello` of the member that is read. */
  hello: Document;
  /** The time of the database. */
  now: Date;
  /** How far the clock of this machine is ahead of the database's. */
  aheadMs: number;
}

export async function greet({ command }: Pick<Diagnosis, 'command'>): Promise<Greeting> {
  let hello: Document = {};
  const { databaseTime: now, difference: aheadMs } = await compareClocks(async () => {
    hello = await command({ hello: 1 });
    return hello;
  }, Date.now);
  return { hello, now, aheadMs };
}

export const isSharded = ({ hello }: Pick<Context, 'hello'>): boolean => hello.msg === 'isdbgrid';
export const isReplicaSet = ({ hello }: Pick<Context, 'hello'>): boolean => typeof hello.setName === 'string';
