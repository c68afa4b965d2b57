import type { MongoClient } from 'mongodb';
import { ConfigError } from '../core/config.ts';
import { AppError } from '../core/errors.ts';
import type { CollectionDeclaration } from '../database/collections.ts';
import type { Services } from '../services.ts';

/** Opens the database, runs a task with the services, and closes the database. */
export type WithServices = (
  task: (services: Services) => Promise<void>,
  /** `prepare: false`: the task calls `prepare` itself. */
  how?: { prepare?: boolean },
) => Promise<void>;

/** The declared collections of the service and a client, without its services. */
export interface DatabaseAccess {
  /** Not connected unless the connection is open. */
  client: MongoClient;
  /** The name of the database. */
  database: string;
  collections: readonly CollectionDeclaration[];
  /** Creates the declared indexes. */
  ensureIndexes(): Promise<void>;
}

/**
 * Runs a task on the database in `MONGODB_URI`, and closes it.
 * @param isOpen false: connects to no database
 * @throws {ConfigError} when it is to be open and `MONGODB_URI` is not set
 */
export type WithConnection = (
  options: { isOpen: boolean },
  task: (access: DatabaseAccess) => Promise<void> | void,
) => Promise<void>;

/** The standard streams: those of the process, or of a test. */
export interface Streams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

/** What the commands use. */
export interface Tool {
  withServices: WithServices;
  withConnection: WithConnection;
  streams: Streams;
  env: NodeJS.ProcessEnv;
  /** Sets the exit code of a command that ran, instead of 0. */
  endWith(exitCode: number): void;
}

/** The actor of the audit log (spec 4.9). */
export const COMMAND_LINE = { kind: 'command line' } as const;

export function say({ stdout }: Streams, line: string): void {
  stdout.write(`${line}\n`);
}

/** Writes an error to standard error: one line for each message and each issue, never a stack. */
export function report({ stderr }: Streams, error: unknown): void {
  const lines = error instanceof ConfigError ? error.lines : [error instanceof Error ? error.message : String(error)];
  const issues = error instanceof AppError ? (error.issues ?? []) : [];
  for (const line of lines) stderr.write(`error: ${line}\n`);
  for (const { path, message } of issues) stderr.write(`  ${path === '' ? '' : `${path} `}${message}\n`);
}
