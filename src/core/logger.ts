import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';

export type { Logger } from 'pino';

/**
 * Creates the logger: JSON, one object per line, to standard output; readable text if that is a
 * terminal. Only named fields are logged, never a body, a header, a password or a cookie.
 */
export function createLogger(config: Pick<Config, 'logLevel'>, stream: DestinationStream = standardOutput()): Logger {
  return pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}

/** The name of an error for the log. Its message may contain data of persons or an address. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

/** The log of a server of several processes, which write whole lines to one standard output. */
export const sharedOutput = (): DestinationStream => standardOutput(WHOLE_LINES);

/** A pipe keeps a write of this size together (PIPE_BUF). */
const WHOLE_LINES = { minLength: 2_048, maxWrite: 4_096 };

function standardOutput(sizes: { minLength: number; maxWrite?: number } = { minLength: 8_192 }): DestinationStream {
  // Lines are buffered and written at least once a second and at exit: one write per line would
  // block requests on the reader of the log.
  if (!process.stdout.isTTY) {
    // sonic-boom measures all buffered strings again with each line; buffers are not measured.
    const lines = pino.destination({ dest: 1, sync: false, ...sizes, periodicFlush: 1_000, contentMode: 'buffer' });
    // A failed write (full disk, closed pipe) must not stop the service, and there is no other
    // place to report it.
    lines.on('error', () => undefined);
    // Its types declare strings only.
    return { write: (line) => void lines.write(Buffer.from(line) as unknown as string) };
  }
  // Loaded for terminals only: it has 30 modules.
  const { PinoPretty } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  return PinoPretty({ colorize: true, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true });
}
