import { BsonToJson } from '../../database/bson/bson-to-json.ts';
import {
  BOOLEAN,
  DOUBLE,
  endOfName,
  INT32,
  lengthOf,
  NULL,
  OBJECT,
  STRING,
  UnknownType,
} from '../../database/bson/elements.ts';
import { decode } from '../../database/collections.ts';
import type { RecordBatches } from '../record-json.ts';
import { type PresentedUser, presentUser, storedName, type UserRecord } from '../users.presenter.ts';

/** A column of the file, with the text of its header. */
export interface CsvColumn {
  /** A member of the record, `data.<key>`, or `other` for the keys that `keys` does not name. */
  name: string;
  header: string;
}

export interface CsvLayout {
  columns: readonly CsvColumn[];
  /** The field keys of the newest schema. */
  keys: readonly string[];
  /** Whether the file begins with the UTF-8 byte order mark. */
  bom: boolean;
}

/** A piece is yielded once it has this many UTF-16 units. */
const PIECE_UNITS = 64 * 1024;
const ROW_END = '\r\n';

/** Spreadsheets evaluate a cell that begins with one of these characters as a formula. */
export const FORMULA = /^[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/;
/**
 * RFC 4180 names the comma, the quote and line breaks. Spreadsheets in many locales split cells at
 * a semicolon.
 */
const SPECIAL = /[",;\r\n]/;

/**
 * Writes records as the rows of a CSV file (spec 4.3). Cells are read from BSON, so no record is
 * decoded: a library for CSV takes the values of decoded records, and decoding is most of the cost.
 *
 * @returns UTF-8 pieces of about 64 kB
 */
export async function* recordsAsCsv(batches: RecordBatches, layout: CsvLayout): AsyncGenerator<Uint8Array> {
  const rows = createRows(layout);
  let text = `${layout.bom ? '\uFEFF' : ''}${layout.columns.map(({ header }) => cell(header)).join(',')}${ROW_END}`;
  for await (const batch of batches) {
    for (const bytes of batch) {
      text += rows.of(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      if (text.length < PIECE_UNITS) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}

/** The text of a cell, quoted if need be. An apostrophe before a formula makes it a text. */
export function cell(text: string): string {
  const shown = FORMULA.test(text) ? `'${text}` : text;
  return SPECIAL.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

function createRows({ columns, keys }: CsvLayout) {
  const json = new BsonToJson();
  const known = new Set(keys);
  const positions = new Map(columns.map(({ name }, at) => [name, at]));
  const ownColumns = new Map([...positions].map(([name, at]) => [name === 'id' ? storedName(name) : name, at]));
  const dataColumns = new Map(
    [...positions].flatMap(([name, at]) =>
      name.startsWith('data.') ? [[name.slice('data.'.length), at] as const] : [],
    ),
  );
  const other = positions.get('other');
  let cells: string[] = [];

  return {
    of(record: Buffer): string {
      cells = new Array<string>(columns.length).fill('');
      try {
        readRecord(record);
      } catch (error) {
        if (!(error instanceof UnknownType)) throw error;
        // A type that the service never stores (a manual edit): the driver decodes the record.
        json.cutTo(0);
        cells = decodedCells(presentUser(decode<UserRecord>(record)));
      }
      return cells.join(',') + ROW_END;
    },
  };

  function readRecord(record: Buffer): void {
    for (let at = 4; record[at] !== 0; ) {
      const type = record[at] as number;
      const end = endOfName(record, at + 1);
      const name = record.toString('latin1', at + 1, end);
      if (name === 'data' && type === OBJECT) readData(record, end + 1);
      else {
        const column = ownColumns.get(name);
        if (column !== undefined && name !== 'other') cells[column] = valueCell(type, record, end + 1);
      }
      at = end + 1 + lengthOf(type, record, end + 1);
    }
  }

  function readData(record: Buffer, start: number): void {
    const others: [type: number, name: number, value: number][] = [];
    for (let at = start + 4; record[at] !== 0; ) {
      const type = record[at] as number;
      const end = endOfName(record, at + 1);
      // Names beyond ASCII decode to other texts, which are not field keys either.
      const name = record.toString('latin1', at + 1, end);
      const column = dataColumns.get(name);
      if (column !== undefined) cells[column] = valueCell(type, record, end + 1);
      if (other !== undefined && !known.has(name)) others.push([type, at + 1, end + 1]);
      at = end + 1 + lengthOf(type, record, end + 1);
    }
    if (other !== undefined && others.length > 0) cells[other] = cell(objectJson(record, others));
  }

  function objectJson(record: Buffer, members: readonly [number, number, number][]): string {
    for (const [index, [type, name, value]] of members.entries()) {
      json.text(`${index === 0 ? '{' : ','}${JSON.stringify(record.toString('utf8', name, value - 1))}:`);
      json.value(type, record, value);
    }
    json.text('}');
    return json.takeText();
  }

  function valueCell(type: number, record: Buffer, at: number): string {
    switch (type) {
      case STRING:
        return cell(record.toString('utf8', at + 4, at + 3 + record.readInt32LE(at)));
      case INT32:
        return String(record.readInt32LE(at));
      case DOUBLE:
        return String(record.readDoubleLE(at));
      case BOOLEAN:
        return record[at] === 1 ? 'true' : 'false';
      case NULL:
        return '';
      default: {
        json.value(type, record, at);
        const text = json.takeText();
        // Ids and times are texts in JSON.
        return cell(text.startsWith('"') ? text.slice(1, -1) : text);
      }
    }
  }

  function decodedCells(user: PresentedUser): string[] {
    const others = Object.entries(user.data).filter(([key]) => !known.has(key));
    return columns.map(({ name }) => {
      if (name === 'other') return others.length > 0 ? cell(JSON.stringify(Object.fromEntries(others))) : '';
      const key = name.startsWith('data.') ? name.slice('data.'.length) : undefined;
      if (key === undefined) return decodedCell(user[name as keyof PresentedUser]);
      return decodedCell(Object.hasOwn(user.data, key) ? user.data[key] : undefined);
    });
  }
}

function decodedCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : JSON.stringify(value);
  return cell(text);
}
