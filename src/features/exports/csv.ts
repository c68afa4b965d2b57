import { isUtf8 } from 'node:buffer';
import { type RecordBatches, storedName, type UserRecord } from '../../core/users/record-json.ts';
import { BsonToJson } from '../../platform/bson/bson-to-json.ts';
import {
  ARRAY,
  BOOLEAN,
  DATE,
  DOUBLE,
  DocumentReader,
  INT32,
  NULL,
  OBJECT,
  STRING,
  timeAt,
  UnknownType,
} from '../../platform/bson/documents.ts';
import { decode } from '../../platform/database/collections.ts';
import { CHOICE_SEPARATOR } from '../../platform/text/choice-list.ts';
import { cell, jsonCell } from './cell-text.ts';
import { CsvCells } from './csv-cells.ts';

/** A column of the file. */
export interface CsvColumn {
  /** A member of the record, `data.<key>`, or `other` for the keys that `keys` does not name. */
  name: string;
  header: string;
  /** Whether a list of texts is written with `; ` between them, not as JSON. */
  hasChoices?: boolean;
}

interface CsvLayout {
  columns: readonly CsvColumn[];
  keys: readonly string[];
  bom: boolean;
  delimiter?: ExportDelimiter | undefined;
}

/** What separates the cells of a row. */
export const EXPORT_DELIMITERS = { ',': ',', ';': ';', tab: '\t' } as const;
export type ExportDelimiter = keyof typeof EXPORT_DELIMITERS;

const PIECE_BYTES = 64 * 1024;
const ROW_END = '\r\n';

/** Yields pieces of about 64 kB (spec 4.3), from BSON: decoding would be most of the cost. */
export async function* recordsAsCsv(batches: RecordBatches, layout: CsvLayout): AsyncGenerator<Uint8Array> {
  const { columns, keys, bom, delimiter = ',' } = layout;
  const separator = EXPORT_DELIMITERS[delimiter];
  const rows = new CsvRows(columns, keys, separator);
  rows.text(`${bom ? '\uFEFF' : ''}${columns.map(({ header }) => cell(header)).join(separator)}${ROW_END}`);
  for await (const batch of batches) {
    for (const bytes of batch) {
      write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      if (rows.length >= PIECE_BYTES) yield wellFormed(rows.take());
    }
  }
  if (rows.length > 0) yield wellFormed(rows.take());

  function write(record: Buffer): void {
    const before = rows.length;
    try {
      rows.row(record);
    } catch (error) {
      if (!(error instanceof UnknownType)) throw error;
      // A type that the service never stores (a manual edit).
      rows.cutTo(before);
      rows.text(decodedCells(decode<UserRecord>(record), columns, new Set(keys)).join(separator));
    }
    rows.ascii(ROW_END);
  }
}

/** Replaces what is not UTF-8 (a manual edit). A piece ends with a row, so no character is cut. */
function wellFormed(piece: Buffer): Buffer {
  return isUtf8(piece) ? piece : Buffer.from(piece.toString());
}

function decodedCells(user: UserRecord, columns: readonly CsvColumn[], known: ReadonlySet<string>): string[] {
  const others = Object.entries(user.data).filter(([key]) => !known.has(key));
  return columns.map(({ name, hasChoices }) => {
    if (name === 'other') return others.length > 0 ? jsonCell(JSON.stringify(Object.fromEntries(others))) : '';
    const key = dataKey(name);
    if (key === undefined) return decodedCell(name === 'id' ? String(user._id) : user[name as keyof UserRecord]);
    const value = Object.hasOwn(user.data, key) ? user.data[key] : undefined;
    return decodedCell(hasChoices && isTexts(value) ? value.join(CHOICE_SEPARATOR) : value);
  });
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function decodedCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return cell(value);
  return value instanceof Date ? cell(value.toISOString()) : jsonCell(JSON.stringify(value));
}

const QUOTE = 0x22;
/** The type of a column without a value; no element of BSON has it. */
const ABSENT = 0;
/** The times whose year has four digits. Other years begin with a sign, like a formula. */
const [YEAR_0, YEAR_10000] = [Date.parse('0000-01-01'), Date.parse('+010000-01-01T00:00Z')];

interface DataTarget {
  column: number | undefined;
  isOther: boolean;
}

const UNKNOWN_KEY: DataTarget = { column: undefined, isOther: true };

/** Locates the values of a record first: the columns have another order than the elements. */
class CsvRows extends CsvCells {
  readonly #json = new BsonToJson();
  readonly #members: DocumentReader<number | 'data'>;
  readonly #data: DocumentReader<DataTarget>;
  readonly #otherColumn: number;
  readonly #choiceColumns: ReadonlySet<number>;
  readonly #items = new DocumentReader<never>([]);
  /** The types and offsets of the values of the record, by column. */
  readonly #types: Uint8Array;
  readonly #places: Uint32Array;
  readonly #separator: number;
  #others: number[] = [];

  /** @param keys the field keys that are not in `other` */
  constructor(columns: readonly CsvColumn[], keys: readonly string[], separator: string) {
    super();
    this.#separator = separator.charCodeAt(0);
    this.#types = new Uint8Array(columns.length);
    this.#places = new Uint32Array(columns.length);
    this.#otherColumn = columns.findIndex(({ name }) => name === 'other');
    this.#choiceColumns = new Set([...columns.keys()].filter((column) => columns[column]?.hasChoices));
    const own = new Map<string, number | 'data'>();
    const data = new Map<string, DataTarget>(keys.map((key) => [key, { column: undefined, isOther: false }]));
    for (const [column, { name }] of columns.entries()) {
      const key = dataKey(name);
      if (key !== undefined) data.set(key, { column, isOther: !data.has(key) });
      else if (name !== 'other') own.set(name === 'id' ? storedName(name) : name, column);
    }
    this.#members = new DocumentReader(own.set('data', 'data'));
    this.#data = new DocumentReader(data);
  }

  /** Writes a record without a line end. @throws {UnknownType} after a part of the row */
  row(record: Buffer): void {
    this.#json.cutTo(0); // The record before may have failed in the middle of a value.
    this.#locate(record);
    for (let column = 0; column < this.#types.length; column += 1) {
      if (column > 0) this.byte(this.#separator);
      if (column === this.#otherColumn) this.#otherCell(record);
      else if (this.#types[column] === ARRAY && this.#choiceColumns.has(column)) {
        this.#choicesCell(record, this.#places[column] as number);
      } else this.#valueCell(this.#types[column] as number, record, this.#places[column] as number);
    }
  }

  #locate(record: Buffer): void {
    this.#types.fill(ABSENT);
    this.#others = [];
    this.#members.read(record, 0, (target, type, value) => {
      if (target !== 'data') this.#note(target, type, value);
      else if (type === OBJECT) this.#locateData(record, value);
    });
  }

  #locateData(record: Buffer, start: number): void {
    this.#data.read(record, start, (target = UNKNOWN_KEY, type, value, at) => {
      this.#note(target.column, type, value);
      if (target.isOther) this.#others.push(at);
    });
  }

  #note(column: number | undefined, type: number, place: number): void {
    if (column === undefined) return;
    this.#types[column] = type;
    this.#places[column] = place;
  }

  #valueCell(type: number, record: Buffer, at: number): void {
    switch (type) {
      case ABSENT:
      case NULL:
        break;
      case STRING:
        this.cell(record, at + 4, at + 3 + record.readInt32LE(at));
        break;
      case INT32:
        this.ascii(String(record.readInt32LE(at)));
        break;
      case DOUBLE:
        this.ascii(String(record.readDoubleLE(at)));
        break;
      case BOOLEAN:
        this.ascii(record[at] === 1 ? 'true' : 'false');
        break;
      case DATE:
        this.#timeCell(record, at);
        break;
      default:
        this.#json.value(type, record, at);
        this.#jsonCell();
    }
  }

  #choicesCell(record: Buffer, at: number): void {
    const texts: string[] = [];
    let isOfTexts = true;
    this.#items.read(record, at, (_, type, item) => {
      if (type === STRING) texts.push(record.toString('utf8', item + 4, item + 3 + record.readInt32LE(item)));
      else isOfTexts = false;
    });
    const text = Buffer.from(texts.join(CHOICE_SEPARATOR));
    if (isOfTexts) this.cell(text, 0, text.length);
    else this.#valueCell(ARRAY, record, at);
  }

  #timeCell(record: Buffer, at: number): void {
    const time = timeAt(record, at);
    if (time >= YEAR_0 && time < YEAR_10000) this.time(time);
    else {
      this.#json.value(DATE, record, at);
      this.#jsonCell();
    }
  }

  #otherCell(record: Buffer): void {
    if (this.#others.length === 0) return;
    for (const [index, at] of this.#others.entries()) {
      this.#json.ascii(index === 0 ? '{' : ',');
      this.#json.member(record, at);
    }
    this.#json.ascii('}');
    this.#jsonCell();
  }

  /** Moves the written JSON to a cell. Ids and times are in quotes in JSON. */
  #jsonCell(): void {
    const json = this.#json.written();
    if (json[0] === QUOTE) this.cell(json, 1, json.length - 1);
    else this.json(json);
    this.#json.cutTo(0);
  }
}

function dataKey(column: string): string | undefined {
  return column.startsWith('data.') ? column.slice('data.'.length) : undefined;
}
