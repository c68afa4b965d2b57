import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { UserRecord } from '../users.model.ts';

export const exportFormats = ['csv', 'ndjson', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Columns of a record's own, before those of its data. */
const OWN_COLUMNS = ['id', 'email', 'schemaVersion', 'createdAt', 'updatedAt'];

/** Streams hold 64 kB of text, and not the 16 records of any size that object streams hold by default. */
const BYTES = { objectMode: false, highWaterMark: 64 * 1024 };
const ONE_ROW = 1;

/** A spreadsheet takes a cell that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/;

/**
 * Writes records as they are read, so that memory stays flat (invariant 6). `ndjson` is one record a line, `json` one array, `csv` follows RFC
 * 4180: a column for each field of the newest schema, and one, `other`, with what a record holds beside them as JSON.
 *
 * @param keys the schema's field keys, in their order
 * @param bom whether `csv` begins with the UTF-8 byte order mark
 */
export function exportUsers(
  users: AsyncIterable<UserRecord>,
  format: ExportFormat,
  keys: readonly string[],
  bom = false,
): Readable {
  if (format === 'csv') return toCsv(users, keys, bom);
  return Readable.from(format === 'ndjson' ? lines(users) : array(users), BYTES);
}

async function* lines(users: AsyncIterable<UserRecord>) {
  for await (const user of users) yield `${JSON.stringify(shown(user))}\n`;
}

async function* array(users: AsyncIterable<UserRecord>) {
  let separator = '[\n';
  for await (const user of users) {
    yield `${separator}${JSON.stringify(shown(user))}`;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

function toCsv(users: AsyncIterable<UserRecord>, keys: readonly string[], bom: boolean): Readable {
  const columns = [...OWN_COLUMNS, ...keys.map((key) => `data.${key}`), 'other'];
  const encoder = stringify({
    ...{ bom, header: true, columns, record_delimiter: '\r\n' },
    // By itself the encoder quotes a line break only when it is the whole CR LF; readers end a row at either.
    // Spreadsheets in many locales split cells at a semicolon.
    quoted_match: /[\r\n;]/,
    ...{ writableHighWaterMark: ONE_ROW, readableHighWaterMark: BYTES.highWaterMark },
  });
  const rows = async function* () {
    for await (const user of users) yield csvRow(user, keys);
  };
  const source = Readable.from(rows(), { highWaterMark: ONE_ROW });
  source.on('error', (error) => encoder.destroy(error));
  encoder.on('close', () => source.destroy());
  return source.pipe(encoder);
}

function csvRow(user: UserRecord, keys: readonly string[]): string[] {
  const { id, email, data, schemaVersion, createdAt, updatedAt } = shown(user);
  const other = Object.fromEntries(Object.entries(data).filter(([key]) => !keys.includes(key)));
  const own = [id, email, schemaVersion, createdAt.toISOString(), updatedAt.toISOString()];
  const values = keys.map((key) => (Object.hasOwn(data, key) ? data[key] : undefined));
  return [...own, ...values, Object.keys(other).length > 0 ? other : undefined].map(cell);
}

/** A cell's text. A number stays a number; text that a spreadsheet would run gets an apostrophe before it. */
function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return FORMULA.test(text) ? `'${text}` : text;
}

function shown({ _id, email, data, schemaVersion, createdAt, updatedAt }: UserRecord) {
  return { id: _id.toString(), email, data, schemaVersion, createdAt, updatedAt };
}
