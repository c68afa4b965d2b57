import type { Services } from '../container/container.ts';

/** Opens the database, runs a task with the services, and closes the database. */
export type WithServices = (task: (services: Services) => Promise<void>) => Promise<void>;

/** Writes one line to standard output. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
