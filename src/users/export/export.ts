import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { OWN_MEMBERS, presentUser, type UserRecord } from '../users.presenter.ts';

export const exportFormats = ['csv', 'ndjson', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The columns before those of `data`. */
const OWN_COLUMNS = OWN_MEMBERS.filter((member) => member !== 'data');

/** Buffer 64 kB of text; object streams buffer 16 records of any size by default. */
const BYTES = { objectMode: false, highWaterMark: 64 * 1024 };
const ONE_ROW = 1;

/** Spreadsheets evaluate a cell that begins with one of these characters as a formula. */
const FORMULA = /^[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/;

/**
 * Streams records as UTF-8 text while they are read, with back-pressure, so memory use does not
 * depend on their number (invariant 6). The members are those of a listing (spec 4.3).
 *
 * `ndjson` is one record per line; `json` is one array; `csv` follows RFC 4180 and has the record's
 * own columns, one column per schema field, and `other` with the remaining keys of `data` as JSON.
 * The stream fails when `users` fails, and closes `users` when it is destroyed.
 *
 * @param keys the field keys of the newest schema, in schema order; only `csv` uses them
 * @param bom whether `csv` begins with the UTF-8 byte order mark
 */
export function exportUsers(
  users: AsyncIterable<UserRecord>,
  format: ExportFormat,
  keys: readonly string[],
  bom = false,
): Readable {
  if (format === 'csv') return toCsv(users, keys, bom);
  return Readable.from(format === 'ndjson' ? toLines(users) : toArray(users), BYTES);
}

async function* toLines(users: AsyncIterable<UserRecord>) {
  for await (const user of users) yield `${JSON.stringify(presentUser(user))}\n`;
}

async function* toArray(users: AsyncIterable<UserRecord>) {
  let separator = '[\n';
  for await (const user of users) {
    yield `${separator}${JSON.stringify(presentUser(user))}`;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

function toCsv(users: AsyncIterable<UserRecord>, keys: readonly string[], bom: boolean): Readable {
  const columns = [...OWN_COLUMNS, ...keys.map((key) => `data.${key}`), 'other'];
  const encoder = stringify({
    ...{ bom, header: true, columns, record_delimiter: '\r\n' },
    // The encoder quotes a line break only when it is CR LF, but readers end a row at CR or LF.
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

function csvRow(record: UserRecord, keys: readonly string[]): string[] {
  const user = presentUser(record);
  const { data } = user;
  const other = Object.fromEntries(Object.entries(data).filter(([key]) => !keys.includes(key)));
  const own = OWN_COLUMNS.map((column) => {
    const value = user[column];
    return value instanceof Date ? value.toISOString() : value;
  });
  const values = keys.map((key) => (Object.hasOwn(data, key) ? data[key] : undefined));
  return [...own, ...values, Object.keys(other).length > 0 ? other : undefined].map(toCell);
}

/**
 * The text of a cell. An apostrophe before a text that is a formula makes spreadsheets show it
 * instead.
 */
function toCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return FORMULA.test(text) ? `'${text}` : text;
}
