import { InvalidInput } from '../../core/errors.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import { targetOf } from '../query/conditions/parse.ts';
import type { QueryRequest } from '../query/request.ts';
import type { UserFilter } from '../user-search.ts';
import { OPTIONAL_MEMBERS } from '../users.presenter.ts';
import type { CsvColumn } from './csv.ts';
import { defaultColumns, type ExportFormat, OWN_COLUMNS } from './export.ts';

/** The parameters of an export (spec 4.3). */
export interface ExportRequest extends QueryRequest, UserFilter, FileRequest {}

/** What the file of an export is like (spec 4.3). */
export interface FileRequest {
  format: ExportFormat;
  /** Whether CSV begins with the UTF-8 byte order mark. */
  bom?: boolean | undefined;
  /** The columns of CSV, comma-separated. */
  columns?: string | undefined;
  /** Whether the headers of CSV are the labels of the fields. */
  headers?: 'labels' | 'paths' | undefined;
}

/** The most columns that a request may name: all fields of a schema, and extra keys. */
const MAX_COLUMNS = 300;

/**
 * Returns the columns that a request asks for.
 *
 * @param asksToConfirm whether the app asks people to confirm their addresses
 * @throws {InvalidInput} when the app has no such column, or one is named twice
 */
export function columnsOf(
  { columns, headers }: Pick<ExportRequest, 'columns' | 'headers'>,
  schema: { fields: readonly FieldDefinition[]; rejectUnknown: boolean },
  asksToConfirm = false,
): CsvColumn[] {
  const keys = schema.fields.map(({ key }) => key);
  const all = defaultColumns(keys, asksToConfirm ? OPTIONAL_MEMBERS : []);
  const names = columns?.split(',') ?? all.map(({ name }) => name);
  const isKnown = (name: string): boolean =>
    OWN_COLUMNS.includes(name) ||
    OPTIONAL_MEMBERS.some((member) => member === name) ||
    name === 'other' ||
    (name.startsWith('data.') && targetOf(name, schema) !== undefined);
  if (!names.every(isKnown)) throw refused('must be columns of the app, separated by commas');
  if (new Set(names).size !== names.length) throw refused('must name each column once');
  if (names.length > MAX_COLUMNS) throw refused(`must be at most ${MAX_COLUMNS} columns`);
  if (headers !== 'labels') return names.map((name) => ({ name, header: name }));
  const labels = new Map(schema.fields.map(({ key, label }) => [`data.${key}`, label]));
  return names.map((name) => ({ name, header: labels.get(name) ?? name }));
}

function refused(message: string): InvalidInput {
  return new InvalidInput('Invalid query parameters', [{ path: 'columns', message }]);
}
