import type { Field } from '../api/endpoints.ts';
import { countOf } from '../components/form/labels.ts';

const MAX_TEXTS = 3;
const MAX_LENGTH = 120;

/** The first texts of a submission, as `Hello · I have a question`. */
export function firstTexts(data: Readonly<Record<string, unknown>>, fields: readonly Field[]): string {
  const known = fields.flatMap((field) => (Object.hasOwn(data, field.key) ? [countOf(field, data[field.key])] : []));
  const others = Object.entries(data).flatMap(([key, value]) => (fields.some((one) => one.key === key) ? [] : [value]));
  const texts = [...known, ...others].filter(
    (value) => value !== undefined && value !== '' && typeof value !== 'boolean',
  );
  return texts.slice(0, MAX_TEXTS).map(textOf).join(' · ').slice(0, MAX_LENGTH);
}

/** An item that a submission appended has its value and its time. */
export const itemText = (item: unknown): string => textOf((item as { value?: unknown } | null)?.value ?? item);

/** Lists and objects as `page: /docs, seconds: 20`. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(itemText).join(', ');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return Object.entries(value)
    .map(([key, one]) => `${key}: ${textOf(one)}`)
    .join(', ');
}
