import { isUtf8 } from 'node:buffer';
import { type BlockDecoder, createBlockDecoder } from '../content/text-blocks.ts';
import type { ImportLayout, ImportSettings, Position } from '../imports.model.ts';
import { endOfLine, endOfRecord, type RecordEnd } from './csv-record.ts';

/** The most bytes of a line in UTF-8: more than a record can hold. */
export const MAX_LINE_BYTES = 1024 * 1024;

const QUOTE = 0x22;
const CR = 0x0d;

export const TOO_LONG = `is longer than ${MAX_LINE_BYTES / 1024 / 1024} MB`;
const NO_TEXT = 'is not valid in the encoding of the file';

/** A record of the file. */
export interface Line {
  /** The number of its first line in the file, from 1. */
  number: number;
  /** Undefined when it is too long or no text. */
  text: string | undefined;
  /** Why the record cannot be read. */
  problem: string | undefined;
  /** Where the next line begins. */
  next: () => Position;
  bytes: number;
}

export type LineReader = ReturnType<typeof createLineReader>;

/**
 * Reads the records of a file from a position on, in bounded memory whatever the file contains.
 * Empty lines are left out.
 *
 * @param readFrom yields the bytes of the file from an offset on
 */
export function createLineReader(
  readFrom: (offset: number) => AsyncIterable<Buffer>,
  { encoding, newline, delimiter }: Pick<ImportLayout, 'encoding' | 'newline' | 'delimiter'>,
  format: ImportSettings['format'],
  start: Position,
) {
  const decoder: BlockDecoder = createBlockDecoder(encoding);
  const blocks = readFrom(start.offset)[Symbol.asyncIterator]();
  const marks = { newline, delimiter: delimiter.charCodeAt(0) };
  let bytes: Buffer = Buffer.alloc(0);
  /** The offset in the file of the first of `bytes`. */
  let offset = start.offset;
  let at = 0;
  let number = start.line;
  /** The next quote, to find records without quotes fast. -1: none in `bytes`. */
  let quote = -2;
  let isLast = false;
  let isText = true;

  /** Reads the next block. */
  async function fill(): Promise<void> {
    const { done, value } = await blocks.next();
    isLast = done === true;
    const more = done ? decoder.end() : decoder.decode(value);
    const rest = bytes.subarray(at);
    offset += decoder.lengthInFile(bytes.subarray(0, at));
    bytes = rest.length > 0 ? Buffer.concat([rest, more]) : more;
    at = 0;
    quote = -2;
    // Checked for each line only when the block has a line that is not text.
    isText = isUtf8(bytes);
  }

  function endOfNext(): RecordEnd | undefined {
    const line = endOfLine(bytes, at, newline, isLast);
    if (format === 'ndjson') return line;
    if (quote !== -1 && quote < at) quote = bytes.indexOf(QUOTE, at);
    if (line && (quote === -1 || quote >= line.end)) return line;
    return endOfRecord(bytes, at, marks, isLast, MAX_LINE_BYTES);
  }

  /** Passes over the rest of a line that is too long, without keeping it. */
  async function skipLine(): Promise<Line> {
    const first = number;
    for (;;) {
      const found = endOfLine(bytes, at, newline, isLast);
      at = found ? found.next : bytes.length;
      if (found) break;
      await fill();
    }
    number += 1;
    return lineOf(first, undefined, TOO_LONG, MAX_LINE_BYTES);
  }

  function lineOf(first: number, text: string | undefined, problem: string | undefined, size: number): Line {
    const end = at;
    const following = number;
    const [all, from] = [bytes, offset];
    // Computed on demand, because UTF-16 has to be measured.
    const next = (): Position => ({ offset: from + decoder.lengthInFile(all.subarray(0, end)), line: following });
    return { number: first, text, problem, next, bytes: size };
  }

  function take({ end, next, problem }: RecordEnd): Line | undefined {
    const first = number;
    const content = bytes.subarray(at, end > at && newline !== CR && bytes[end - 1] === CR ? end - 1 : end);
    number += linesIn(content);
    at = next;
    if (content.length === 0) return undefined;
    if (content.length > MAX_LINE_BYTES) return lineOf(first, undefined, TOO_LONG, content.length);
    if (!isText && !isUtf8(content)) return lineOf(first, undefined, NO_TEXT, content.length);
    const text = content.toString();
    if (text.trim() === '') return undefined;
    return lineOf(first, text, problem, content.length);
  }

  /** The number of lines of a record. */
  function linesIn(content: Buffer): number {
    let count = 1;
    if (quote === -1 || format === 'ndjson') return count;
    for (let found = content.indexOf(newline); found >= 0; found = content.indexOf(newline, found + 1)) count += 1;
    return count;
  }

  return {
    /** Resolves with the next record; undefined at the end of the file. */
    async next(): Promise<Line | undefined> {
      for (;;) {
        if (at >= bytes.length && isLast) return undefined;
        const found = at < bytes.length ? endOfNext() : undefined;
        if (found) {
          const line = take(found);
          if (line) return line;
        } else if (isLast || bytes.length - at > MAX_LINE_BYTES) {
          return skipLine();
        } else {
          await fill();
        }
      }
    },

    /** Where the next record begins. */
    position: (): Position => ({ offset: offset + decoder.lengthInFile(bytes.subarray(0, at)), line: number }),
  };
}
