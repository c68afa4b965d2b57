import { z } from 'zod';
import { code } from '../../../platform/languages/problems.ts';
import type { FieldOption } from './kind.ts';

// The form options that several kinds have (spec 2.6). They never change which values are valid.

export const help = {
  schema: z.string().max(500).optional(),
  control: 'multiline',
} as const satisfies FieldOption;

export const placeholder = {
  schema: z.string().max(200).optional(),
  control: 'line',
} as const satisfies FieldOption;

export const hidden = {
  schema: z.boolean().optional(),
  control: 'switch',
} as const satisfies FieldOption;

export const prefill = {
  schema: z.boolean().optional(),
  control: 'switch',
} as const satisfies FieldOption;

/** Whether a submission of a known person sets the field of the staff back to its default. */
export const resetOnSubmit = {
  schema: z.boolean().optional(),
  control: 'switch',
} as const satisfies FieldOption;

export const autocomplete = {
  schema: z
    .string()
    .regex(/^[A-Za-z0-9 -]{1,100}$/, code('notAutofill'))
    .optional(),
  control: 'line',
} as const satisfies FieldOption;

const SOURCES = ['page', 'referrer', 'utm_source', 'utm_medium', 'utm_campaign'] as const;

export const source = {
  schema: z.enum(SOURCES).optional(),
  control: 'oneOf',
  values: SOURCES,
} as const satisfies FieldOption;

/** The controls that a kind offers besides its usual one. */
export function ui<const Values extends readonly string[]>(values: Values) {
  return { schema: z.enum(values).optional(), control: 'oneOf', values } as const satisfies FieldOption;
}

/** The value that a form begins with. `definitionIssues` checks it as it checks a submitted one. */
export function initialValue<Schema extends z.ZodType>(schema: Schema) {
  return { schema: schema.optional(), control: 'value' } as const satisfies FieldOption;
}
