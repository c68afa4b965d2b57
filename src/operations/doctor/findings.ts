import { MongoServerError, MongoServerSelectionError } from 'mongodb';
import { ConfigError } from '../../platform/core/config.ts';
import { CommandFailed, NamedError } from '../../platform/core/errors.ts';
import { withTimeout } from '../../platform/core/timeouts.ts';

type Level = 'good' | 'warning' | 'fault';

/** What a check found, and what an operator should do about it. Neither may contain a secret. */
export interface Finding {
  level: Level;
  found: string;
  advice?: string;
}

/** A finding with the name of its check, as the command prints it. */
export interface Result extends Finding {
  check: string;
}

export const good = (found: string): Finding => ({ level: 'good', found });
export const warning = (found: string, advice: string): Finding => ({ level: 'warning', found, advice });
export const fault = (found: string, advice: string): Finding => ({ level: 'fault', found, advice });

const LEVELS: readonly Level[] = ['good', 'warning', 'fault'];

/** Returns the worst level; its index in `LEVELS` is the exit code of the command (0, 1, 2). */
export function worstLevel(findings: readonly Finding[]): { level: Level; exitCode: number } {
  const exitCode = Math.max(0, ...findings.map(({ level }) => LEVELS.indexOf(level)));
  return { level: LEVELS[exitCode] as Level, exitCode };
}

/** The finding of a check that could not run. */
export function unknown(reason: string): Finding {
  const advice = ['Unauthorized', 'AuthorizationFailed'].includes(reason)
    ? 'Give the user of MONGODB_URI the right, or run the command as a user who has it (docs/operations.md).'
    : 'Correct the other findings first, and run the command again.';
  return warning(`it could not be checked (${reason})`, advice);
}

/** Names an error without its message, which may repeat a command, an address or a password. */
export function reasonOf(error: unknown): string {
  if (error instanceof MongoServerError) return error.codeName ?? `error ${error.code}`;
  if (error instanceof MongoServerSelectionError) return 'no member of the database could be used';
  if (!(error instanceof Error)) return 'unknown error';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

const CHECK_WITHIN_MS = 60_000;

class CheckTimeout extends NamedError {}

/** Runs a check within a time. A check that fails gives a warning. */
export async function runCheck(check: string, run: () => Promise<Finding | Finding[]>): Promise<Result[]> {
  try {
    const found = await withTimeout(run(), CHECK_WITHIN_MS, () => new CheckTimeout());
    return [found].flat().map((finding) => ({ check, ...finding }));
  } catch (error) {
    return [{ check, ...unknown(reasonOf(error)) }];
  }
}

/** The result of an error that prevents all checks. */
export function openingFaults(error: unknown): Result[] {
  if (error instanceof ConfigError) {
    return error.lines.map((line) => ({ check: 'settings', ...fault(line, 'Correct the variable.') }));
  }
  if (error instanceof CommandFailed) return [{ check: 'manifest', ...fault(error.message, 'Name another file.') }];
  // Errors of openDatabase have messages for operators, which name neither user nor password.
  const isDescribed =
    error instanceof Error &&
    /^(DatabaseUnreachable|EmbeddedDatabaseError|MongodNotFound|DataDirError)$/.test(error.name);
  const found = isDescribed ? error.message : `the database cannot be used (${reasonOf(error)})`;
  const advice =
    'Start it, check MONGODB_URI and the network, and whether the database has connections left for this client.';
  return [{ check: 'database', ...fault(found, advice) }];
}

/** Formats results: one line for each, or one JSON document. */
export function formatResults(results: readonly Result[], isJson: boolean): string {
  const { level } = worstLevel(results);
  if (isJson) return `${JSON.stringify({ level, checks: results }, null, 2)}\n`;
  const lines = results.map(({ check, level: own, found, advice }) => {
    const next = advice === undefined ? '' : `\n${' '.repeat(10)}${advice}`;
    return `${own.padEnd(9)} ${check}: ${found}${next}`;
  });
  const count = (wanted: Level): number => results.filter((result) => result.level === wanted).length;
  lines.push(`${count('good')} good, ${count('warning')} warnings, ${count('fault')} faults`);
  return `${lines.join('\n')}\n`;
}

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1_000],
] as const;

/** A duration in its largest unit of which there are two, such as `36 hours`. */
export function duration(ms: number): string {
  const [name, unit] = UNITS.find(([, size]) => Math.abs(ms) >= 2 * size) ?? ['ms', 1];
  return `${Math.round(Math.abs(ms) / unit)} ${name}`;
}

/** A number of bytes in MB or GB. */
export function size(bytes: number): string {
  return bytes >= 1e10 ? `${Math.round(bytes / 1e9)} GB` : `${Math.round(bytes / 1e6)} MB`;
}
