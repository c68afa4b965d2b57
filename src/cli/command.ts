import type { Services } from '../container.ts';

/** Runs a task with the services on an open database, which is closed afterwards. */
export type WithServices = (task: (services: Services) => Promise<void>) => Promise<void>;

/** Writes one line to standard output. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
