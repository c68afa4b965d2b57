import { connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../platform/core/config.ts';
import { NamedError } from '../../platform/core/errors.ts';
import { type Logger, reasonOf } from '../../platform/core/logger.ts';

/** In ms. Tests shorten them. */
const TIMES = {
  connect: 3_000,
  /** The longest time in which the scanner reads nothing and says nothing. */
  idle: 30_000,
  /** The longest time of one file. */
  scan: 120_000,
  /** How long a scanner that does not answer is not asked. */
  away: 10_000,
};
const MAX_ANSWER = 1_000;
const WARN_EVERY_MS = 60_000;

/** After so many files in a row that waited for an answer in vain, the scanner is away. */
const MAX_FAILURES = 3;

/** The scanner does not say what a file is. */
export class NotScanned extends NamedError {}

/** The scanner cannot be asked about any file. */
export class ScannerAway extends NotScanned {}

/** Nothing came in time. */
class Late extends Error {}

export interface Scanner {
  /**
   * Resolves with whether the scanner finds malware. @throws {NotScanned} @throws {ScannerAway}
   * @throws the error of `content`
   */
  isInfected(content: AsyncIterable<Buffer>): Promise<boolean>;
}

/**
 * Asks clamd by its command INSTREAM. Undefined without `CLAMD`. A clamd that lets three files in a
 * row wait in vain is not asked for 10 s; then one file at a time asks it, until it answers.
 */
export function createScanner(clamd: Config['clamd'], logger: Logger, times = TIMES): Scanner | undefined {
  if (!clamd) return undefined;
  let warnedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let awayUntil = 0;
  let isProbed = false;

  function warn(given: string): string {
    const reason = given.replaceAll('\0', '');
    if (performance.now() - warnedAt >= WARN_EVERY_MS) {
      warnedAt = performance.now();
      logger.warn({ reason }, 'the virus scanner does not answer, or cannot scan a file; files wait for it');
    }
    return reason;
  }

  /** Resolves with the answer. @throws {NotScanned} @throws {ScannerAway} */
  async function ask({ host, port }: NonNullable<typeof clamd>, content: AsyncIterable<Buffer>): Promise<string> {
    const failed: unknown[] = [];
    const socket = connect({ host, port, allowHalfOpen: true });
    let isConnected = false;
    let timer = setTimeout(() => socket.destroy(new Late('no connection in time')), times.connect);
    socket.once('connect', () => {
      isConnected = true;
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(new Late('no verdict in time')), times.scan);
    });
    socket.setTimeout(times.idle, () => socket.destroy(new Late('no answer in time')));
    let answer = '';
    try {
      await pipeline(instream(content, failed), socket, async (said) => {
        for await (const piece of said) answer = (answer + String(piece)).slice(0, MAX_ANSWER);
      });
    } catch (error) {
      if (failed.length > 0) throw failed[0];
      if (error instanceof Late) {
        failures += 1;
        awayUntil = performance.now() + times.away;
      }
      // It may answer before it has read the file, as to one that is too large.
      const reason = warn(answer || ((error as NodeJS.ErrnoException).code ?? reasonOf(error)));
      throw isConnected ? new NotScanned(reason) : new ScannerAway(reason);
    } finally {
      clearTimeout(timer);
      socket.destroy();
    }
    return answer;
  }

  return {
    async isInfected(content) {
      const isProbe = failures >= MAX_FAILURES;
      if (isProbe && (isProbed || performance.now() < awayUntil)) throw new ScannerAway('no answer lately');
      isProbed ||= isProbe;
      try {
        const answer = await ask(clamd, content);
        if (answer !== '') failures = 0;
        const isFound = answer.endsWith(' FOUND\0');
        if (isFound) logger.warn({ found: answer.slice(0, -1) }, 'the virus scanner found malware in a file');
        else if (!answer.endsWith(': OK\0')) throw new NotScanned(warn(answer));
        return isFound;
      } finally {
        if (isProbe) isProbed = false;
      }
    },
  };
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
