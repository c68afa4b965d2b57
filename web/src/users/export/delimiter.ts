/**
 * The separator that Excel expects in CSV: a semicolon where a comma is the decimal mark.
 * @param tag the language and region of the reader, such as `de-CH`
 */
export function excelDelimiter(tag: string): ',' | ';' {
  const parts = new Intl.NumberFormat(tag).formatToParts(1.5);
  return parts.some(({ type, value }) => type === 'decimal' && value === ',') ? ';' : ',';
}
