import type { Field } from '../../api/endpoints.ts';
import { enteredNumber, numberText } from '../../texts/numbers.ts';
import type { RecordChange } from './use-change.ts';

/** The changed texts of a form, by key. */
export type Draft = Readonly<Record<string, string>>;

/** The value of a key, which may be the name of a member of all objects. */
export function ownValue<Value>(data: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(data, key) ? data[key] : undefined;
}

/** The text of a control for a stored value. A value of another kind is shown as JSON. */
export function textOf({ kind }: Pick<Field, 'kind'>, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (kind === 'number' && typeof value === 'number') return numberText(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value of a text; undefined for no value. */
export function enteredValue({ kind }: Pick<Field, 'kind'>, text: string): unknown {
  if (text === '') return undefined;
  if (kind === 'checkbox') return text === 'true';
  if (kind === 'multiselect') return chosenIn(text);
  // The service explains what is wrong with a text that is no number.
  if (kind === 'number') return enteredNumber(text) ?? text;
  return text;
}

/** The choices of a text: those of a list as JSON, or one that was stored as a single choice. */
export function chosenIn(text: string): string[] {
  if (text === '') return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [text];
  } catch {
    return [text];
  }
}

/** The change of a draft; undefined without one. */
export function changeOf(
  draft: Draft,
  fields: readonly Field[],
  data: Readonly<Record<string, unknown>>,
): RecordChange | undefined {
  const set: Record<string, unknown> = {};
  const unset: string[] = [];
  for (const field of fields) {
    const { key } = field;
    const text = ownValue(draft, key);
    const stored = ownValue(data, key);
    if (text === undefined || text === textOf(field, stored)) continue;
    const value = enteredValue(field, text);
    if (value === undefined) unset.push(key);
    else set[key] = value;
  }
  return Object.keys(set).length + unset.length > 0 ? { set, unset } : undefined;
}

/** The keys that both the draft and somebody else changed. */
export function contested(
  draft: Draft,
  fields: readonly Field[],
  before: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): string[] {
  const changed = fields.filter((field) => {
    const text = ownValue(draft, field.key);
    const stored = textOf(field, ownValue(now, field.key));
    return text !== undefined && textOf(field, ownValue(before, field.key)) !== stored && text !== stored;
  });
  return changed.map(({ key }) => key);
}
