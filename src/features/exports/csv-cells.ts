import { Utf8Writer } from '../../platform/bson/utf8-writer.ts';

const QUOTE = 0x22;
const APOSTROPHE = 0x27;

/**
 * Spreadsheets evaluate a cell that begins with one of these characters as a formula. With
 * apostrophes before it, it is such a text too, so that imports restore every text.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/;
/** As RFC 4180, and the semicolon and the tab, at which spreadsheets may split cells. */
const SPECIAL = /[",;\t\r\n]/;
const FORMULA_BYTES = 3;
/** The first byte of the characters of FORMULA that are not ASCII, and of others. */
const BEFORE_FULLWIDTH = 0xef;

/** Whether a byte is one of SPECIAL, and whether it may begin one of FORMULA. */
const IS_SPECIAL = byteTable((character) => SPECIAL.test(character));
const MAY_BE_FORMULA = byteTable((character) => FORMULA.test(character));
MAY_BE_FORMULA[BEFORE_FULLWIDTH] = 1;

/** Returns the text of a cell, quoted if needed. An apostrophe makes a formula a text. */
export function cell(text: string): string {
  const shown = FORMULA.test(text) ? `'${text}` : text;
  return SPECIAL.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

/** Returns the text of a cell without the apostrophe that {@link cell} wrote. */
export function plainText(shown: string): string {
  return shown.startsWith("'") && FORMULA.test(shown.slice(1)) ? shown.slice(1) : shown;
}

/** Writes cells of CSV from bytes. */
export class CsvCells extends Utf8Writer {
  /** Writes the UTF-8 text from `start` to `end` as {@link cell} does. */
  cell(source: Buffer, start: number, end: number): void {
    this.reserve(2 * (end - start) + 3);
    const isQuoted = hasSpecial(source, start, end);
    if (isQuoted) this.byte(QUOTE);
    if (isFormula(source, start, end)) this.byte(APOSTROPHE);
    const bytes = this.buffer;
    let length = this.size;
    for (let at = start; at < end; at += 1) {
      const byte = source[at] as number;
      bytes[length++] = byte;
      if (byte === QUOTE) bytes[length++] = QUOTE;
    }
    this.size = length;
    if (isQuoted) this.byte(QUOTE);
  }
}

function hasSpecial(source: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (IS_SPECIAL[source[at] as number] === 1) return true;
  return false;
}

/** The first byte after apostrophes alone decides for nearly all texts. */
function isFormula(source: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && source[at] === APOSTROPHE) at += 1;
  if (at === end || MAY_BE_FORMULA[source[at] as number] === 0) return false;
  return FORMULA.test(source.toString('utf8', at, Math.min(end, at + FORMULA_BYTES)));
}

function byteTable(isSet: (character: string) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => Number(isSet(String.fromCharCode(byte))));
}
