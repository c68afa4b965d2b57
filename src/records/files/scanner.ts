import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../platform/core/config.ts';
import { type Logger, reasonOf } from '../../platform/core/logger.ts';

const CONNECT_MS = 3_000;
/** The longest time in which the scanner reads nothing and says nothing. */
const IDLE_MS = 30_000;
const MAX_ANSWER = 1_000;
const WARN_EVERY_MS = 60_000;

/** The scanner cannot be asked, or does not say what a file is. */
export class ScannerAway extends Error {
  override readonly name = 'ScannerAway';
}

export interface Scanner {
  /**
   * Resolves with whether the scanner finds malware. @throws {ScannerAway}
   * @throws the error of `content`
   */
  isInfected(content: AsyncIterable<Buffer>): Promise<boolean>;
}

/** Asks clamd by its command INSTREAM. Undefined without `CLAMD`. */
export function createScanner(clamd: Config['clamd'], logger: Logger): Scanner | undefined {
  if (!clamd) return undefined;
  let warnedAt = Number.NEGATIVE_INFINITY;

  function away(reason: unknown): ScannerAway {
    if (performance.now() - warnedAt >= WARN_EVERY_MS) {
      warnedAt = performance.now();
      logger.warn({ reason }, 'the virus scanner does not answer; files wait for it');
    }
    return new ScannerAway(String(reason).replaceAll('\0', ''));
  }

  return {
    async isInfected(content) {
      const failed: unknown[] = [];
      const socket = openSocket(clamd);
      let answer = '';
      try {
        await pipeline(instream(content, failed), socket, async (said) => {
          for await (const piece of said) answer = (answer + String(piece)).slice(0, MAX_ANSWER);
        });
      } catch (error) {
        if (failed.length > 0) throw failed[0];
        throw away(answer || ((error as NodeJS.ErrnoException).code ?? reasonOf(error)));
      } finally {
        socket.destroy();
      }
      if (answer.endsWith(' FOUND\0')) {
        logger.warn({ found: answer.slice(0, -1) }, 'the virus scanner found malware in a file');
        return true;
      }
      if (answer.endsWith(': OK\0')) return false;
      throw away(answer);
    },
  };
}

function openSocket(clamd: { host: string; port: number }): Socket {
  const socket = connect({ ...clamd, allowHalfOpen: true });
  const late = setTimeout(() => socket.destroy(new Error('no connection in time')), CONNECT_MS);
  socket.once('connect', () => clearTimeout(late)).once('close', () => clearTimeout(late));
  return socket.setTimeout(IDLE_MS, () => socket.destroy(new Error('no answer in time')));
}

/** A file as clamd reads it: pieces, each after its length; one of no bytes ends it. */
async function* instream(content: AsyncIterable<Buffer>, failed: unknown[]): AsyncGenerator<Buffer> {
  yield Buffer.from('zINSTREAM\0');
  try {
    for await (const piece of content) {
      if (piece.length === 0) continue;
      yield lengthOf(piece);
      yield piece;
    }
  } catch (error) {
    failed.push(error);
    throw error;
  }
  yield lengthOf(Buffer.alloc(0));
}

function lengthOf({ length }: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}
