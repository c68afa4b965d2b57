import { write, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';

export type { Logger } from 'pino';

const STANDARD_OUTPUT = 1;
/**
 * Where a worker has the standard output of its server. libuv makes the descriptors 0 to 2 of a
 * child blocking, and with them those of its parent: a write to a full pipe would then not return.
 */
export const OUTPUT_OF_WORKER = 4;

/** A piece is written when it has `minBytes`, or a second after its first line. */
interface PieceSizes {
  minBytes: number;
  maxBytes: number;
}

const STANDARD: PieceSizes = { minBytes: 8_192, maxBytes: 65_536 };
/** A pipe keeps a write of this size together (PIPE_BUF). */
const WHOLE_LINES: PieceSizes = { minBytes: 2_048, maxBytes: 4_096 };
const EACH_LINE: PieceSizes = { minBytes: 1, maxBytes: 65_536 };

const WRITE_WITHIN_MS = 1_000;
const RETRY_AFTER_MS = 100;
/** At the end of the process: how long a reader may take to make room for the last lines. */
const END_WITHIN_MS = 200;
/** Further lines are lost until the log takes lines again. */
const MAX_WAITING_BYTES = 1_048_576;

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
export const sharedOutput = (fd?: number): DestinationStream => standardOutput(WHOLE_LINES, fd);

function standardOutput(sizes = STANDARD, fd = STANDARD_OUTPUT): DestinationStream {
  // `process.stdout` makes a pipe non-blocking.
  const isTerminal = fd === STANDARD_OUTPUT ? process.stdout.isTTY : isatty(fd);
  if (!isTerminal) return createLineOutput(fd, sizes);
  // Loaded for terminals only: it has 30 modules.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  const pretty = prettyFactory({ colorize: true, translateTime: 'SYS:HH:MM:ss', singleLine: true });
  const terminal = createLineOutput(fd, EACH_LINE);
  return { write: (line) => terminal.write(pretty(line)) };
}

/**
 * Writes lines to a file descriptor in pieces of whole lines. One write per line would make
 * requests wait for the reader of the log. A failed write (full disk, full or closed pipe) is
 * repeated, since there is no other place to report it. At the end of the process the last lines
 * are written only as far as that takes no longer than `END_WITHIN_MS`: sonic-boom repeats a failed
 * write for ever, and the process does not end.
 */
export function createLineOutput(fd: number, { minBytes, maxBytes }: PieceSizes): DestinationStream {
  const lines: Buffer[] = [];
  let waitingBytes = 0;
  /** What is left of the piece that is being written. */
  let piece: Buffer = Buffer.alloc(0);
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  let hasWritten = false;

  function nextPiece(): Buffer {
    let count = 0;
    let bytes = 0;
    for (const { length } of lines) {
      if (count > 0 && bytes + length > maxBytes) break;
      count += 1;
      bytes += length;
    }
    waitingBytes -= bytes;
    return Buffer.concat(lines.splice(0, count), bytes);
  }

  function writeLater(ms: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      writePiece();
    }, ms).unref();
  }

  function writePiece(): void {
    if (isWriting) return;
    if (piece.length === 0) piece = nextPiece();
    isWriting = true;
    write(fd, piece, (error, count) => {
      isWriting = false;
      clearTimeout(timer);
      timer = undefined;
      if (error) return writeLater(RETRY_AFTER_MS);
      piece = piece.subarray(count);
      if (piece.length > 0 || waitingBytes >= minBytes) writePiece();
      else if (waitingBytes > 0) writeLater(WRITE_WITHIN_MS);
    });
  }

  function writeRest(): void {
    const until = performance.now() + END_WITHIN_MS;
    // Node ends a write in progress before it ends the process.
    if (isWriting) piece = piece.subarray(piece.length);
    while (piece.length > 0 || lines.length > 0) {
      if (piece.length === 0) piece = nextPiece();
      try {
        piece = piece.subarray(writeSync(fd, piece));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > until) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
    }
  }

  return {
    write(line) {
      if (waitingBytes >= MAX_WAITING_BYTES) return;
      if (!hasWritten) process.once('exit', writeRest);
      hasWritten = true;
      const bytes = Buffer.from(line);
      lines.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes < minBytes) writeLater(WRITE_WITHIN_MS);
      else if (piece.length === 0) writePiece();
    },
  };
}
