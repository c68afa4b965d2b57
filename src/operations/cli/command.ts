import { ConfigError } from '../../platform/core/config.ts';
import { AppError, CommandFailed } from '../../platform/core/errors.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { Services } from '../../services.ts';

/** Opens the database, runs a task with the services, and closes the database. */
export type WithServices = (
  task: (services: Services, connection: Connection) => Promise<void>,
  how?: {
    /** False: the task calls `prepare` itself. */
    prepare?: boolean;
    /** False: there is no connection to a database. */
    connect?: boolean;
  },
) => Promise<void>;

/** The standard streams: those of the process, or of a test. */
export interface Streams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream & { isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

/** What the commands use. */
export interface Tool {
  withServices: WithServices;
  streams: Streams;
  env: NodeJS.ProcessEnv;
  /** Sets the exit code of a command that ran, instead of 0. */
  endWith(exitCode: number): void;
}

/** The actor of the audit log (spec 4.9). */
export const COMMAND_LINE = { kind: 'command line' } as const;

/** Writes a line of the command's output. */
export function say({ stdout }: Streams, line: string): void {
  stdout.write(`${line}\n`);
}

/** Writes a line that is not part of the command's output. */
export function note({ stderr }: Streams, line: string): void {
  stderr.write(`${line}\n`);
}

/** Writes an error to standard error: one line for each message and each issue, never a stack. */
export function report(streams: Streams, error: unknown): void {
  const lines = error instanceof ConfigError ? error.lines : [error instanceof Error ? error.message : String(error)];
  const issues = error instanceof AppError ? (error.issues ?? []) : [];
  for (const line of lines) note(streams, `error: ${line}`);
  for (const { path, message } of issues) note(streams, `  ${path === '' ? '' : `${path} `}${message}`);
}

/** Returns a handler of the error of a file, which throws {@link CommandFailed} with its code. */
export function refuseFile(action: 'read' | 'write', file: string) {
  return (error: NodeJS.ErrnoException): never => {
    throw new CommandFailed(`Cannot ${action} ${file} (${error.code ?? 'unknown error'})`);
  };
}
