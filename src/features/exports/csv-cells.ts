import { Utf8Writer } from '../../platform/bson/utf8-writer.ts';
import { cell, jsonCell } from './cell-text.ts';

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const [OPEN_LIST, OPEN_OBJECT] = [0x5b, 0x7b];
/** The first byte of the full-width characters that begin formulas, and of others. */
const BEFORE_FULLWIDTH = 0xef;

/** What a byte is in a cell. Quotes and apostrophes may be before a formula. */
const [PLAIN, FORMULA, SEPARATOR, BREAK, MARK] = [0, 1, 2, 3, 4];
const CLASSES = byteClasses([
  [FORMULA, '=+-@'],
  [SEPARATOR, ',;'],
  [BREAK, '\t\r\n'],
  [MARK, `"'`],
]);
CLASSES[BEFORE_FULLWIDTH] = FORMULA;

/** Writes cells of CSV from bytes. */
export class CsvCells extends Utf8Writer {
  /** Writes the UTF-8 text from `start` to `end` as the function {@link cell} does. */
  cell(source: Buffer, start: number, end: number): void {
    if (mayBeFormula(source, start, end)) this.text(cell(source.toString('utf8', start, end)));
    else this.#quoted(source, start, end);
  }

  /** Writes a JSON text as the function {@link jsonCell} does. */
  json(json: Buffer): void {
    const isStructure = json[0] === OPEN_LIST || json[0] === OPEN_OBJECT;
    if (!isStructure) this.cell(json, 0, json.length);
    else if (mayBeFormula(json, 0, json.length)) this.text(jsonCell(json.toString()));
    else this.#quoted(json, 0, json.length);
  }

  #quoted(source: Buffer, start: number, end: number): void {
    this.reserve(2 * (end - start) + 2);
    const isQuoted = isSpecial(source, start, end);
    if (isQuoted) this.byte(QUOTE);
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

function isSpecial(source: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = source[at] as number;
    const kind = CLASSES[byte] as number;
    if (kind >= SEPARATOR && byte !== APOSTROPHE) return true;
  }
  return false;
}

/** Whether a spreadsheet may find the beginning of a formula. Is true for some other texts too. */
function mayBeFormula(source: Buffer, start: number, end: number): boolean {
  let begins = true;
  for (let at = start; at < end; at += 1) {
    const kind = CLASSES[source[at] as number];
    if (begins && (kind === FORMULA || kind === BREAK)) return true;
    if (kind === SEPARATOR || kind === BREAK) begins = true;
    else if (kind !== MARK) begins = false;
  }
  return false;
}

function byteClasses(classes: readonly (readonly [kind: number, characters: string])[]): Uint8Array {
  const table = new Uint8Array(256).fill(PLAIN);
  for (const [kind, characters] of classes) for (const one of characters) table[one.charCodeAt(0)] = kind;
  return table;
}
