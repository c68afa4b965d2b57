import { Readable } from 'node:stream';
import { type RecordBatches, recordsAsJson } from '../record-json.ts';
import { OWN_MEMBERS } from '../users.presenter.ts';
import { type CsvColumn, recordsAsCsv } from './csv.ts';

export const exportFormats = ['csv', 'ndjson', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The columns before those of `data`. */
export const OWN_COLUMNS: readonly string[] = OWN_MEMBERS.filter((member) => member !== 'data');

/** Buffer 64 kB of text; object streams buffer 16 pieces by default. */
const BYTES = { objectMode: false, highWaterMark: 64 * 1024 };

/** What a CSV file contains. */
export interface CsvOptions {
  /** Whether the file begins with the UTF-8 byte order mark. */
  bom?: boolean | undefined;
  /** Default: the record's own columns, one for each field of the newest schema, and `other`. */
  columns?: readonly CsvColumn[] | undefined;
}

/**
 * Streams records as UTF-8 text while they are read, with back-pressure, so memory use does not
 * depend on their number (invariant 6). The members are those of a listing (spec 4.3). Records are
 * not decoded.
 *
 * `ndjson` is one record per line; `json` is one array; `csv` follows RFC 4180. The stream fails
 * when `records` fails, and closes `records` when it is destroyed.
 *
 * @param keys the field keys of the newest schema, in schema order; only `csv` uses them
 */
export function exportUsers(
  records: RecordBatches,
  format: ExportFormat,
  keys: readonly string[],
  { bom = false, columns = defaultColumns(keys) }: CsvOptions = {},
): Readable {
  if (format === 'csv') return Readable.from(recordsAsCsv(records, { columns, keys, bom }), BYTES);
  if (format === 'ndjson')
    return Readable.from(recordsAsJson(records, OWN_MEMBERS, { after: '}\n', between: '' }), BYTES);
  return Readable.from(toArray(records), BYTES);
}

/**
 * The columns of a CSV file, with their names as headers.
 * @param optional the optional members of records that have a column
 */
export function defaultColumns(keys: readonly string[], optional: readonly string[] = []): CsvColumn[] {
  return [...OWN_COLUMNS, ...optional, ...keys.map((key) => `data.${key}`), 'other'].map((name) => ({
    name,
    header: name,
  }));
}

async function* toArray(records: RecordBatches): AsyncGenerator<Uint8Array | string> {
  let isEmpty = true;
  for await (const piece of recordsAsJson(records, OWN_MEMBERS, { after: '}', between: ',\n' })) {
    if (isEmpty) yield '[\n';
    isEmpty = false;
    yield piece;
  }
  yield isEmpty ? '[]\n' : '\n]\n';
}
