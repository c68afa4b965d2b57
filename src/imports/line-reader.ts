import { isUtf8 } from 'node:buffer';
import type { ImportLayout, ImportSettings, Position } from './imports.model.ts';
import { type BlockDecoder, createBlockDecoder } from './text-blocks.ts';

interface RecordEnd {
  end: number;
  next: number;
  /** Why the record cannot be read. It then ends with its first line. */
  problem?: string;
}

const UNCLOSED = 'has a quote that is not closed';
const AFTER_QUOTE = 'has text after a closing quote';

/** Undefined when the bytes do not contain the end of the line. */
function endOfLine(bytes: Buffer, at: number, newline: number, isLast: boolean): RecordEnd | undefined {
  const end = bytes.indexOf(newline, at);
  if (end >= 0) return { end, next: end + 1 };
  return isLast ? { end: bytes.length, next: bytes.length } : undefined;
}

/**
 * Returns the end of the CSV record at `at` (RFC 4180), which may contain line ends in quotes;
 * undefined when more bytes are needed. When a quote is not closed within `limit` bytes, or is
 * followed by text, only the first line is refused, not the following ones.
 */
export function endOfRecord(
  bytes: Buffer,
  at: number,
  { newline, delimiter }: { newline: number; delimiter: number },
  isLast: boolean,
  limit: number,
): RecordEnd | undefined {
  const line = endOfLine(bytes, at, newline, isLast);
  const refuse = (problem: string): RecordEnd | undefined => line && { ...line, problem };
  // The end of the line of `from`. A search for each cell would be quadratic.
  let end = line;
  for (let from = at; ; ) {
    if (bytes[from] !== QUOTE) {
      if (end && end.end < from) end = endOfLine(bytes, from, newline, isLast);
      const cell = bytes.indexOf(delimiter, from);
      if (cell < 0 || (end && end.end < cell)) return end;
      from = cell + 1;
      continue;
    }
    const close = closingQuote(bytes, from + 1);
    if (close === undefined || close - at > limit) {
      return isLast || bytes.length - at > limit ? refuse(UNCLOSED) : undefined;
    }
    let after = close + 1;
    if (bytes[after] === CR && newline !== CR && (after + 1 < bytes.length || isLast)) {
      if (after + 1 === bytes.length || bytes[after + 1] === newline) after += 1;
    }
    if (after >= bytes.length) return isLast ? { end: bytes.length, next: bytes.length } : undefined;
    if (bytes[after] === newline) return { end: after, next: after + 1 };
    if (bytes[after] === CR && after + 1 >= bytes.length) return undefined;
    if (bytes[after] !== delimiter) return refuse(AFTER_QUOTE);
    from = after + 1;
  }
}

/** The last byte may be the first quote of two; the caller needs more bytes then. */
function closingQuote(bytes: Buffer, from: number): number | undefined {
  for (let at = from; ; at += 2) {
    at = bytes.indexOf(QUOTE, at);
    if (at < 0) return undefined;
    if (bytes[at + 1] !== QUOTE) return at;
  }
}

/** More than a record can hold. */
export const MAX_LINE_BYTES = 1024 * 1024;

const QUOTE = 0x22;
const CR = 0x0d;

const TOO_LONG = `is longer than ${MAX_LINE_BYTES / 1024 / 1024} MB`;
const NO_TEXT = 'is not valid in the encoding of the file';

export interface Line {
  /** The number of its first line, from 1. */
  number: number;
  /** Undefined when it is too long or not valid. */
  text: string | undefined;
  problem: string | undefined;
  next: () => Position;
  bytes: number;
}

/** Reads the records of a file from a position on, in bounded memory, without empty lines. */
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
  /** The next quote, to find records without quotes fast; -1: none in `bytes`. */
  let quote = -2;
  let isLast = false;
  let isText = true;

  async function fill(): Promise<void> {
    const { done, value } = await blocks.next();
    isLast = done === true;
    const more = done ? decoder.end() : decoder.decode(value);
    const rest = bytes.subarray(at);
    offset += decoder.lengthInFile(bytes.subarray(0, at));
    bytes = rest.length > 0 ? Buffer.concat([rest, more]) : more;
    at = 0;
    quote = -2;
    // Checked for each line only if the block is not valid.
    isText = isUtf8(bytes);
  }

  function endOfNext(): RecordEnd | undefined {
    const line = endOfLine(bytes, at, newline, isLast);
    if (format === 'ndjson') return line;
    if (quote !== -1 && quote < at) quote = bytes.indexOf(QUOTE, at);
    if (line && (quote === -1 || quote >= line.end)) return line;
    return endOfRecord(bytes, at, marks, isLast, MAX_LINE_BYTES);
  }

  /** Skips the rest of a line that is too long, without keeping it. */
  async function skipLine(): Promise<Line> {
    const first = number;
    for (;;) {
      const found = endOfLine(bytes, at, newline, isLast);
      at = found ? found.next : bytes.length;
      if (found) break;
      await fill();
    }
    number += 1;
    return buildLine(first, undefined, TOO_LONG, MAX_LINE_BYTES);
  }

  function buildLine(first: number, text: string | undefined, problem: string | undefined, size: number): Line {
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
    if (content.length > MAX_LINE_BYTES) return buildLine(first, undefined, TOO_LONG, content.length);
    if (!isText && !isUtf8(content)) return buildLine(first, undefined, NO_TEXT, content.length);
    const text = content.toString();
    if (text.trim() === '') return undefined;
    return buildLine(first, text, problem, content.length);
  }

  function linesIn(content: Buffer): number {
    let count = 1;
    if (quote === -1 || format === 'ndjson') return count;
    for (let found = content.indexOf(newline); found >= 0; found = content.indexOf(newline, found + 1)) count += 1;
    return count;
  }

  return {
    /** Undefined at the end of the file. */
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

    position: (): Position => ({ offset: offset + decoder.lengthInFile(bytes.subarray(0, at)), line: number }),
  };
}
