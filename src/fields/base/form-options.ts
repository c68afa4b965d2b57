import { z } from 'zod';
import type { FieldOption } from './kind.ts';

// The form options that several kinds have (spec 2.6). They never change which values are valid.

export const help = {
  schema: z.string().max(500).optional(),
  label: 'Help text',
  help: 'Shown with the field',
  control: 'multiline',
} as const satisfies FieldOption;

export const placeholder = {
  schema: z.string().max(200).optional(),
  label: 'Placeholder',
  help: 'Shown while the field is empty',
  control: 'line',
} as const satisfies FieldOption;

export const hidden = {
  schema: z.boolean().optional(),
  label: 'Hidden',
  help: 'The form sends the value but does not show the field',
  control: 'switch',
} as const satisfies FieldOption;

export const prefill = {
  schema: z.boolean().optional(),
  label: 'Filled from the address of the form',
  help: 'A query parameter with the key of the field sets its value',
  control: 'switch',
} as const satisfies FieldOption;

export const autocomplete = {
  schema: z
    .string()
    .regex(/^[A-Za-z0-9 -]{1,100}$/, 'must be autofill tokens: at most 100 letters, digits, hyphens and spaces')
    .optional(),
  label: 'Autofill',
  help: 'Autofill tokens of HTML, such as given-name or tel',
  control: 'line',
} as const satisfies FieldOption;

const SOURCES = {
  page: 'Address of the page',
  referrer: 'Referrer of the page',
  utm_source: 'utm_source',
  utm_medium: 'utm_medium',
  utm_campaign: 'utm_campaign',
} as const;

export const source = {
  schema: z.enum(keysOfNames(SOURCES)).optional(),
  label: 'Source',
  help: 'The form sets the value from the page that shows it',
  control: 'oneOf',
  names: SOURCES,
} as const satisfies FieldOption;

/** The controls that a kind offers besides its usual one, each with its name for people. */
export function ui<const Names extends Readonly<Record<string, string>>>(names: Names) {
  return {
    schema: z.enum(keysOfNames(names)).optional(),
    label: 'Control',
    control: 'oneOf',
    names,
  } as const satisfies FieldOption;
}

/** The value that a form begins with. `definitionIssues` checks it as it checks a submitted one. */
export function initialValue<Schema extends z.ZodType>(schema: Schema) {
  return { schema: schema.optional(), label: 'Default value', control: 'value' } as const satisfies FieldOption;
}

function keysOfNames<Names extends Readonly<Record<string, string>>>(names: Names): (keyof Names & string)[] {
  return Object.keys(names);
}
