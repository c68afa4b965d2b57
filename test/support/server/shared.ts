import type { TestServer } from './server.ts';

let shared: Promise<TestServer> | undefined;

/** The server that the files of a worker share. It is started for the first file that needs it. */
export function shareServer(start: () => Promise<TestServer>): Promise<TestServer> {
  shared ??= start();
  return shared;
}

/**
 * Ends the shared server. For files that replace timers or clocks: a server that runs in the same
 * process would wait, or repeat its work, for ever.
 */
export async function endSharedServer(): Promise<void> {
  const ended = shared;
  shared = undefined;
  await (await ended)?.close();
}
