import type { Field } from '../api/endpoints.ts';

const EMAIL_NAMES = new Set(['email', 'mail', 'emailaddress', 'mailaddress', 'epost', 'correo']);

/** The path of the column with the keys of no field, as JSON. */
export const OTHER = 'other';

/** Letters and digits only, in lower case. */
const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Proposes a path for each column by its name: that of a path, or else of a key or label of a
 * field. An empty path: the column is left out.
 * @param hasOthers whether the schema allows keys of no field, which exports write in one column
 */
export function suggestMap(columns: readonly string[], fields: readonly Field[], hasOthers = false): string[] {
  const taken = new Set<string>();
  const byName = new Map<string, string>();
  const paths = new Map<string, string>([['email', 'email']]);
  for (const { key, label } of fields) {
    paths.set(`data.${key}`, `data.${key}`);
    for (const name of [`data.${key}`, key, label])
      if (!byName.has(plain(name))) byName.set(plain(name), `data.${key}`);
  }
  if (hasOthers && (!byName.has(OTHER) || columns.includes(`data.${OTHER}`))) paths.set(OTHER, OTHER);
  const take = (path: string): string => {
    if (taken.has(path)) return '';
    taken.add(path);
    return path;
  };
  const exact = columns.map((name) => take(paths.get(name) ?? ''));
  const byLabel = (name: string): string => byName.get(plain(name)) ?? (EMAIL_NAMES.has(plain(name)) ? 'email' : '');
  return columns.map((name, index) => exact[index] || take(byLabel(name)));
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Proposes the column of the email by its values, if no name is that of one. */
export function withEmail(paths: string[], columns: readonly { values: readonly string[] }[]): string[] {
  if (paths.includes('email')) return paths;
  const index = columns.findIndex(
    ({ values }, at) => paths[at] === '' && values.length > 0 && values.every((value) => EMAIL.test(value.trim())),
  );
  return index < 0 ? paths : paths.with(index, 'email');
}
