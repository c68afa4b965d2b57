import { createServer } from 'node:net';
import { MongoInstance } from 'mongodb-memory-server-core';
import type { Mongod } from './mongod-binary.ts';

/** Recovery after a crash reads the journal, which takes longer than a plain start. */
const LAUNCH_TIMEOUT_MS = 120_000;
const KEPT_LINES = 3;
const PARAMETERS = [
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  // Without it, whoever connects first from this machine may create the first user.
  ...['--setParameter', 'enableLocalhostAuthBypass=false'],
];

/** mongod did not start. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
  /** Whether another attempt may succeed: another mongod has the files, or another program the port. */
  readonly isInTheWay: boolean;
  constructor(message: string) {
    super(message);
    this.isInTheWay = /DBPathInUse|Address already in use/i.test(message);
  }
}

/**
 * Starts mongod on `dbPath`, reachable on the loopback address only, and resolves when it takes connections. It serves
 * only who knows the key in `keyFile`: the loopback address is open to every user of the machine.
 *
 * @param onEnd called when it ends later, for whatever reason
 * @throws {LaunchError} with mongod's own last words
 */
export async function launchMongod(
  { path, version }: Mongod,
  { dbPath, port, keyFile, onEnd }: { dbPath: string; port: number; keyFile: string; onEnd: () => void },
): Promise<{ stop(): Promise<unknown> }> {
  const instance = new LoggedInstance({
    instance: {
      port,
      ip: '127.0.0.1',
      dbPath,
      storageEngine: 'wiredTiger',
      launchTimeout: LAUNCH_TIMEOUT_MS,
      auth: true,
      args: ['--quiet', '--keyFile', keyFile, ...PARAMETERS],
    },
    binary: { systemBinary: path, version },
    // A process group of its own: Ctrl-C in a terminal must reach the service, which then stops mongod when all is answered.
    spawn: { detached: true },
  });
  try {
    await instance.start();
  } catch (error) {
    await instance.stop();
    const reason = error instanceof Error ? error.message.split('\n')[0] : 'unknown';
    throw new LaunchError(instance.complaints.join('; ') || reason || 'unknown');
  }
  instance.once('instanceClosed' as never, onEnd);
  return instance;
}

/**
 * The library parses what mongod writes as it arrives, and throws on half a line or on two. This hands it whole lines, and remembers the last errors for the
 * message when mongod does not start.
 */
class LoggedInstance extends MongoInstance {
  readonly complaints: string[] = [];
  #rest = '';

  override stdoutHandler(chunk: string | Buffer): void {
    const lines = (this.#rest + chunk.toString()).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      this.#remember(line);
      super.stdoutHandler(line);
    }
  }

  #remember(line: string): void {
    const message = /"s":"[EF]".*?"msg":"([^"]+)"/.exec(line)?.[1];
    // The last line of an abort says nothing but that.
    if (!message || message.includes('***')) return;
    const detail = /"error":"([^"]+)"/.exec(line)?.[1];
    this.complaints.push(detail ? `${message}: ${detail}` : message);
    this.complaints.splice(0, this.complaints.length - KEPT_LINES);
  }
}

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address ? done(address.port) : fail(new Error('no port'))));
    });
  });
}
