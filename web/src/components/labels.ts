import type { Field } from '../api/endpoints.ts';

/** The text of a stored value: the label of a choice, if it has one, else the value. */
export function labelOf(field: Field, value: unknown): unknown {
  if (field.kind !== 'select' || typeof value !== 'string') return value;
  const labels: Record<string, string> = field.enumLabels ?? {};
  return (Object.hasOwn(labels, value) ? labels[value] : '') || value;
}
