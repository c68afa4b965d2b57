import type { FormField } from '../../fields/markup/form-field.ts';
import type { FormView } from './form-view.ts';

type Entries = NonNullable<FormView['entries']>;

/** Control names that a form sends again after a refusal. */
const CARRIED_CONTROLS = new Set(['_next', '_redirect', '_error', '_tz']);

/** Names that are not entries of a person and that the form writes anew, or not at all. */
const NOT_CARRIED = new Set(['altcha', 'access_key', 'form-name', 'botcheck', 'bot-field']);

/** Returns the texts of a field under any of the names that it may be sent with (spec 4.5). */
export function textsOf(entries: Entries, { name, control, id }: FormField): readonly string[] | undefined {
  const texts = namesOf({ name, control, id }).flatMap((one) => entries.get(one) ?? []);
  return texts.length > 0 ? texts : undefined;
}

/**
 * Returns the entries of a refused form that no field shows, to send them again: the redirect that
 * the form asked for, and entries of names that the schema does not have.
 */
export function carriedEntries({ entries, issues = [] }: FormView, fields: readonly FormField[]): [string, string][] {
  if (!entries) return [];
  const shown = new Set(fields.flatMap(namesOf));
  const refused = new Set(issues.map(({ path }) => path));
  return [...entries].flatMap(([name, texts]): [string, string][] => {
    if (shown.has(name) || NOT_CARRIED.has(name)) return [];
    if (name.startsWith('_') && !CARRIED_CONTROLS.has(name)) return [];
    if (refused.has(`data.${keyOf(name)}`)) return [];
    return texts.map((text) => [name, text]);
  });
}

function namesOf({ name, control, id }: Pick<FormField, 'name' | 'control' | 'id'>): string[] {
  if (id === 'email') return [name];
  const names = [name, `${name}[]`, `data.${control.key}`];
  return control.key === 'email' ? names : [...names, control.key, `${control.key}[]`];
}

/** The key in a name such as `data[key]`, `data.key` or `key[]`. */
function keyOf(name: string): string {
  return name.replace(/^data(?:\[([^\]]*)\]|\.(.*))/, '$1$2').replace(/\[\]$/, '');
}
