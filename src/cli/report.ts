import { ConfigError } from '../core/config.ts';
import { AppError } from '../core/errors.ts';

/** Tells what went wrong: one line for each mistake, and one for each place in an input. Never a stack. */
export function report(error: unknown): void {
  const lines = error instanceof ConfigError ? error.lines : [error instanceof Error ? error.message : String(error)];
  const issues = error instanceof AppError ? (error.issues ?? []) : [];
  for (const line of lines) process.stderr.write(`error: ${line}\n`);
  for (const { path, message } of issues) process.stderr.write(`  ${path === '' ? '' : `${path} `}${message}\n`);
}
