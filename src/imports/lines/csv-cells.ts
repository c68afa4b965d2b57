const QUOTE = '"';

/** The delimiters that are recognized. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

/**
 * Splits a record of CSV into its cells (RFC 4180). A quote inside of a cell that does not begin
 * with one is an ordinary character.
 *
 * @param text a record without its line end, with quotes that are closed
 */
export function splitCells(text: string, delimiter: string): string[] {
  if (!text.includes(QUOTE)) return text.split(delimiter);
  const cells: string[] = [];
  let at = 0;
  for (;;) {
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
}

/** Returns the place of the quote that closes the cell whose content begins at `from`. */
function endOfQuoted(text: string, from: number): number {
  for (let at = from; ; at += 2) {
    at = text.indexOf(QUOTE, at);
    if (at < 0) return text.length;
    if (text[at + 1] !== QUOTE) return at;
  }
}

/** Returns the delimiter that occurs most often in a header outside of quotes. */
export function delimiterOf(header: string): string {
  const unquoted = header.replace(/"(?:[^"]|"")*"/g, '');
  const counts = DELIMITERS.map((delimiter) => unquoted.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
