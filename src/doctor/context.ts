import type { Db, Document, MongoClient } from 'mongodb';
import type { Config } from '../core/config.ts';
import type { Connection } from '../database/client.ts';
import type { SeenServer } from '../servers/servers.ts';
import type { Services } from '../services.ts';
import type { Finding } from './findings.ts';

/** The time limit of an ordinary statement of a check, in milliseconds. */
export const STATEMENT_MS = 3_000;

/** What every check may use. */
export interface Context {
  config: Config;
  /** SESSION_SECRET or the kept one; undefined when there is none. */
  secret: string | undefined;
  services: Pick<Services, 'collections' | 'inventory' | 'jobs' | 'migrator'>;
  client: MongoClient;
  database: Db;
  /** The reply to `hello` of the member that is read. */
  hello: Document;
  /** The servers that announced themselves in the last minute. */
  running: readonly SeenServer[];
  /** The time of the database. */
  now: Date;
  /** How far the clock of this machine is ahead of the database's. */
  aheadMs: number;
  /** Runs a command on the database `admin`, or on another one. */
  command(command: Document, database?: string): Promise<Document>;
}

/** One row of the table of checks. */
export interface Check {
  name: string;
  run(context: Context): Promise<Finding | Finding[]>;
}

/** Creates the function of {@link Context.command}: bounded, also while there is no primary. */
export function createCommand(connection: Connection): Context['command'] {
  const client = connection.getClient();
  return (command, database = 'admin') =>
    client.db(database).command({ ...command, maxTimeMS: STATEMENT_MS }, { readPreference: 'primaryPreferred' });
}

export const isSharded = ({ hello }: Pick<Context, 'hello'>): boolean => hello.msg === 'isdbgrid';
export const isReplicaSet = ({ hello }: Pick<Context, 'hello'>): boolean => typeof hello.setName === 'string';
