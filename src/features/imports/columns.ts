import { FIELD_KEY_PATTERN } from '../../core/fields/base/kind.ts';
import { type FieldDefinition, holdsFiles } from '../../core/fields/definition.ts';
import { pathName } from '../../platform/http/validation.ts';
import { type Issue, say } from '../../platform/languages/reasons.ts';
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
function pathByName(name: string, names: readonly string[], schema: Schema): string | undefined {
  const isPath = isKnownPath(name, schema);
  if (isPath && name !== OTHER) return name;
  const path = DATA + name;
  const isField = schema.fields.some(({ key }) => key === name) && isKnownPath(path, schema);
  if (isField && !names.includes(path)) return path;
  return isPath ? name : undefined;
}

/** Returns the columns of `map`, or those that are named by a path. */
export function resolveColumns(
  { map }: Pick<ImportSettings, 'map'>,
  names: readonly string[],
  schema: Schema,
): readonly Column[] {
  const paths = new Map(map);
  return names.flatMap((name, index) => {
    const path = map ? paths.get(name) : pathByName(name, names, schema);
    return path === undefined ? [] : [{ index, path }];
  });
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

/** Returns the problems of a header: missing and duplicate columns of `map`. */
export function headerIssues({ map }: Pick<ImportSettings, 'map'>, names: readonly string[], schema: Schema): Issue[] {
  const issues: Issue[] = [];
  const read = map ? map.map(([column]) => column) : names.filter((name) => pathByName(name, names, schema));
  for (const column of new Set(read)) {
    const count = names.filter((name) => name === column).length;
    if (count === 0) issues.push({ path: `map.${pathName(column)}`, ...say('notColumnOfFile') });
    if (count > 1) issues.push({ path: `map.${pathName(column)}`, ...say('columnOfHeaderTwice') });
  }
  if (!map && !names.includes('email')) issues.push({ path: 'map', ...say('emailNotMapped') });
  return issues;
}
