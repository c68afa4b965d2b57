import type { Field } from '../api/endpoints.ts';

const EMAIL_NAMES = new Set(['email', 'mail', 'emailaddress', 'mailaddress', 'epost', 'correo']);

/** The path of the column with the keys of no field, as JSON. */
export const OTHER = 'other';

/** The path that a column gets; empty: the column is left out. */
type ColumnMap = Record<string, string>;

/** Letters and digits only, in lower case. */
const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Proposes a path for each column by its name: that of a path, or of a key or label of a field.
 * @param hasOthers whether the schema allows keys of no field, which exports write in one column
 */
export function suggestMap(columns: readonly string[], fields: readonly Field[], hasOthers = false): ColumnMap {
  const taken = new Set<string>();
  const byName = new Map<string, string>();
  for (const { key, label } of fields) {
    for (const name of [`data.${key}`, key, label])
      if (!byName.has(plain(name))) byName.set(plain(name), `data.${key}`);
  }
  const entries = columns.map((column) => {
    const name = plain(column);
    const isOther = hasOthers && column === OTHER && (!byName.has(OTHER) || columns.includes(`data.${OTHER}`));
    const path = isOther ? OTHER : (byName.get(name) ?? (EMAIL_NAMES.has(name) ? 'email' : ''));
    if (path === '' || taken.has(path)) return [column, ''];
    taken.add(path);
    return [column, path];
  });
  return Object.fromEntries(entries);
}
