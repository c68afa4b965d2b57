import { isDeepStrictEqual } from 'node:util';
import type { FieldDefinition } from '../../core/fields/definition.ts';
import { getKind } from '../../core/fields/kinds/registry.ts';
import { languageOf } from '../../platform/languages/languages.ts';
import { oneLine } from '../../platform/mail/content.ts';
import { labelNodes, withAddresses } from '../display/marks.ts';
import { choiceLabels, type FormControl, formControl } from '../display/presentation.ts';
import { toHtml } from '../forms/page.ts';

const MAX_VALUES = 120;
const MAX_ITEMS = 5;

/** A value as people read it, under its label. */
export interface EntryValue {
  /** Plain text. */
  name: string;
  /** The name with the signs of a label as HTML. */
  nameHtml?: string;
  value: string;
}

interface Entry {
  email: string;
  data: Record<string, unknown>;
}

/** The language of the reader, and the time zone of the times. */
interface Reader {
  tag?: string;
  timeZone?: string | undefined;
}

/** Returns values for operators: at most 120, with the number of the others. */
export function entryValues(entry: Entry, fields: readonly FieldDefinition[], reader: Reader = {}): EntryValue[] {
  const values = labelledValues(entry, fields, reader);
  if (values.length <= MAX_VALUES) return values;
  const rest = values.length - MAX_VALUES;
  return [...values.slice(0, MAX_VALUES), { name: 'More values', value: `${rest} more are in the dashboard` }];
}

/** Returns values of the schema under their labels, then the others under their keys. */
function labelledValues(
  { email, data }: Entry,
  fields: readonly FieldDefinition[],
  { tag, timeZone = 'UTC' }: Reader,
): EntryValue[] {
  const dateTime = (at: Date) => languageOf(tag ?? 'en').dateTime(at, timeZone);
  const known = new Set(fields.map(({ key }) => key));
  return [
    { name: 'Email', value: email },
    ...fields.flatMap((field) => {
      if (!Object.hasOwn(data, field.key)) return [];
      const control = formControl(field, tag);
      const labels = choiceLabels(control);
      const value = data[field.key];
      const name = (one: unknown): string => labels.get(one) ?? showValue(one);
      const shown = getKind(field.kind).inWords(value, { boolean: showValue, dateTime, name, items: listText });
      return [{ ...labelName(control), value: shown ?? name(value) }];
    }),
    ...Object.keys(data)
      .filter((key) => !known.has(key))
      .map((key) => ({ name: key, value: showValue(data[key]) })),
  ];
}

function labelName(control: FormControl): Omit<EntryValue, 'value'> {
  const nodes = labelNodes({ ...control, label: oneLine(control.label, control.label.length) });
  if (nodes.every((node) => typeof node === 'string')) return { name: control.label };
  return { name: withAddresses(control.label), nameHtml: toHtml(nodes) };
}

function showValue(value: unknown): string {
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
  if (typeof item !== 'object' || item === null) return showValue(item);
  const { timestamp: _, ...rest } = item as Record<string, unknown>;
  const [only, ...others] = Object.keys(rest);
  return only === 'value' && others.length === 0 ? showValue(rest.value) : JSON.stringify(rest);
}

/** What a submission would change in a record. */
interface Change {
  stored: Readonly<Record<string, unknown>>;
  sent: Readonly<Record<string, unknown>>;
}

/** Returns the sent values that differ from those of the record, for the person. */
export function changedValues(
  change: Change,
  fields: readonly FieldDefinition[],
  to: { tag: string; timeZone: string | undefined },
): EntryValue[] {
  const shown = changesOf(change).map(([key, value]) => [
    key,
    typeof value === 'boolean' ? BOOLEANS[`${value}`] : value,
  ]);
  const [, ...values] = labelledValues({ email: '', data: Object.fromEntries(shown) }, fields, to);
  if (values.length <= MAX_VALUES) return values;
  return [...values.slice(0, MAX_VALUES), { name: '…', value: '' }];
}

/**
 * Returns the labels of the fields whose values differ from those of the record. A key that is no
 * field is a word of its sender.
 */
export function changedNames(
  change: Change,
  fields: readonly FieldDefinition[],
  tag: string,
): Omit<EntryValue, 'value'>[] {
  const changed = new Set(changesOf(change).map(([key]) => key));
  return fields.filter(({ key }) => changed.has(key)).map((field) => labelName(formControl(field, tag)));
}

const changesOf = ({ stored, sent }: Change): [string, unknown][] =>
  Object.entries(sent).filter(
    ([key, value]) => !isDeepStrictEqual(value, Object.hasOwn(stored, key) ? stored[key] : undefined),
  );

/** In every language. */
const BOOLEANS = { true: '✓', false: '✗' };
