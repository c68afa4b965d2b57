import type { Services } from '../container/container.ts';

/** Opens the database, runs a task with the services, and closes the database. */
export type WithServices = (task: (services: Services) => Promise<void>) => Promise<void>;

/** The actor of the audit log (spec 4.9). */
export const COMMAND_LINE = { kind: 'command line' } as const;

/** Writes one line to standard output. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
