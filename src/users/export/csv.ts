import { isUtf8 } from 'node:buffer';
import { UnknownType } from '../../database/bson/elements.ts';
import { decode } from '../../database/collections.ts';
import type { RecordBatches } from '../record-json.ts';
import { type PresentedUser, presentUser, type UserRecord } from '../users.presenter.ts';
import { cell } from './csv-cells.ts';
import { CsvRows, keyOf } from './csv-rows.ts';

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

/** A piece is yielded once it has this many bytes. */
const PIECE_BYTES = 64 * 1024;
const ROW_END = '\r\n';

/**
 * Writes records as the rows of a CSV file (spec 4.3). Cells are read from BSON, so no record is
 * decoded: a library for CSV takes the values of decoded records, and decoding is most of the cost.
 *
 * @returns UTF-8 pieces of about 64 kB
 */
export async function* recordsAsCsv(batches: RecordBatches, layout: CsvLayout): AsyncGenerator<Uint8Array> {
  const { columns, keys, bom } = layout;
  const names = columns.map(({ name }) => name);
  const rows = new CsvRows(names, keys);
  rows.text(`${bom ? '\uFEFF' : ''}${columns.map(({ header }) => cell(header)).join(',')}${ROW_END}`);
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
      // A type that the service never stores (a manual edit): the driver decodes the record.
      rows.cutTo(before);
      rows.text(decodedCells(presentUser(decode<UserRecord>(record)), names, new Set(keys)).join(','));
    }
    rows.ascii(ROW_END);
  }
}

/** Replaces what is not UTF-8 (a manual edit). A piece ends with a row, so no character is cut. */
function wellFormed(piece: Buffer): Buffer {
  return isUtf8(piece) ? piece : Buffer.from(piece.toString());
}

function decodedCells(user: PresentedUser, columns: readonly string[], known: ReadonlySet<string>): string[] {
  const others = Object.entries(user.data).filter(([key]) => !known.has(key));
  return columns.map((name) => {
    if (name === 'other') return others.length > 0 ? cell(JSON.stringify(Object.fromEntries(others))) : '';
    const key = keyOf(name);
    if (key === undefined) return decodedCell(user[name as keyof PresentedUser]);
    return decodedCell(Object.hasOwn(user.data, key) ? user.data[key] : undefined);
  });
}

function decodedCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : JSON.stringify(value);
  return cell(text);
}
