const QUOTE = 0x22;
const CR = 0x0d;

/** Where a record ends: before `end`; the next one begins at `next`. */
export interface RecordEnd {
  end: number;
  next: number;
  /** Why the record cannot be read. It then ends with its first line. */
  problem?: string;
}

const UNCLOSED = 'has a quote that is not closed';
const AFTER_QUOTE = 'has text after a closing quote';

/** Returns the end of the line that begins at `at`; undefined when the bytes do not hold it. */
export function endOfLine(bytes: Buffer, at: number, newline: number, isLast: boolean): RecordEnd | undefined {
  const end = bytes.indexOf(newline, at);
  if (end >= 0) return { end, next: end + 1 };
  return isLast ? { end: bytes.length, next: bytes.length } : undefined;
}

/**
 * Returns the end of the CSV record that begins at `at` (RFC 4180); undefined when the bytes do not
 * hold all of it. A quoted cell may contain line ends. When a quote is not closed, or is followed
 * by text, only the first line is given up, so that a lone quote does not take the lines after it.
 *
 * @param isLast whether no bytes follow
 * @param limit the most bytes of a record; a quote that is closed later counts as not closed
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
  // The end of the line that has `from`. Looking for each cell would be quadratic.
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

/** The last byte of what is there may be the first quote of two; the caller asks for more. */
function closingQuote(bytes: Buffer, from: number): number | undefined {
  for (let at = from; ; at += 2) {
    at = bytes.indexOf(QUOTE, at);
    if (at < 0) return undefined;
    if (bytes[at + 1] !== QUOTE) return at;
  }
}
