import { ConfigError } from '../core/config.ts';
import { AppError } from '../core/errors.ts';
import type { Services } from '../services.ts';

/** Opens the database, runs a task with the services, and closes the database. */
export type WithServices = (task: (services: Services) => Promise<void>) => Promise<void>;

/** The actor of the audit log (spec 4.9). */
export const COMMAND_LINE = { kind: 'command line' } as const;

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Writes an error to standard error: one line for each message and each issue, never a stack. */
export function report(error: unknown): void {
  const lines = error instanceof ConfigError ? error.lines : [error instanceof Error ? error.message : String(error)];
  const issues = error instanceof AppError ? (error.issues ?? []) : [];
  for (const line of lines) process.stderr.write(`error: ${line}\n`);
  for (const { path, message } of issues) process.stderr.write(`  ${path === '' ? '' : `${path} `}${message}\n`);
}
