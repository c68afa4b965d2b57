import { type DestinationStream, type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';
import type { Config } from './config.ts';

export type { Logger } from 'pino';

/**
 * The service's logger: JSON, one object a line, to standard output; readable text when that is a terminal.
 * Only what callers name is logged, and they never name a body, a header, a password or a cookie; a test reads all that a whole run logs.
 */
export function createLogger(config: Pick<Config, 'logLevel'>, stream: DestinationStream = standardOutput()): Logger {
  return pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: createTimestamp(),
    },
    stream,
  );
}

/** The time of a line in ISO 8601. It is the same text for a whole millisecond, in which a busy server logs a dozen lines. */
function createTimestamp(): () => string {
  let last = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== last) {
      last = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

function standardOutput(): DestinationStream {
  // Lines are gathered and written together, once a second at the latest and when the process ends: a write for each would block requests on whoever reads them.
  if (!process.stdout.isTTY) {
    // As bytes: of text, sonic-boom measures all that is gathered anew with each line, which cost more than making the line (docs/performance.md).
    const lines = pino.destination({
      dest: 1,
      sync: false,
      minLength: 8_192,
      periodicFlush: 1_000,
      contentMode: 'buffer',
    });
    // A log that cannot be written (its disk is full, its reader gone) is no reason to stop serving, and there is no other place to tell it.
    lines.on('error', () => undefined);
    // Its types know of text only.
    return { write: (line) => void lines.write(Buffer.from(line) as unknown as string) };
  }
  return PinoPretty({ colorize: true, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true });
}
