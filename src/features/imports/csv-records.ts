import { MAX_COLUMNS, splitCells } from './csv-cells.ts';

const CR = 0x0d;
const QUOTE = 0x22;
const SPACE = 0x20;

/** Why a record cannot be read. */
export type RecordProblem = 'unclosedQuote' | 'afterQuote';

export interface RecordEnd {
  end: number;
  next: number;
  /** The record then ends with its first line. */
  problem?: RecordProblem;
}

/** The bytes between records and between cells. */
interface RecordMarks {
  newline: number;
  delimiter: number;
}

/** Undefined when the bytes do not contain the end of the line. */
export function endOfLine(bytes: Uint8Array, at: number, newline: number, isLast: boolean): RecordEnd | undefined {
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
  bytes: Uint8Array,
  at: number,
  { newline, delimiter }: RecordMarks,
  isLast: boolean,
  limit: number,
): RecordEnd | undefined {
  const line = endOfLine(bytes, at, newline, isLast);
  const refuse = (problem: RecordProblem): RecordEnd | undefined => line && { ...line, problem };
  // The end of the line of `from`. A search for each cell would be quadratic.
  let end = line;
  for (let from = at; ; ) {
    if (bytes[from] !== QUOTE) {
      if (end && end.end < from) end = endOfLine(bytes, from, newline, isLast);
      const stop = end?.end ?? bytes.length;
      while (from < stop && bytes[from] !== delimiter) from += 1;
      if (from >= stop) return end;
      from += 1;
      continue;
    }
    const close = closingQuote(bytes, from + 1);
    if (close === undefined || close - at > limit) {
      return isLast || bytes.length - at > limit ? refuse('unclosedQuote') : undefined;
    }
    let after = close + 1;
    if (bytes[after] === CR && newline !== CR && (after + 1 < bytes.length || isLast)) {
      if (after + 1 === bytes.length || bytes[after + 1] === newline) after += 1;
    }
    if (after >= bytes.length) return isLast ? { end: bytes.length, next: bytes.length } : undefined;
    if (bytes[after] === newline) return { end: after, next: after + 1 };
    if (bytes[after] === CR && after + 1 >= bytes.length) return undefined;
    if (bytes[after] !== delimiter) return refuse('afterQuote');
    from = after + 1;
  }
}

/** The last byte may be the first quote of two; the caller needs more bytes then. */
function closingQuote(bytes: Uint8Array, from: number): number | undefined {
  for (let at = from; ; at += 2) {
    at = bytes.indexOf(QUOTE, at);
    if (at < 0) return undefined;
    if (bytes[at + 1] !== QUOTE) return at;
  }
}

/** Whether a record without problem has blank cells only. @param bytes those of `text` */
export function isBlankRecord(bytes: Uint8Array, text: string, delimiter: string): boolean {
  if (isBlank(text)) return true;
  const separator = delimiter.charCodeAt(0);
  for (const byte of bytes) if (byte > SPACE && byte !== separator && byte !== QUOTE) return false;
  return !text.includes('"') || splitCells(text, delimiter).every(isBlank);
}

const isBlank = (cell: string): boolean => cell.trim() === '';

/** Whether a record has a cell for each column of a header, or fewer, and blank ones after them. */
export const fitsHeader = (cells: readonly string[], columns: number): boolean =>
  cells.length <= columns || (cells.length <= MAX_COLUMNS && cells.slice(columns).every(isBlank));
