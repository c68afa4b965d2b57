import { z } from 'zod';
import type { Choice, FieldOption, Report } from './kind.ts';

// The options of the kinds whose values are in a list (spec 2.3 and 2.6).

export const values = {
  schema: z.array(z.string()).min(1, 'must list at least one value'),
  label: 'Choices',
  control: 'choices',
  initial: ['first', 'second'],
} as const satisfies FieldOption;

export const enumLabels = {
  schema: z.record(z.string(), z.string().max(200)).optional(),
  label: 'Labels of the choices',
  help: 'Shown instead of the values',
  control: 'labels',
} as const satisfies FieldOption;

/** Keys that the driver would misread, such as those of a reference. */
const UNSTORABLE = new Set(['_bsontype', '$ref', '$id', '$db']);

interface Choices {
  enum: readonly string[];
  enumLabels?: Readonly<Record<string, string>> | undefined;
}

export function checkLabels({ enumLabels: labels = {}, ...definition }: Choices, report: Report): void {
  const known = new Set(definition.enum);
  const isUnusable = (value: string): boolean => UNSTORABLE.has(value) || value.includes('\0');
  const wrong = Object.keys(labels).find((value) => !known.has(value) || isUnusable(value));
  if (wrong === undefined) return;
  const reason = known.has(wrong) ? 'cannot have one' : 'is not in enum';
  report(`has a label for a value that ${reason}`, 'enumLabels');
}

/** Returns the values that a form offers: each once, with its label. */
export function labelledChoices({ enumLabels: labels = {}, ...definition }: Choices): Choice[] {
  return [...new Set(definition.enum)].map((value) => ({
    value,
    label: (Object.hasOwn(labels, value) && labels[value]) || value,
  }));
}
