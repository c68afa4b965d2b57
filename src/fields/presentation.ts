import { type Code, type Params, say } from '../languages/catalogue.ts';
import { forTag } from '../languages/tags.ts';
import { CHOICE_SEPARATOR } from './base/choice-list.ts';
import type { Choice, ChoiceBounds, ControlType, ConvertedText, TextContext } from './base/kind.ts';
import type { FieldDefinition } from './definition.ts';
import { getKind } from './kinds/registry.ts';

/** The control of a field, independent of its rendering: plain JSON without unset members. */
export interface FormControl {
  key: string;
  /** A date field whose default value has a time is a `text`: `date` controls have no time. */
  type: ControlType;
  /** HTML attributes. The placeholder of a `select` is the text of its empty option. */
  attributes: Readonly<Record<string, string | number>>;
  /** The values to choose from; empty unless `type` is `select`, `radio` or `checkboxes`. */
  choices: readonly Choice[];
  /** The label of the field, or its key. */
  label: string;
  /** With how many `checkboxes` to choose: HTML has no rule for it. */
  help?: string;
  required: boolean;
  hidden: boolean;
  /**
   * The text that the control begins with; `true` or `false` for a checkbox, and for `checkboxes`
   * the chosen values with `; ` between them.
   */
  default?: string;
  /** Whether a query parameter of the form's page sets the value. */
  prefill: boolean;
  source?: NonNullable<FormOptions['source']>;
  /** The text that a person agrees to with a checkbox. */
  consent?: { version: string; url?: string };
}

/** The texts of a field in other languages, by their tags. */
interface Translations {
  labels?: Readonly<Record<string, string>> | undefined;
  helps?: Readonly<Record<string, string>> | undefined;
  enumLabelsByLanguage?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/** Returns whether the control of a field has other texts in other languages. */
export function isTranslated(field: FieldDefinition): boolean {
  if (getKind(field.kind).bounds) return true;
  const { labels, helps, enumLabelsByLanguage }: Translations = field;
  return labels !== undefined || helps !== undefined || enumLabelsByLanguage !== undefined;
}

/** The form options of any kind (spec 2.6). */
interface FormOptions extends Translations {
  help?: string | undefined;
  placeholder?: string | undefined;
  default?: string | number | boolean | readonly string[] | undefined;
  hidden?: boolean | undefined;
  prefill?: boolean | undefined;
  source?: 'page' | 'referrer' | 'utm_source' | 'utm_medium' | 'utm_campaign' | undefined;
  autocomplete?: string | undefined;
  consent?: { version: string; url?: string | undefined } | undefined;
}

/** Returns a text of the service in the language of a control. */
export type ServiceText = (code: Code, params?: Params) => string;

const inEnglish: ServiceText = (code, params) => say(code, params).message;

/**
 * @param tag the language of the texts; those that a field has not in it are as in the schema
 * @param text the texts of the service in it
 */
export function formControl(field: FieldDefinition, tag = '', text: ServiceText = inEnglish): FormControl {
  const kind = getKind(field.kind);
  const options: FormOptions = field;
  const choices = kind.choices?.(field, tag) ?? [];
  const { labels, helps, placeholder, hidden = false, prefill = false, source, autocomplete, consent } = options;
  const help = forTag(helps, tag) || options.help;
  return {
    key: field.key,
    type: kind.controlOf?.(field) ?? kind.control,
    attributes: withoutUnset({ ...kind.attributes?.(field), placeholder, autocomplete }),
    choices,
    label: forTag(labels, tag) || field.label || field.key,
    required: field.required,
    hidden,
    // A consent needs an action of the person: no link and no form gives it for them.
    prefill: prefill && consent === undefined,
    ...withoutUnset({ help: sentences(help, choiceCount(kind.bounds?.(field) ?? {}, choices.length, text)), source }),
    ...(options.default !== undefined && consent === undefined && { default: textOf(options.default) }),
    ...(consent && { consent: { version: consent.version, ...withoutUnset({ url: consent.url }) } }),
  };
}

function sentences(help = '', count = ''): string {
  if (help === '' || count === '') return help || count;
  return `${help}${/[.:!?。！？؟]$/.test(help) ? '' : '.'} ${count}`;
}

/** Returns how many choices a field asks for; undefined for any number. */
function choiceCount(
  { minItems: min = 0, maxItems: max = 1 / 0 }: ChoiceBounds,
  choices: number,
  text: ServiceText,
): string | undefined {
  if (max >= choices) return min === 0 ? undefined : text('chooseAtLeast', { min });
  if (min === 0) return text('chooseAtMost', { max });
  return min === max ? text('chooseExactly', { min }) : text('chooseBetween', { min, max });
}

const textOf = (value: string | number | boolean | readonly string[]): string =>
  typeof value === 'object' ? value.join(CHOICE_SEPARATOR) : String(value);

/** The matcher steps of all samples of a schema: about 5 ms. */
const MAX_SAMPLE_STEPS = 100_000;

/**
 * Returns an example of the `data` of a submission. It conforms to the schema unless a field has a
 * pattern that no sample matches, or bounds that no value meets.
 */
export function sampleData({ fields }: { fields: readonly FieldDefinition[] }): Record<string, unknown> {
  const budget = { steps: MAX_SAMPLE_STEPS };
  return Object.fromEntries(fields.map((field) => [field.key, getKind(field.kind).sample(field, budget)]));
}

type Set<Value> = { [Name in keyof Value]?: Exclude<Value[Name], undefined | ''> };

/** Leaves out the members that are undefined or an empty text. */
function withoutUnset<Value extends object>(value: Value): Set<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined && one !== '')) as Set<Value>;
}

/**
 * Converts the texts that a form sent for one field to its value (spec 2.7). In an appending list
 * each text is one item, and a list of choices has those of all texts; for other kinds the last
 * text counts. Returns undefined when the field is absent, and `problem` when the text has no value
 * of the kind. Does not validate the value.
 */
export function valueFromForm(
  field: Pick<FieldDefinition, 'kind'> & Partial<FieldDefinition>,
  texts: readonly string[],
  context: TextContext = {},
): ConvertedText | undefined {
  const kind = getKind(field.kind);
  const convert = (text: string): ConvertedText | undefined => {
    const content = kind.trimsText ? text.trim() : text;
    return content === '' ? undefined : kind.fromText(content, context);
  };
  if (kind.fromTexts) return kind.fromTexts(texts, field);
  if (!kind.appendedItems) return convert(texts.at(-1) ?? '');

  const items = texts.flatMap((text) => convert(text) ?? []);
  if (items.length === 0) return undefined;
  return (
    items.find((item) => 'problem' in item) ?? { value: items.flatMap((item) => ('value' in item ? [item.value] : [])) }
  );
}
