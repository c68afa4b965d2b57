const QUOTE = '"';
const MAX_SPLIT = 2 ** 32 - 1;
export const MAX_COLUMNS = 2_000;

export const DELIMITERS = [',', ';', '\t', '|'] as const;

/** Splits a record without its line end (RFC 4180). A quote in an unquoted cell is a character. */
export function splitCells(text: string, delimiter: string, max = MAX_SPLIT): string[] {
  if (!text.includes(QUOTE)) return text.split(delimiter, max);
  const cells: string[] = [];
  let at = 0;
  while (cells.length < max) {
    if (text[at] === QUOTE) {
      const end = endOfQuoted(text, at + 1);
      cells.push(text.slice(at + 1, end).replaceAll('""', QUOTE));
      at = end + 1;
    } else {
      const end = text.indexOf(delimiter, at);
      cells.push(text.slice(at, end < 0 ? undefined : end));
      at = end < 0 ? text.length : end;
    }
    if (at >= text.length) return cells;
    at += 1; // the delimiter
  }
  return cells;
}

/** Returns the index of the quote that closes the cell whose content begins at `from`. */
function endOfQuoted(text: string, from: number): number {
  for (let at = from; ; at += 2) {
    at = text.indexOf(QUOTE, at);
    if (at < 0) return text.length;
    if (text[at + 1] !== QUOTE) return at;
  }
}
