import { z } from 'zod';
import type { ConditionOperator } from '../../core/fields/base/browser-kinds.ts';
import { CONTROL_TYPES, isRadio } from '../../core/fields/base/control-types.ts';
import { source } from '../../core/fields/base/form-options.ts';
import { Choice, type ConvertedText, Ends, type ServiceText, type TextContext } from '../../core/fields/base/kind.ts';
import { type Condition, type Conditions, fieldStates } from '../../core/fields/conditions.ts';
import {
  conditionsOf,
  EMAIL_FIELD,
  FieldConditions,
  type FieldDefinition,
  holdsFiles,
} from '../../core/fields/definition.ts';
import { FIELD_KINDS, getKind } from '../../core/fields/kinds/registry.ts';
import { type Code, fillText } from '../../platform/languages/catalogue.ts';
import { en } from '../../platform/languages/en.ts';
import { forTag } from '../../platform/languages/tags.ts';
import { PLAIN_NUMBERS } from '../../platform/languages/texts.ts';
import { CHOICE_SEPARATOR } from '../../platform/text/choice-list.ts';
import { plainLabel } from './marks.ts';

/** The control of a field, independent of its rendering: plain JSON without unset members. */
export const FormControl = z
  .strictObject({
    key: z.string(),
    /** A date field whose default value has a time is a `text`: `date` controls have no time. */
    type: z.enum(CONTROL_TYPES).meta({ description: '`list` is an input that adds one item to an array field' }),
    /** The placeholder of a `select` and of radio buttons is the text of its empty choice. */
    attributes: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .meta({ description: 'HTML attributes of the control, by name' }),
    /** Empty unless `type` is `select`, `radio`, `stars`, `scale` or `checkboxes`. */
    choices: z.array(Choice),
    ends: Ends.optional().meta({ description: 'The texts at both ends of `stars` and of a `scale`' }),
    /** The label of the field, or its key. */
    label: z.string(),
    /** With how many `checkboxes` to choose: HTML has no rule for it. */
    help: z.string().optional(),
    required: z.boolean(),
    hidden: z.boolean().meta({ description: 'Whether the form sends the field without showing it' }),
    /** The text that the control begins with; `true` or `false` for a checkbox. */
    default: z.string().optional().meta({ description: 'For `checkboxes` the choices, with `; ` between them' }),
    prefill: z.boolean().meta({ description: 'Whether a query parameter of the page fills the field' }),
    source: source.schema,
    /** Only of a field that a condition of the form names, which compares by it. */
    kind: z.enum(FIELD_KINDS.map(({ name }) => name)).optional(),
    showIf: FieldConditions.optional(),
    requiredIf: FieldConditions.optional(),
    page: z.int().optional(),
    when: z
      .strictObject({ shown: z.string().optional(), required: z.string().optional() })
      .optional()
      .meta({ description: 'The conditions in words, for a form that does not evaluate them' }),
    /** Of a `file`: how many it takes, and the most bytes of each. */
    files: z.strictObject({ maxFiles: z.int(), maxBytes: z.int().optional() }).optional(),
    /** The text that a person agrees to with a checkbox. */
    consent: z.strictObject({ version: z.string(), url: z.string().optional() }).optional(),
  })
  .meta({ id: 'FormControl' });
export type FormControl = z.output<typeof FormControl>;

type KeyOf<Union> = Union extends unknown ? keyof Union : never;
type MemberOf<Union, Key> = Union extends unknown ? (Key extends keyof Union ? Union[Key] : never) : never;
/** The options of all kinds. A definition has those of its own kind. */
type AnyOptions = { [Key in KeyOf<FieldDefinition>]?: MemberOf<FieldDefinition, Key> };

/** Returns whether the control of a field has other texts in other languages. */
export function isTranslated(field: FieldDefinition): boolean {
  const kind = getKind(field.kind);
  if (kind.ruleText || kind.isClearable?.(field)) return true;
  const { labels, helps, enumLabelsByLanguage, endsByLanguage, ui }: AnyOptions = field;
  if (conditionsOf(field).length > 0) return true;
  return [labels, helps, enumLabelsByLanguage, endsByLanguage].some((one) => one !== undefined) || ui === 'stars';
}

const inEnglish: ServiceText = (code, params = {}) => fillText(en, code, params, PLAIN_NUMBERS);

/**
 * @param tag the language of the texts; those that a field has not in it are as in the schema
 * @param text the texts of the service in it
 */
export function formControl(field: FieldDefinition, tag = '', text: ServiceText = inEnglish): FormControl {
  const kind = getKind(field.kind);
  const options: AnyOptions = field;
  const { labels, helps, hidden = false, prefill = false, source, autocomplete, consent } = options;
  const type = kind.controlOf?.(field) ?? kind.control;
  const isClearable = kind.isClearable?.(field);
  const placeholder = !isRadio(type) || isClearable ? options.placeholder : undefined;
  const help = forTag(helps, tag) || options.help;
  const ends = kind.ends?.(field, tag) ?? {};
  return {
    key: field.key,
    type,
    attributes: withoutUnset({
      ...kind.attributes?.(field),
      placeholder: placeholder || (isClearable ? text('noAnswer') : undefined),
      autocomplete,
    }),
    choices: kind.choices?.(field, tag, text) ?? [],
    label: forTag(labels, tag) || field.label || field.key,
    required: field.required,
    hidden,
    // A consent needs an action of the person: no link and no form gives it for them.
    prefill: prefill && consent === undefined,
    ...withoutUnset({ help: sentences(help, kind.ruleText?.(field, text)), source }),
    ...(holdsFiles(field) && {
      files: { maxFiles: field.maxFiles ?? 1, ...withoutUnset({ maxBytes: field.maxBytes }) },
    }),
    ...(options.default !== undefined &&
      consent === undefined && { default: [options.default].flat().join(CHOICE_SEPARATOR) }),
    ...withoutUnset({ showIf: field.showIf, requiredIf: field.requiredIf, page: field.page }),
    ...(ends.min || ends.max ? { ends: withoutUnset(ends) } : {}),
    ...(consent && { consent: { version: consent.version, ...withoutUnset({ url: consent.url }) } }),
  };
}

/** Returns the labels of choices by their values, for lists of many. */
export const choiceLabels = ({ choices }: Pick<FormControl, 'choices'>): ReadonlyMap<unknown, string> =>
  new Map(choices.map(({ value, label }) => [value, label]));

/** Returns the controls of all fields of a form, in their order. */
export function formControls(
  fields: readonly FieldDefinition[],
  tag = '',
  text: ServiceText = inEnglish,
): FormControl[] {
  const named = new Set(fields.flatMap(conditionsOf).map(({ field }) => field));
  const controls = fields.map((field) => {
    const control = formControl(field, tag, text);
    return named.has(field.key) ? { ...control, kind: field.kind } : control;
  });
  if (named.size === 0) return controls;
  const byKey = new Map(controls.map((control) => [control.key, control]));
  return controls.map((control) => {
    const { showIf, requiredIf } = control;
    if (!showIf && !requiredIf) return control;
    const words = (code: 'onlyIf' | 'requiredIf', conditions: Conditions | undefined) =>
      conditions && text(code, { condition: conditionWords(conditions, byKey, tag, text) });
    return {
      ...control,
      when: withoutUnset({ shown: words('onlyIf', showIf), required: words('requiredIf', requiredIf) }),
    };
  });
}

type Controls = ReadonlyMap<string, FormControl>;

/**
 * Returns conditions on a record in words (spec 2.13), as those of a form. A field that does not
 * exist has its key.
 *
 * @param fields all fields of the app @param tag the language of labels and dates; empty: English
 */
export function recordConditionWords(
  conditions: Conditions,
  fields: readonly FieldDefinition[],
  tag = '',
  text: ServiceText = inEnglish,
): string {
  const named = new Set([...(conditions.all ?? []), ...(conditions.any ?? [])].map(({ field }) => field));
  const email = { ...EMAIL_FIELD, label: text('email') };
  const known = [...fields.filter(({ key }) => key !== email.key), email].filter(({ key }) => named.has(key));
  const controls = known.map((field) => [field.key, { ...formControl(field, tag, text), kind: field.kind }] as const);
  return conditionWords(conditions, new Map(controls), tag, text);
}

/** The text of each operator for kinds without a `conditionText`. */
const WORDS: Readonly<Record<Exclude<ConditionOperator, 'exists'>, Code>> = {
  eq: 'valueIs',
  ne: 'valueIsNot',
  in: 'valueIs',
  contains: 'valueContains',
  gt: 'isMore',
  gte: 'isAtLeast',
  lt: 'isLess',
  lte: 'isAtMost',
};

/**
 * Returns conditions in words, such as `Plan is Pro`, with the labels of fields and choices.
 *
 * @param controls the controls of the form by key, in the same language
 * @param tag the language of the dates; empty: English
 */
function conditionWords({ all, any }: Conditions, controls: Controls, tag: string, text: ServiceText): string {
  const words = (all ?? any ?? []).map((condition) => wordsOf(condition, controls, tag, text));
  return words.reduce((one, other) => text(all ? 'bothAre' : 'oneIs', { one, other }));
}

function wordsOf({ field: key, op, value }: Condition, controls: Controls, tag: string, text: ServiceText): string {
  const control = controls.get(key);
  const field = control ? plainLabel(control) : key;
  const kind = control?.kind && getKind(control.kind);
  if (op === 'exists') return text(value === false ? 'isNotFilled' : 'isFilled', { field });
  const nameOf = (one: unknown): string | number => {
    if (typeof one === 'number') return one;
    const name = control?.choices.find((choice) => choice.value === one)?.label ?? String(one);
    return kind?.comparedText?.(name, tag) ?? name;
  };
  const names = [value].flat().map(nameOf);
  const words = names.length === 1 ? names[0] : names.reduce((one, other) => text('oneIs', { one, other }));
  return text(kind?.conditionText?.(op, value) ?? WORDS[op], { field, value: words ?? '' });
}

function sentences(help = '', count = ''): string {
  if (help === '' || count === '') return help || count;
  return `${help}${/[.:!?。！？؟]$/.test(help) ? '' : '.'} ${count}`;
}

/** The steps of the patterns of all samples of a schema: at most 10 ms. */
const MAX_SAMPLE_STEPS = 200_000;

/**
 * Returns an example of the `data` of a submission. It conforms to the schema unless a field has a
 * pattern that no sample matches, or bounds that no value meets.
 */
export function sampleData({ fields }: { fields: readonly FieldDefinition[] }): Record<string, unknown> {
  const budget = { steps: MAX_SAMPLE_STEPS };
  const values = fields.map((field) => [field.key, getKind(field.kind).sample(field, budget)] as const);
  const { shown } = fieldStates(fields, Object.fromEntries(values));
  return Object.fromEntries(values.filter(([key]) => shown.has(key)));
}

type WithoutUnset<Value> = { [Name in keyof Value]?: Exclude<Value[Name], undefined | ''> };

/** Leaves out the members that are undefined or an empty text. */
function withoutUnset<Value extends object>(value: Value): WithoutUnset<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, one]) => one !== undefined && one !== ''),
  ) as WithoutUnset<Value>;
}

/**
 * Converts the texts that a form sent for one field to its value (spec 2.7). In an appending list
 * each text is one item, and a list of choices has those of all texts; for other kinds the last
 * text counts. Returns undefined when the field is absent, and `problem` when the text has no value
 * of the kind. Does not validate the value.
 */
export const valueFromForm = (
  field: Pick<FieldDefinition, 'kind'> & Partial<FieldDefinition>,
  texts: readonly string[],
  context: TextContext = {},
): ConvertedText | undefined => getKind(field.kind).fromTexts(texts, field, context);
