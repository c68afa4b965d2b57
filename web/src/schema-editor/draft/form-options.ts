import { t } from '../../texts/texts.ts';
import { valueName } from './field-texts.ts';
import type { FieldOption } from './rules.ts';

/** The labels of choices in a definition that is being edited. */
export function labelsOf(value: unknown): Record<string, string> {
  return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {};
}

/** Leaves out labels of values that are no longer choices, which the service refuses. */
function labelsOfChoices(value: unknown, choices: unknown): Record<string, string> | undefined {
  const values: readonly unknown[] = Array.isArray(choices) ? choices : [];
  const kept = Object.entries(labelsOf(value)).filter(([choice]) => values.includes(choice));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Returns an option for the service, without labels of values that are no longer choices. */
export function prunedOption(control: FieldOption['control'], value: unknown, choices: unknown): unknown {
  if (control === 'labels') return labelsOfChoices(value, choices);
  if (control !== 'labelsByLanguage' || value === undefined) return value;
  const kept = Object.entries(value as object).flatMap(([tag, labels]) => {
    const own = labelsOfChoices(labels, choices);
    return own ? [[tag, own] as const] : [];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Whether two values of a form option have the same effect. The order of members has none. */
export function isSameOption(a: unknown, b: unknown, option: FieldOption): boolean {
  return canonical(a, option) === canonical(b, option);
}

/** Describes a value in a list of changes, or returns undefined when it is too long for that. */
export function shortValue(value: unknown, option: FieldOption): string | undefined {
  if (canonical(value, option) === '') return t.schemaEditor.changes.none;
  if (typeof value === 'boolean') return value ? t.schemaEditor.changes.yes : t.schemaEditor.changes.no;
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value.length > 40) return undefined;
  return t.schemaEditor.quoted(option.control === 'oneOf' ? valueName(value) : value);
}

/** Empty for a value that has the effect of an unset one. */
function canonical(value: unknown, { control }: FieldOption): string {
  if (value === undefined || value === '' || (control === 'switch' && value === false)) return '';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== '');
  return members.length === 0 ? '' : JSON.stringify(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
