import type { Choice, ControlType, ConvertedText, TextContext } from './base/kind.ts';
import type { FieldDefinition } from './definition.ts';
import { getKind } from './kinds/registry.ts';

/** The control of a field, independent of its rendering: plain JSON without unset members. */
export interface FormControl {
  key: string;
  /** A date field whose default value has a time is a `text`: `date` controls have no time. */
  type: ControlType;
  /** HTML attributes. The placeholder of a `select` is the text of its empty option. */
  attributes: Readonly<Record<string, string | number>>;
  /** The values to choose from; empty unless `type` is `select` or `radio`. */
  choices: readonly Choice[];
  /** The label of the field, or its key. */
  label: string;
  help?: string;
  required: boolean;
  hidden: boolean;
  /** The text that the control begins with; `true` or `false` for a checkbox. */
  default?: string;
  /** Whether a query parameter of the form's page sets the value. */
  prefill: boolean;
  source?: NonNullable<FormOptions['source']>;
  /** The text that a person agrees to with a checkbox. */
  consent?: { version: string; url?: string };
}

/** The form options of any kind (spec 2.6). */
interface FormOptions {
  help?: string | undefined;
  placeholder?: string | undefined;
  default?: string | number | boolean | undefined;
  hidden?: boolean | undefined;
  prefill?: boolean | undefined;
  source?: 'page' | 'referrer' | 'utm_source' | 'utm_medium' | 'utm_campaign' | undefined;
  autocomplete?: string | undefined;
  consent?: { version: string; url?: string | undefined } | undefined;
}

export function formControl(field: FieldDefinition): FormControl {
  const kind = getKind(field.kind);
  const options: FormOptions = field;
  const { help, placeholder, hidden = false, prefill = false, source, autocomplete, consent } = options;
  return {
    key: field.key,
    type: kind.controlOf?.(field) ?? kind.control,
    attributes: withoutUnset({ ...kind.attributes?.(field), placeholder, autocomplete }),
    choices: kind.choices?.(field) ?? [],
    label: field.label || field.key,
    required: field.required,
    hidden,
    // A consent needs an action of the person: no link and no form gives it for them.
    prefill: prefill && consent === undefined,
    ...withoutUnset({ help, source }),
    ...(options.default !== undefined && consent === undefined && { default: String(options.default) }),
    ...(consent && { consent: { version: consent.version, ...withoutUnset({ url: consent.url }) } }),
  };
}

/**
 * Returns an example of the `data` of a submission. It conforms to the schema unless a field has a
 * pattern that no sample matches, or bounds that no value meets.
 */
export function sampleData({ fields }: { fields: readonly FieldDefinition[] }): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.key, getKind(field.kind).sample(field)]));
}

type Set<Value> = { [Name in keyof Value]?: Exclude<Value[Name], undefined | ''> };

/** Leaves out the members that are undefined or an empty text. */
function withoutUnset<Value extends object>(value: Value): Set<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined && one !== '')) as Set<Value>;
}

/**
 * Converts the texts that a form sent for one field to its value (spec 2.7). In an appending list
 * each text is one item; for other kinds the last text counts. Returns undefined when the text is
 * empty, and `problem` when it has no value of the kind. Does not validate the value.
 */
export function valueFromForm(
  field: Pick<FieldDefinition, 'kind'>,
  texts: readonly string[],
  context: TextContext = {},
): ConvertedText | undefined {
  const kind = getKind(field.kind);
  const convert = (text: string): ConvertedText | undefined => {
    const content = kind.trimsText ? text.trim() : text;
    return content === '' ? undefined : kind.fromText(content, context);
  };
  if (!kind.appendedItems) return convert(texts.at(-1) ?? '');

  const items = texts.flatMap((text) => convert(text) ?? []);
  if (items.length === 0) return undefined;
  return (
    items.find((item) => 'problem' in item) ?? { value: items.flatMap((item) => ('value' in item ? [item.value] : [])) }
  );
}
