import { ConfigError } from '../core/config.ts';
import { AppError } from '../core/errors.ts';

/**
 * Writes an error to standard error: one line for each message and one for each issue of an input.
 * Never a stack.
 */
export function report(error: unknown): void {
  const lines = error instanceof ConfigError ? error.lines : [error instanceof Error ? error.message : String(error)];
  const issues = error instanceof AppError ? (error.issues ?? []) : [];
  for (const line of lines) process.stderr.write(`error: ${line}\n`);
  for (const { path, message } of issues) process.stderr.write(`  ${path === '' ? '' : `${path} `}${message}\n`);
}
