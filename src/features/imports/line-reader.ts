import { isUtf8 } from 'node:buffer';
import { InvalidInput } from '../../platform/core/errors.ts';
import { type Reason, say } from '../../platform/languages/reasons.ts';
import { columnName } from './column-names.ts';
import { MAX_COLUMNS, splitCells } from './csv-cells.ts';
import { endOfLine, endOfRecord, isBlankRecord, type RecordEnd, type RecordProblem } from './csv-records.ts';
import { detectEncoding, fileProblem } from './file-encoding.ts';
import { HEAD_BYTES, readFileHead } from './file-head.ts';
import type { FilePosition, ImportLayout, ImportSettings } from './imports.model.ts';

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

type ReadFrom = (offset: number) => AsyncIterable<Buffer>;

/**
 * Reads the layout of a file and the position of its first line of data.
 * @throws {InvalidInput} when the file is empty or of another form, or its header cannot be read
 */
export async function readLayout(
  readFrom: ReadFrom,
  { format, delimiter }: Pick<ImportSettings, 'format' | 'delimiter'>,
): Promise<{ layout: ImportLayout; position: FilePosition }> {
  const { first, isWhole } = await firstBytes(readFrom);
  const refusal = fileProblem(first);
  if (refusal !== undefined) throw new InvalidInput(refusal);
  const { encoding, bom } = detectEncoding(first);
  const decoder = createBlockDecoder(encoding);
  const decoded = decoder.decode(first.subarray(bom));
  const bytes = isWhole ? Buffer.concat([decoded, decoder.end()]) : decoded;
  const layout: ImportLayout = { encoding, newline: LF, delimiter: delimiter ?? ',', columns: [] };
  if (format === 'ndjson') {
    const newline = bytes.includes(LF) || !bytes.includes(CR) ? LF : CR;
    return { layout: { ...layout, newline }, position: { offset: bom, line: 1 } };
  }
  const head = readFileHead({ bytes, isWhole }, delimiter);
  Object.assign(layout, { newline: head.newline, delimiter: head.delimiter });
  const { offset, line } = head.header;
  const start = { offset: bom + decoder.lengthInFile(bytes.subarray(0, offset)), line };
  const header = await createLineReader(readFrom, layout, format, start).next();
  if (header?.text === undefined || header.problem !== undefined) {
    throw new InvalidInput(header?.problem?.ofHeader ?? 'noHeader');
  }
  const columns = splitCells(header.text, head.delimiter, MAX_COLUMNS + 1).map(columnName);
  if (columns.length > MAX_COLUMNS) throw new InvalidInput(say('columnLimit', { max: MAX_COLUMNS }));
  return { layout: { ...layout, columns }, position: header.next() };
}

/** The beginning of a file, and whether it is all of it. */
async function firstBytes(readFrom: ReadFrom): Promise<{ first: Buffer; isWhole: boolean }> {
  const blocks: Buffer[] = [];
  let size = 0;
  for await (const block of readFrom(0)) {
    blocks.push(block);
    size += block.length;
    if (size > HEAD_BYTES) break;
  }
  if (size === 0) throw new InvalidInput('fileEmpty');
  return { first: Buffer.concat(blocks).subarray(0, HEAD_BYTES), isWhole: size <= HEAD_BYTES };
}

/** Why a line cannot be read, and why a file with such a header is refused. */
interface LineProblem {
  ofLine: Reason;
  ofHeader: Reason;
}

const PROBLEMS: Readonly<Record<RecordProblem, LineProblem>> = {
  unclosedQuote: { ofLine: say('unclosedQuote'), ofHeader: say('headerUnclosedQuote') },
  afterQuote: { ofLine: say('afterQuote'), ofHeader: say('headerAfterQuote') },
};

/** More than a record can hold. */
export const MAX_LINE_BYTES = 1024 * 1024;
const MAX_LINE = { max: MAX_LINE_BYTES / 1024 / 1024 };
const TOO_LONG = { ofLine: say('lineTooLong', MAX_LINE), ofHeader: say('headerTooLong', MAX_LINE) };
const NO_TEXT = { ofLine: say('notEncoded'), ofHeader: say('headerEncoding') };

export interface Line {
  /** The number of its first line, from 1. */
  number: number;
  /** Undefined when it is too long or not valid. */
  text: string | undefined;
  problem: LineProblem | undefined;
  next: () => FilePosition;
  bytes: number;
}

/** Reads the records of a file from a position on, in bounded memory, without blank lines. */
export function createLineReader(
  readFrom: (offset: number) => AsyncIterable<Buffer>,
  { encoding, newline, delimiter }: Pick<ImportLayout, 'encoding' | 'newline' | 'delimiter'>,
  format: ImportSettings['format'],
  start: FilePosition,
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

  function buildLine(first: number, text: string | undefined, problem: LineProblem | undefined, size: number): Line {
    const end = at;
    const following = number;
    const [all, from] = [bytes, offset];
    // Computed on demand, because UTF-16 has to be measured.
    const next = (): FilePosition => ({ offset: from + decoder.lengthInFile(all.subarray(0, end)), line: following });
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
    if (problem === undefined && isBlankLine(content, text)) return undefined;
    return buildLine(first, text, problem && PROBLEMS[problem], content.length);
  }

  const isBlankLine = (content: Buffer, text: string): boolean =>
    format === 'ndjson' ? text.trim() === '' : isBlankRecord(content, text, delimiter);

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

    position: (): FilePosition => ({ offset: offset + decoder.lengthInFile(bytes.subarray(0, at)), line: number }),
  };
}

type Encoding = ImportLayout['encoding'];

/** No byte of valid UTF-8. It represents a lone surrogate, so that its line is not valid. */
const INVALID = 0xff;
/** The bytes of UTF-8 for a unit of UTF-16. */
const MAX_UNIT_BYTES = 3;

/** Converts a file to UTF-8 by blocks. Invalid bytes stay invalid: their line is rejected. */
interface BlockDecoder {
  /** Some bytes may be kept until the next call. */
  decode(bytes: Buffer): Buffer;
  end(): Buffer;
  lengthInFile(converted: Buffer): number;
}

export function createBlockDecoder(encoding: Encoding): BlockDecoder {
  if (encoding === 'utf-8') {
    return { decode: (bytes) => bytes, end: () => Buffer.alloc(0), lengthInFile: ({ length }) => length };
  }
  let rest: Buffer = Buffer.alloc(0);
  return {
    decode(bytes) {
      const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
      let end = all.length - (all.length % 2);
      if (end >= 2 && isHighSurrogate(all, end - 2, encoding)) end -= 2;
      rest = Buffer.from(all.subarray(end));
      return toUtf8(all.subarray(0, end), encoding);
    },
    end() {
      const even = rest.length - (rest.length % 2);
      const last = toUtf8(rest.subarray(0, even), encoding);
      return even === rest.length ? last : Buffer.concat([last, Buffer.of(INVALID)]);
    },
    // Each invalid byte represents one unit, and is decoded to one.
    lengthInFile: (converted) => converted.toString().length * 2,
  };
}

function isHighSurrogate(bytes: Buffer, at: number, encoding: Encoding): boolean {
  const unit = encoding === 'utf-16le' ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  return unit >= 0xd800 && unit <= 0xdbff;
}

function toUtf8(bytes: Buffer, encoding: Encoding): Buffer {
  const text = (encoding === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
  return text.isWellFormed() ? Buffer.from(text) : encodeUnits(text);
}

/** A call for each part between two lone surrogates takes a second for each megabyte. */
function encodeUnits(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(text.length * MAX_UNIT_BYTES);
  let at = 0;
  const next = (code: number, shift: number): void => {
    bytes[at++] = 0x80 | ((code >> shift) & 0x3f);
  };
  for (let from = 0; from < text.length; from += 1) {
    const code = text.codePointAt(from) ?? 0;
    if (code < 0x80) bytes[at++] = code;
    else if (code >= 0xd800 && code < 0xe000) bytes[at++] = INVALID;
    else if (code < 0x800) {
      bytes[at++] = 0xc0 | (code >> 6);
      next(code, 0);
    } else if (code < 0x1_0000) {
      bytes[at++] = 0xe0 | (code >> 12);
      next(code, 6);
      next(code, 0);
    } else {
      bytes[at++] = 0xf0 | (code >> 18);
      for (const shift of [12, 6, 0]) next(code, shift);
      from += 1;
    }
  }
  return bytes.subarray(0, at);
}
