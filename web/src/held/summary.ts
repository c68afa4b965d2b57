import type { Field } from '../api/endpoints.ts';

const MAX_ENTRIES = 3;
const MAX_LENGTH = 60;

/** The first values of some data, for example `Full name: Ada · Plan: pro · 2 more`. */
export function summaryOf(data: Readonly<Record<string, unknown>>, fields: readonly Field[]): string {
  const labels = new Map(fields.map(({ key, label }) => [key, label]));
  const keys = [...fields.map(({ key }) => key).filter((key) => Object.hasOwn(data, key))];
  const others = Object.keys(data).filter((key) => !labels.has(key));
  const all = [...keys, ...others];
  const shown = all.slice(0, MAX_ENTRIES).map((key) => `${labels.get(key) || key}: ${textOf(data[key])}`);
  return [...shown, ...(all.length > MAX_ENTRIES ? [`${all.length - MAX_ENTRIES} more`] : [])].join(' · ');
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
