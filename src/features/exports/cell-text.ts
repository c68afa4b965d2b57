/**
 * Spreadsheets evaluate a cell that begins with one of these characters as a formula. With
 * apostrophes before it, it is such a text too, so that imports restore every text.
 */
const BEGINNING = /^'*[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/;
/**
 * Where a cell of a spreadsheet begins that takes another separator, or a line break in quotes, for
 * the end of a cell. Quotes at its beginning may be read as none.
 */
const INNER = /([,;\t\r\n]"*)(?='*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20])/g;
const INNER_SHOWN = /([,;\t\r\n]"*)'(?='*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20])/g;
/** As RFC 4180, and the semicolon and the tab, at which spreadsheets may split cells. */
const SPECIAL = /[",;\t\r\n]/;

/** Returns the text of a cell, quoted if needed. Apostrophes make formulas texts. */
export function cell(text: string): string {
  const shown = BEGINNING.test(text) ? `'${text}` : text;
  return quoted(SPECIAL.test(text) ? shown.replace(INNER, "$1'") : shown);
}

const quoted = (text: string): string => (SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Returns the text of a cell without the apostrophes that {@link cell} wrote. */
export function plainText(shown: string): string {
  if (!shown.includes("'")) return shown;
  const text = shown.startsWith("'") && BEGINNING.test(shown.slice(1)) ? shown.slice(1) : shown;
  return SPECIAL.test(text) ? text.replace(INNER_SHOWN, '$1') : text;
}

/** What begins a JSON text of an object or a list. */
export const JSON_BEGINNING = /^[[{]/;
/** A string with the comma before it, and a negative number after a comma. */
const IN_JSON = /,?"[^"\\]*(?:\\.[^"\\]*)*"|,-/g;
const IN_STRING = /(^,"|[,;])([=+\-@\uFF0B\uFF0D\uFF1D\uFF20])/g;

/** Returns the cell of a JSON text, in which no formula begins. Its value stays. */
export function jsonCell(json: string): string {
  if (!JSON_BEGINNING.test(json)) return cell(json);
  return quoted(json.replace(IN_JSON, (part) => (part === ',-' ? ', -' : part.replace(IN_STRING, escaped))));
}

const escaped = (_: string, before: string, character: string): string =>
  `${before}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
