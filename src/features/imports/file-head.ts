import { DELIMITERS, MAX_COLUMNS, splitCells } from './csv-cells.ts';
import { endOfLine, endOfRecord, isBlankRecord, type RecordEnd, type RecordProblem } from './csv-records.ts';

/** The bytes of a file from which its form is recognized. */
export const HEAD_BYTES = 64 * 1024;
/** The records that are compared. */
const MAX_RECORDS = 1_000;

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/** The first bytes of a file, in UTF-8 and without a byte order mark. */
interface HeadBytes {
  bytes: Uint8Array;
  /** Whether the file has no further bytes. */
  isWhole: boolean;
}

/** The form of a CSV file. */
export interface FileHead {
  delimiter: string;
  /** The byte that ends a line: LF or CR. */
  newline: number;
  /** Where the header begins, in bytes of the head, and its line, from 1. */
  header: { offset: number; line: number };
  /** The cells of the complete records in the head that can be read, the header first. */
  records: string[][];
  /** Why the header cannot be read. `cut`: the head does not contain all of it. */
  problem?: RecordProblem | 'cut';
}

interface Reading extends Pick<FileHead, 'newline' | 'records' | 'problem'> {
  delimiter: string;
  offset: number | undefined;
  /** Of each record; 0: it cannot be read. */
  counts: number[];
  /** The quotes in the texts of cells: fewest if quotes around cells are read as such. */
  quotes: number;
  /** The cells that begin or end with a blank. */
  padded: number;
}

/**
 * Recognizes the form of a CSV file (spec 4.7, "Lines"). A line `sep=;` before the header names the
 * delimiter. Else it is the one under which the first records, read with their quotes, have the
 * same, largest number of cells; if the numbers differ, most records have as many as the header.
 * @param delimiter that of the settings, if they have one
 */
export function readFileHead({ bytes, isWhole }: HeadBytes, delimiter?: string): FileHead {
  const named = namedDelimiter(bytes, isWhole);
  const offset = named?.next ?? 0;
  const given = delimiter ?? named?.delimiter;
  const readings = (given === undefined ? DELIMITERS : [given]).map((one) => readWith(bytes, offset, one, isWhole));
  const best = readings.reduce((one, other) => (isBetter(other, one) ? other : one));
  const begin = best.offset ?? offset;
  return {
    delimiter: best.delimiter,
    newline: best.newline,
    header: { offset: begin, line: 1 + count(bytes.subarray(0, begin), best.newline) },
    records: best.records,
    ...(best.problem && { problem: best.problem }),
  };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

/** The longest line that can be `sep=;`, with separators that a spreadsheet adds. */
const MAX_SEP_BYTES = 4_096;
const SEP = /^"?sep=([,;|\t])"?([,;|\s]*)$/i;

/** The delimiter that a first line names, and where the next line begins. */
function namedDelimiter(bytes: Uint8Array, isWhole: boolean): { delimiter: string; next: number } | undefined {
  let begin = 0;
  while (begin < bytes.length && (bytes[begin] as number) <= 0x20) begin += 1;
  const ends = [LF, CR].flatMap((newline) => endOfLine(bytes, begin, newline, isWhole) ?? []);
  const end = Math.min(...ends.map((one) => one.end));
  if (ends.length === 0 || end - begin > MAX_SEP_BYTES) return undefined;
  const [, delimiter, added = ''] = SEP.exec(textOf(bytes.subarray(begin, end)).trimStart()) ?? [];
  const isNamed = delimiter !== undefined && [...added.trimEnd()].every((one) => one === delimiter);
  return isNamed ? { delimiter, next: end } : undefined;
}

function readWith(bytes: Uint8Array, from: number, delimiter: string, isWhole: boolean): Reading {
  const hasReturns = bytes.includes(CR);
  const byReturns = hasReturns && readRecords(bytes, from, delimiter, CR, isWhole);
  return byReturns || (readRecords(bytes, from, delimiter, LF, isWhole) as Reading);
}

/** With CR as the end of lines: undefined when an LF is not in quotes. */
function readRecords(
  bytes: Uint8Array,
  from: number,
  delimiter: string,
  newline: number,
  isWhole: boolean,
): Reading | undefined {
  const marks = { newline, delimiter: delimiter.charCodeAt(0) };
  const reading: Reading = { delimiter, newline, offset: undefined, records: [], counts: [], quotes: 0, padded: 0 };
  let quote = bytes.indexOf(QUOTE, from);
  for (let at = from; at < bytes.length && reading.counts.length < MAX_RECORDS; ) {
    if (quote >= 0 && quote < at) quote = bytes.indexOf(QUOTE, at);
    const found = nextRecord(at);
    const { end, next, problem }: RecordEnd = found ?? { end: bytes.length, next: bytes.length };
    if (newline === CR && hasLineFeed(at, end)) return undefined;
    // The header counts also if the head does not contain all of it.
    if (found || reading.offset === undefined) add(at, end, found ? problem : 'cut');
    at = next;
  }
  return reading;

  function nextRecord(at: number): RecordEnd | undefined {
    const line = endOfLine(bytes, at, newline, isWhole);
    if (line && (quote < 0 || quote >= line.end)) return line;
    return endOfRecord(bytes, at, marks, isWhole, bytes.length);
  }

  function hasLineFeed(begin: number, end: number): boolean {
    const record = bytes.subarray(begin, end);
    if (!record.includes(LF)) return false;
    const first = endOfRecord(record, 0, { ...marks, newline: LF }, true, record.length);
    return first !== undefined && first.end < record.length;
  }

  function add(begin: number, end: number, problem: FileHead['problem']): void {
    const last = end > begin && newline !== CR && bytes[end - 1] === CR ? end - 1 : end;
    const content = bytes.subarray(begin, last);
    const text = textOf(content);
    if (problem === undefined && isBlankRecord(content, text, delimiter)) return;
    const cells = splitCells(text, delimiter, MAX_COLUMNS + 1);
    if (problem === undefined) reading.records.push(cells);
    if (reading.offset === undefined) Object.assign(reading, { offset: begin, ...(problem && { problem }) });
    const isUnreadable = problem !== undefined && problem !== 'cut';
    reading.counts.push(isUnreadable ? 0 : cells.length);
    reading.quotes += cells.reduce((sum, cell) => sum + (cell.includes('"') ? cell.split('"').length - 1 : 0), 0);
    reading.padded += cells.filter((cell) => cell !== cell.trim()).length;
  }
}

/** Whether one reading fits the records better than another one, or as well and with more cells. */
function isBetter(one: Reading, other: Reading): boolean {
  const [a, b] = [rankOf(one), rankOf(other)];
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && (a[at] as number) > (b[at] as number);
}

function rankOf({ counts, quotes, padded }: Reading): number[] {
  const [width = 0] = counts;
  if (width < 2 || width > MAX_COLUMNS) return [0, Number(width > 1)];
  const same = counts.filter((one) => one === width).length;
  const isSame = same === counts.length;
  // Blanks after a delimiter are more likely those of a sentence.
  return [1, Number(isSame), -quotes, isSame ? width : same / counts.length, width, -padded];
}

function count(bytes: Uint8Array, byte: number): number {
  let found = 0;
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) found += 1;
  return found;
}
