import { FIELD_KEY_PATTERN } from '../../core/fields/base/kind.ts';
import { type FieldDefinition, holdsFiles } from '../../core/fields/definition.ts';
import { pathName } from '../../platform/http/validation.ts';
import { type Issue, say } from '../../platform/languages/reasons.ts';
import { columnsNamed, fileColumns } from './column-names.ts';
import type { ImportSettings } from './imports.model.ts';

const DATA = 'data.';
/** The path of a column with further keys of `data` as JSON, which exports have. */
export const OTHER = 'other';

interface Schema {
  /** That of the import: only an archive has files. */
  format: ImportSettings['format'];
  rejectUnknown: boolean;
  fields: readonly FieldDefinition[];
}

interface Column {
  /** From 0. */
  index: number;
  path: string;
}

function isKnownPath(path: string, { format, rejectUnknown, fields }: Schema): boolean {
  if (path === 'email') return true;
  if (path === OTHER) return !rejectUnknown;
  const key = path.startsWith(DATA) ? path.slice(DATA.length) : '';
  const known = fields.find((field) => field.key === key);
  if (known && holdsFiles(known) && format !== 'zip') return false;
  return FIELD_KEY_PATTERN.test(key) && (!rejectUnknown || known !== undefined);
}

/** Returns the problems of a `map`: unknown and duplicate paths. */
export function mapIssues(map: ImportSettings['map'], schema: Schema): Issue[] {
  if (!map) return [];
  const issues: Issue[] = [];
  const paths = new Set<string>();
  for (const [column, path] of map) {
    const at = `map.${pathName(column)}`;
    if (!isKnownPath(path, schema)) issues.push({ path: at, ...say('notImportPath') });
    else if (paths.has(path)) issues.push({ path: at, ...say('pathTwice') });
    paths.add(path);
  }
  if (!paths.has('email')) issues.push({ path: 'map', ...say('emailNotMapped') });
  return issues;
}

/** Without `map`: the name as a path, or the field of that name if no column has its path. */
function pathByName(name: string, names: ReadonlySet<string>, schema: Schema): string | undefined {
  const isPath = isKnownPath(name, schema);
  if (isPath && name !== OTHER) return name;
  const path = DATA + name;
  const isField = schema.fields.some(({ key }) => key === name) && isKnownPath(path, schema);
  if (isField && !names.has(path)) return path;
  return isPath ? name : undefined;
}

type Keys = Pick<ImportSettings, 'map' | 'columns'>;

/** Returns the keys by which settings name columns. */
export const keysIn = ({ map = [], columns = [] }: Keys): string[] => [
  ...map.map(([key]) => key),
  ...columns.map(({ column }) => column),
];

/**
 * Returns the columns of `map`, or those that are named by a path, of which the first counts.
 * @param header the names of all columns
 */
export function resolveColumns(settings: Keys, header: readonly string[], schema: Schema): readonly Column[] {
  const { names, skipped } = fileColumns(header, keysIn(settings));
  const found = settings.map
    ? settings.map.flatMap(([key, path]) => columnsNamed(key, names).map((index) => ({ index, path })))
    : columnsByName(names, schema);
  return found
    .map(({ index, path }) => ({ index: index + skipped, path }))
    .sort((one, other) => one.index - other.index);
}

function columnsByName(names: readonly string[], schema: Schema): Column[] {
  const known = new Set(names);
  const read = new Set<string>();
  return names.flatMap((name, index) => {
    const path = pathByName(name, known, schema);
    if (path === undefined || read.has(path)) return [];
    read.add(path);
    return [{ index, path }];
  });
}

/** Returns the settings of columns by the index of the column. */
export function settingsOfColumns(settings: Keys, header: readonly string[]) {
  const { names, skipped } = fileColumns(header, keysIn(settings));
  return new Map(
    (settings.columns ?? []).flatMap((one) => columnsNamed(one.column, names).map((index) => [index + skipped, one])),
  );
}

/** Returns the key of `data` in a path that is neither `email` nor `other`. */
export const memberKey = (path: string): string => path.slice(DATA.length);

const MAX_NAME_LENGTH = 60;

/** Names with an `@` are left out: they may be emails, which an erasure must be able to find. */
export function columnNames(columns: Iterable<readonly [column: string, path: string]>): ReadonlyMap<string, string> {
  const named = [...columns].filter(([column]) => column.trim() !== '' && !column.includes('@'));
  return new Map(named.map(([column, path]) => [path, shortName(column)]));
}

const shortName = (column: string): string =>
  column.length > MAX_NAME_LENGTH ? `${column.slice(0, MAX_NAME_LENGTH)}…` : column;

/** Returns the path of an issue with the name of the column. */
export function columnPath(path: string, names: ReadonlyMap<string, string>): string {
  const [of = '', key] = path.split('.', 2);
  const base = key === undefined ? of : `${of}.${key}`;
  const name = names.get(base);
  return name === undefined ? path : name + path.slice(base.length);
}

/** Returns the problems of a header: columns that settings name and that are missing or several. */
export function headerIssues(settings: Keys, header: readonly string[]): Issue[] {
  const { names } = fileColumns(header, keysIn(settings));
  const issues = [
    ...keyIssues('map', settings.map?.map(([key]) => key) ?? [], names),
    ...keyIssues('columns', settings.columns?.map(({ column }) => column) ?? [], names),
  ];
  if (!settings.map && !names.includes('email')) issues.unshift({ path: 'map', ...say('emailNotMapped') });
  return issues;
}

function keyIssues(member: 'map' | 'columns', keys: readonly string[], names: readonly string[]): Issue[] {
  return keys.flatMap((key) => {
    const { length } = columnsNamed(key, names);
    if (length === 1) return [];
    return { path: `${member}.${pathName(key)}`, ...say(length === 0 ? 'notColumnOfFile' : 'columnOfHeaderTwice') };
  });
}
