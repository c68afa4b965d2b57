import type { FieldDefinition } from '../../fields/definition.ts';
import { formControl } from '../../fields/presentation.ts';

/** The most values that an email lists. */
const MAX_VALUES = 120;
/** The items of a list that an email shows, the newest ones. */
const MAX_ITEMS = 5;

/** A value of a record, with the label of its field. */
export interface EntryValue {
  name: string;
  value: string;
}

/**
 * Returns the values of a record as texts: those of the schema in its order under their labels,
 * then the others under their keys. A value that is absent is left out.
 */
export function entryValues(
  { email, data }: { email: string; data: Record<string, unknown> },
  fields: readonly FieldDefinition[],
): EntryValue[] {
  const known = new Set(fields.map(({ key }) => key));
  const values = [
    { name: 'Email', value: email },
    ...fields.flatMap((field) => {
      if (!Object.hasOwn(data, field.key)) return [];
      const { label, choices } = formControl(field);
      const value = data[field.key];
      return [{ name: label, value: choices.find((choice) => choice.value === value)?.label ?? textOf(value) }];
    }),
    ...Object.keys(data)
      .filter((key) => !known.has(key))
      .map((key) => ({ name: key, value: textOf(data[key]) })),
  ];
  if (values.length <= MAX_VALUES) return values;
  const rest = values.length - MAX_VALUES;
  return [...values.slice(0, MAX_VALUES), { name: 'More values', value: `${rest} more are in the dashboard` }];
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return listText(value);
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return String(value ?? '');
}

function listText(items: readonly unknown[]): string {
  const shown = items.slice(-MAX_ITEMS).reverse().map(itemText);
  const rest = items.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… and ${rest} more`] : [])].join('\n');
}

/** Items are stored as objects with a `timestamp`; a sent scalar is in `value`. */
function itemText(item: unknown): string {
  if (typeof item !== 'object' || item === null) return textOf(item);
  const { timestamp: _, ...rest } = item as Record<string, unknown>;
  const [only, ...others] = Object.keys(rest);
  return only === 'value' && others.length === 0 ? textOf(rest.value) : JSON.stringify(rest);
}
