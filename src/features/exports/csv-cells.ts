import { Utf8Writer } from '../../platform/bson/utf8-writer.ts';
import { cell, jsonCell } from './cell-text.ts';

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
/** The first byte of the full-width characters that begin formulas, and of others. */
const BEFORE_FULLWIDTH = 0xef;

/** What a byte is in a cell. */
const [PLAIN, FORMULA, MARK, SEPARATOR, BREAK] = [0, 1, 2, 3, 4];
const CLASSES = byteClasses([
  [FORMULA, '=+-@'],
  // What may be before a formula.
  [MARK, `"'`],
  [SEPARATOR, ',;'],
  [BREAK, '\t\r\n'],
]);
CLASSES[BEFORE_FULLWIDTH] = FORMULA;

/** How a cell is written: in quotes, after an apostrophe, or by the functions for texts. */
const [BARE, QUOTED, PREFIXED, AS_TEXT] = [0, 1, 2, 4];

/** Writes cells of CSV from bytes. */
export class CsvCells extends Utf8Writer {
  /** Writes the UTF-8 text from `start` to `end` as the function {@link cell} does. */
  cell(source: Buffer, start: number, end: number): void {
    const form = formOf(source, start, end);
    if (form === AS_TEXT) this.text(cell(source.toString('utf8', start, end)));
    else this.#write(source, start, end, form);
  }

  /** Writes a JSON text as the function {@link jsonCell} does. */
  json(json: Buffer): void {
    const form = formOf(json, 0, json.length);
    if (form === AS_TEXT) this.text(jsonCell(json.toString()));
    else this.#write(json, 0, json.length, form);
  }

  #write(source: Buffer, start: number, end: number, form: number): void {
    this.reserve(2 * (end - start) + 3);
    const bytes = this.buffer;
    let length = this.size;
    if ((form & QUOTED) !== 0) bytes[length++] = QUOTE;
    if ((form & PREFIXED) !== 0) bytes[length++] = APOSTROPHE;
    for (let at = start; at < end; at += 1) {
      const byte = source[at] as number;
      bytes[length++] = byte;
      if (byte === QUOTE) bytes[length++] = QUOTE;
    }
    if ((form & QUOTED) !== 0) bytes[length++] = QUOTE;
    this.size = length;
  }
}

/** The form of a cell; `AS_TEXT` also for some texts in which no formula begins. */
function formOf(source: Buffer, start: number, end: number): number {
  let form: number = BARE;
  for (let at = start; at < end; at += 1) {
    const byte = source[at] as number;
    const kind = CLASSES[byte] as number;
    if (kind === PLAIN) continue;
    if (kind === FORMULA || kind === BREAK) {
      const beginning = beginningAt(source, start, at, byte);
      if (beginning === AS_TEXT) return AS_TEXT;
      form |= beginning;
    }
    if (kind >= SEPARATOR || byte === QUOTE) form |= QUOTED;
  }
  return form;
}

/** How a cell is written because a spreadsheet may begin a formula at a byte. */
function beginningAt(source: Buffer, start: number, at: number, byte: number): number {
  let before = at - 1;
  while (before >= start && source[before] === APOSTROPHE) before -= 1;
  if (before < start) return byte === BEFORE_FULLWIDTH ? AS_TEXT : PREFIXED;
  while (before >= start && CLASSES[source[before] as number] === MARK) before -= 1;
  return before >= start && (CLASSES[source[before] as number] as number) >= SEPARATOR ? AS_TEXT : BARE;
}

function byteClasses(classes: readonly (readonly [kind: number, characters: string])[]): Uint8Array {
  const table = new Uint8Array(256).fill(PLAIN);
  for (const [kind, characters] of classes) for (const one of characters) table[one.charCodeAt(0)] = kind;
  return table;
}
