import { z } from 'zod';
import type { Issue } from '../errors.ts';
import {
  type CompileBudget,
  FIELD_KEY_PATTERN,
  type FieldBase,
  type FieldKind,
  MAX_PATTERN_INSTRUCTIONS,
  type Report,
  type ValueCheck,
} from './kind.ts';
import { array } from './kinds/array.ts';
import { checkbox } from './kinds/checkbox.ts';
import { date } from './kinds/date.ts';
import { number } from './kinds/number.ts';
import { select } from './kinds/select.ts';
import { text } from './kinds/text.ts';

/** SPEC section 8. */
export const MAX_FIELDS = 100;

const Key = z
  .string()
  .regex(FIELD_KEY_PATTERN, 'must begin with a letter and hold at most 51 letters, digits and underscores');
const Label = z.string().max(200);

function definition<Kind extends string, Options extends z.ZodRawShape>({ kind, options }: FieldKind<Kind, Options>) {
  return z.strictObject({ key: Key, label: Label, kind: z.literal(kind), required: z.boolean(), ...options });
}

function definitionInput<Kind extends string, Options extends z.ZodRawShape>({
  kind,
  options,
}: FieldKind<Kind, Options>) {
  return z.strictObject({
    key: Key,
    label: Label.optional(),
    kind: z.literal(kind),
    required: z.boolean().optional(),
    ...options,
  });
}

/** A field definition as it is stored and answered (SPEC 2.3). */
export const FieldDefinition = z
  .discriminatedUnion('kind', [
    definition(text),
    definition(checkbox),
    definition(select),
    definition(number),
    definition(date),
    definition(array),
  ])
  .meta({ id: 'FieldDefinition' });
export type FieldDefinition = z.output<typeof FieldDefinition>;

/** A field definition as an admin sends it: `label` defaults to the key and `required` to false. */
export const FieldDefinitionInput = z
  .discriminatedUnion(
    'kind',
    [
      definitionInput(text),
      definitionInput(checkbox),
      definitionInput(select),
      definitionInput(number),
      definitionInput(date),
      definitionInput(array),
    ],
    'must have a kind: text, checkbox, select, number, date or array',
  )
  .meta({ id: 'FieldDefinitionInput' });
export type FieldDefinitionInput = z.output<typeof FieldDefinitionInput>;

// The table is keyed by kind, so the definition handed to a kind is always its own; the compiler cannot follow that through a lookup.
type AnyKind = {
  checkDefinition?(definition: FieldDefinitionInput, report: Report, budget: CompileBudget): void;
  compile(definition: FieldBase): ValueCheck;
};
const KINDS = { text, checkbox, select, number, date, array } as unknown as Record<FieldDefinition['kind'], AnyKind>;

/** The check of one definition's values. */
export function compileField(field: FieldDefinition): ValueCheck {
  return KINDS[field.kind].compile(field);
}

/** What a well-formed list of definitions still gets wrong: duplicate keys, min over max, patterns that do not compile or are too large. */
export function definitionIssues(fields: readonly FieldDefinitionInput[]): Issue[] {
  const issues: Issue[] = [];
  const seen = new Set<string>();
  const budget = { instructions: MAX_PATTERN_INSTRUCTIONS };
  for (const [index, field] of fields.entries()) {
    const report: Report = (message, at) => issues.push({ path: `fields.${index}.${at}`, message });
    if (seen.has(field.key)) report('is used by an earlier field', 'key');
    seen.add(field.key);
    KINDS[field.kind].checkDefinition?.(field, report, budget);
  }
  return issues;
}

/** A definition with its defaults filled in, as it is stored. */
export function completeDefinition(field: FieldDefinitionInput): FieldDefinition {
  const { key, label = key, kind, required = false, ...options } = field;
  return { key, label, kind, required, ...options } as FieldDefinition;
}
