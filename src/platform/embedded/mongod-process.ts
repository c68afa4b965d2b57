import type { EventEmitter } from 'node:events';
import { MongoInstance } from 'mongodb-memory-server-core';
import { NamedError } from '../core/errors.ts';
import type { Mongod } from './mongod-binary.ts';

/** Includes recovery from the journal after a crash. */
const LAUNCH_TIMEOUT_MS = 120_000;
const MAX_ERRORS = 3;
const PARAMETERS = [
  '--setParameter',
  'diagnosticDataCollectionEnabled=false',
  // Otherwise the first local connection may create the first user.
  '--setParameter',
  'enableLocalhostAuthBypass=false',
];

/** mongod did not start. */
export class LaunchError extends NamedError {
  /** Whether a retry may succeed: another mongod holds the files, or another program the port. */
  readonly isRetryable: boolean;
  constructor(message: string) {
    super(message);
    this.isRetryable = /DBPathInUse|Address already in use/i.test(message);
  }
}

/**
 * Starts mongod on `dbPath`; resolves when it accepts connections. Clients must authenticate with
 * the key in `keyFile`, because every user of the machine can connect to the loopback address.
 *
 * @param onEnd called when mongod exits after a successful start
 * @throws {LaunchError} with the last errors that mongod logged
 */
export async function launchMongod(
  { path, version }: Mongod,
  { dbPath, port, keyFile, onEnd }: { dbPath: string; port: number; keyFile: string; onEnd: () => void },
): Promise<{ stop(): Promise<unknown> }> {
  const instance = new LineBufferedInstance({
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
    // A separate process group: Ctrl-C in a terminal must reach only the service, which stops
    // mongod after it has answered all requests.
    spawn: { detached: true },
  });
  try {
    await instance.start();
  } catch (error) {
    await instance.stop();
    const reason = error instanceof Error ? error.message.split('\n')[0] : 'unknown';
    throw new LaunchError(instance.errors.join('; ') || reason || 'unknown');
  }
  const events: EventEmitter = instance;
  events.once('instanceClosed', onEnd);
  return instance;
}

/** Passes whole lines to the library, which fails on others, and keeps the last errors. */
class LineBufferedInstance extends MongoInstance {
  readonly errors: string[] = [];
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
    // The last line of an abort contains no reason.
    if (!message || message.includes('***')) return;
    const detail = /"error":"([^"]+)"/.exec(line)?.[1];
    this.errors.push(detail ? `${message}: ${detail}` : message);
    this.errors.splice(0, this.errors.length - MAX_ERRORS);
  }
}
