import { plainText } from '../exports/cell-text.ts';

/** The longest name that `map` and `columns` take. A longer one is named by its place. */
export const MAX_COLUMN_LENGTH = 2_000;
/** Longer names are compared as they are. */
const MAX_COMPARED = 16_384;
const PLACE = /^#([1-9]\d{0,3})$/;

/** Returns the name of a column: without white space around it, and the apostrophe of an export. */
export const columnName = (cell: string): string => (cell.length > MAX_COMPARED ? cell : plainText(cell.trim()).trim());

/** Returns the index that a key such as `#3` names; undefined for a name. */
function placeIn(key: string): number | undefined {
  const [, place] = PLACE.exec(key) ?? [];
  return place === undefined ? undefined : Number(place) - 1;
}

/** The columns of a file of rejected lines that the service adds. */
const REJECT_COLUMNS = [
  ['line', 'reason'],
  ['import_line', 'import_reason'],
] as const;

/** Returns the names of the columns that the service adds to those of a file. */
export function rejectColumns(names: readonly string[]): readonly [line: string, reason: string] {
  const [plain, prefixed] = REJECT_COLUMNS;
  return plain.some((name) => names.includes(name)) ? prefixed : plain;
}

/**
 * Returns how many first columns are the service's own, of a file of rejected lines; they are not
 * read. Columns that are named by `keys` belong to the file.
 */
function ownColumns(names: readonly string[], keys: readonly string[]): number {
  const own = REJECT_COLUMNS.find((some) => some.every((name, index) => names[index] === name));
  return own && names.length > own.length && !own.some((name) => keys.includes(name)) ? own.length : 0;
}

/** The columns of a file that an import may read. */
interface FileColumns {
  names: readonly string[];
  /** The number of columns before them. */
  skipped: number;
}

/** @param header the names of all columns @param keys those of `map` and `columns` */
export function fileColumns(header: readonly string[], keys: readonly string[] = []): FileColumns {
  const skipped = ownColumns(header, keys.map(columnName));
  return { names: header.slice(skipped), skipped };
}

/** The columns that a key names: by their name, or one by its place. */
export function columnsNamed(key: string, names: readonly string[]): number[] {
  const place = placeIn(key);
  if (place !== undefined) return place < names.length ? [place] : [];
  const name = columnName(key);
  return names.flatMap((one, index) => (one === name ? [index] : []));
}

/**
 * Returns the key that names a column alone: its name, or its place where others have that name.
 */
export function keyOf(index: number, names: readonly string[]): string {
  const name = names[index] ?? '';
  const isAlone = names.indexOf(name) === index && names.lastIndexOf(name) === index;
  const isUsable = name !== '' && name.length <= MAX_COLUMN_LENGTH && placeIn(name) === undefined;
  return isAlone && isUsable ? name : `#${index + 1}`;
}
