import type { FieldDefinition } from './definition.ts';
import type { ControlType } from './kind.ts';
import { kindOf } from './kinds/registry.ts';

/** What a form shows for one field, independent of how the form is rendered. */
export interface FormControl {
  type: ControlType;
  /** HTML attributes of the `input` element, by name. `required` is up to the form. */
  attributes: Readonly<Record<string, string | number>>;
  /** The values to choose from; empty unless `type` is `select`. */
  choices: readonly string[];
}

/** Describes the control of a field. */
export function formControl(field: FieldDefinition): FormControl {
  const kind = kindOf(field.kind);
  const attributes = Object.entries(kind.attributes?.(field) ?? {}).filter(isSet);
  return {
    type: kind.control,
    attributes: Object.fromEntries(attributes),
    choices: kind.choices?.(field) ?? [],
  };
}

/**
 * Returns an example of the `data` of a submission. It conforms to the schema unless a field has a
 * pattern that no sample matches, or bounds that no value meets.
 */
export function sampleData({ fields }: { fields: readonly FieldDefinition[] }): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.key, kindOf(field.kind).sample(field)]));
}

function isSet(entry: [string, string | number | undefined]): entry is [string, string | number] {
  return entry[1] !== undefined;
}
