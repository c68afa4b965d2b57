import { z } from 'zod';
import type { Code } from '../../../platform/languages/catalogue.ts';
import { code } from '../../../platform/languages/problems.ts';
import type { Given, Reason } from '../../../platform/languages/reasons.ts';
import { isCanonicalTag, MAX_LANGUAGES } from '../../../platform/languages/tags.ts';
import type { Params } from '../../../platform/languages/texts.ts';
import type { IndexValue } from '../../../platform/text/index-value.ts';
import type { CompileBudget, PatternBudget } from '../../../platform/text/regex.ts';
import type { ConditionOperator, KindName } from './browser-kinds.ts';
import type { ControlType } from './control-types.ts';
import type { QueriedValues } from './queries.ts';

/**
 * The form of a field key (spec 2.3). Keeps `$`, `.`, NUL and `__proto__` out of database paths.
 */
export const FIELD_KEY_PATTERN = /^[a-zA-Z][a-zA-Z0-9_]{0,50}$/;

/** Reports a problem of a definition; `at` is the path below the definition. */
export type DefinitionReport = (problem: Given, at?: string) => void;

/** Who may set a field (spec 2.11). `staff`: operators, and the API keys that may write records. */
export const WRITERS = ['everyone', 'staff'] as const;
export type Writer = (typeof WRITERS)[number];

/** The properties of every field definition (spec 2.3). An interface has no index signature. */
export type FieldBase = {
  key: string;
  label: string;
  required: boolean;
  /** Absent: everyone. */
  writers?: Writer | undefined;
};

/** The control of an option in the schema editor. `value`: a value of the field itself. */
export type OptionControl =
  | 'number'
  | 'pattern'
  | 'choices'
  | 'line'
  | 'multiline'
  | 'switch'
  | 'oneOf'
  | 'someOf'
  | 'value'
  | 'labels'
  | 'byLanguage'
  | 'labelsByLanguage'
  | 'ends'
  | 'endsByLanguage'
  | 'consent';

/** An option of a kind, such as `maxLength` of a text field. Its name for people is in web/. */
export interface FieldOption {
  /** The rule of its value in a definition, which also goes into the OpenAPI document. */
  schema: z.ZodType;
  control: OptionControl;
  /** The values that `oneOf` and `someOf` offer. */
  values?: readonly string[];
  /** For a bound of numbers or days: whether a higher or a lower one refuses more values. */
  stricter?: 'higher' | 'lower';
  /** Its value in a field that the schema editor adds. Default: unset. */
  initial?: unknown;
}

/** The option `indexed` (spec 2.3), for the kinds that have an `indexValue`. */
export const indexed = { schema: z.boolean().optional(), control: 'switch' } as const satisfies FieldOption;

export type FieldOptions = Readonly<Record<string, FieldOption>>;

/** The zod shape of a kind's options. */
export type OptionShape<Options extends FieldOptions> = { [Name in keyof Options]: Options[Name]['schema'] };

type OptionValues<Options extends FieldOptions> = z.output<z.ZodObject<OptionShape<Options>>>;

/**
 * The type of a value in generated code. `agreed`: `true`; `list`: items of any type; `tokens`: of
 * texts.
 */
export type ValueType =
  | ('text' | 'number' | 'boolean' | 'agreed' | 'list' | 'tokens')
  | { oneOf: readonly string[] }
  | { someOf: readonly string[] };

/** A value that a form offers, with its name for people. */
export const Choice = z.strictObject({ value: z.string(), label: z.string() });
export type Choice = z.output<typeof Choice>;

/** The texts at both ends of a scale. */
export const Ends = z.strictObject({ min: z.string().optional(), max: z.string().optional() });
type Ends = z.output<typeof Ends>;

export interface TextContext {
  /**
   * Converts a local time such as `2026-01-31T08:30:00` to an RFC 3339 date-time with its offset.
   * Absent when the time zone is unknown. The dashboard loads this folder without the library.
   */
  toInstant?: ((localText: string) => string) | undefined;
  /** Whether a person may have typed the text. A file of an import has what it has. */
  isTyped?: boolean;
}

/** The value of a text, or why it has none. */
export type ConvertedText = { value: unknown } | { problem: Reason };

/** Returns a text of the service in the language of a control. */
export type ServiceText = (code: Code, params?: Params) => string;

/** How an email writes the parts of values. */
interface ValueWords {
  boolean(value: boolean): string;
  dateTime(at: Date): string;
  /** Returns the name of a choice, or of one of several values; undefined: there is none. */
  name(value: unknown): string | undefined;
  items(items: readonly unknown[]): string;
}

/** HTML attributes of an `input` element, by name. An undefined one is left out. */
type ControlAttributes = Readonly<Record<string, string | number | undefined>>;

/** A JSON Schema, draft 2020-12. `JSON.stringify` leaves out an undefined keyword. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A kind of field: one file in `kinds/`, one line in `kinds/registry.ts`, and its half for browsers
 * in `browser-kinds.ts`. Other modules ask it and do not compare its name.
 */
export interface FieldKind<
  Name extends KindName = KindName,
  Options extends FieldOptions = FieldOptions,
  FormOptions extends FieldOptions = FieldOptions,
> {
  /** The value of `kind` in a definition. */
  name: Name;
  /** The properties that a definition of this kind may have besides those of every field. */
  options: Options;
  /** The properties that only forms use (spec 2.6). */
  formOptions: FormOptions;
  /** Reports well-formed options that contradict each other or cannot be used. */
  checkDefinition?(options: OptionValues<Options & FormOptions>, report: DefinitionReport, budget: CompileBudget): void;
  /**
   * Returns the schema of the values of one field. Its messages are codes, and it reports the first
   * problem of a value. A check comes after the type: what zod has of lengths runs on any type.
   * Values are stored as they were sent, so the schema may not change them. `.check` keeps the
   * schema that it extends: declare the type once for all fields.
   */
  schema(definition: FieldBase & OptionValues<Options>): z.ZodType;
  /**
   * Returns the keywords of JSON Schema for the checks of `schema`, which are functions. Each value
   * that `schema` accepts is valid by them; `$comment` names what they cannot say.
   */
  describe(definition: FieldBase & OptionValues<Options & FormOptions>): JsonSchema;
  /**
   * Returns the items that a valid value appends to the stored list. `now`: ISO 8601. Values of a
   * kind without this method replace the stored value.
   */
  appendedItems?(value: unknown, now: string): Record<string, unknown>[];
  /** Returns the function that brings valid values to the form in which they are stored. */
  toStored?(definition: FieldBase & OptionValues<Options>): (value: unknown) => unknown;
  /**
   * Whether a submission that does not show the field always keeps its stored value: a later
   * submission cannot send it again (spec 2.12).
   */
  staysHidden: boolean;
  /** Whether the values are files, which are uploaded, scanned, packed and removed (spec 4.14). */
  holdsFiles?: true;
  /** Returns the index value of a stored value of any type. Without it no field is indexed. */
  indexValue?(value: unknown): IndexValue;
  /** How `where`, sorting and charts read the values (spec 4.3). */
  queried: QueriedValues;
  /**
   * Returns the checks of what conditions of a form compare, where that is no value of the field: a
   * part of a text, or one of several choices. Without a check it must be a valid value. Called
   * once for a field, which many conditions may name.
   */
  conditionChecks?(
    options: OptionValues<Options>,
  ): Partial<Record<ConditionOperator, (given: unknown) => Given | undefined>>;
  /** Returns the text of a condition where it is not that of other kinds (`WORDS`). */
  conditionText?(op: ConditionOperator, value: unknown): Code | undefined;
  /**
   * Returns what a condition compares, for people. Absent: the text of the value, or its label.
   * @param tag the language; empty: English
   */
  comparedText?(text: string, tag: string): string;
  /**
   * Converts the texts that a form sent for a field (spec 2.7); undefined: absent. The value need
   * not conform to the definition, of which the caller may know the kind alone.
   */
  fromTexts(
    texts: readonly string[],
    definition: Partial<FieldBase & OptionValues<Options>>,
    context: TextContext,
  ): ConvertedText | undefined;
  /**
   * The form of a value in a cell of a CSV file. `text`: as forms send it. `number`, `date` and
   * `boolean`: so, or as an import says. `choices`: with `; ` between them. `items`: a JSON list.
   */
  cell: 'text' | 'number' | 'date' | 'boolean' | 'choices' | 'items';
  /** Returns a stored value for an email; undefined for one that is older than the kind. */
  inWords(value: unknown, words: ValueWords): string | undefined;
  /**
   * Whom a reply may tell a value. `confirmed`: only a confirmed address, because anybody could
   * send it the words.
   */
  repliedTo: 'everyone' | 'confirmed' | 'nobody';
  /**
   * Returns an example value. It conforms if such a value is easy to find.
   * @param budget of all fields of a schema
   */
  sample(definition: FieldBase & OptionValues<Options>, budget: PatternBudget): unknown;
  /** The type of its values in generated code. */
  valueType(definition: FieldBase & OptionValues<Options>): ValueType;
  control: ControlType;
  /** The control of a field whose form options select another one. */
  controlOf?(definition: FieldBase & OptionValues<Options & FormOptions>): ControlType;
  /** The attributes that let a browser check what is entered, where HTML has the same rule. */
  attributes?(definition: FieldBase & OptionValues<Options & FormOptions>): ControlAttributes;
  /**
   * The values that a control of type `select`, `radio`, `stars`, `scale` or `checkboxes` offers.
   * @param tag the language of their labels @param text the texts of the service in it
   */
  choices?(definition: FieldBase & OptionValues<Options & FormOptions>, tag: string, text: ServiceText): Choice[];
  /** Returns the texts at both ends of a control of type `stars` or `scale`. */
  ends?(definition: FieldBase & OptionValues<Options & FormOptions>, tag: string): Ends;
  /** Returns a rule of the field that its control does not show, for people. */
  ruleText?(definition: FieldBase & OptionValues<Options>, text: ServiceText): string | undefined;
  /** Whether radio buttons of the field have an empty choice. Without it they have none. */
  isClearable?(definition: FieldBase & OptionValues<Options & FormOptions>): boolean;
  /** Returns the definition on a day. Without it all days have the same one. */
  onDay?<Definition extends Partial<FieldBase & OptionValues<Options>>>(
    day: string,
    definition: Definition,
  ): Definition;
}

/** A text in other languages than that of the schema, by their BCP 47 tags. */
export function byLanguage<Text extends z.ZodType>(text: Text) {
  return z
    .record(z.string(), text)
    .refine((texts) => Object.keys(texts).every(isCanonicalTag), code('notLanguageNames'))
    .refine((texts) => Object.keys(texts).length <= MAX_LANGUAGES, code('tooManyLanguages', { max: MAX_LANGUAGES }));
}

/** The form options of every kind: label and help in other languages (spec 2.6). */
const TRANSLATIONS = {
  labels: {
    schema: byLanguage(z.string().max(200)).optional(),
    control: 'byLanguage',
  },
  helps: {
    schema: byLanguage(z.string().max(500)).optional(),
    control: 'byLanguage',
  },
} as const;

/** Declares a kind, with the translations that every kind has; keeps its literal types. */
export function defineKind<Name extends KindName, Options extends FieldOptions, FormOptions extends FieldOptions>(
  kind: FieldKind<Name, Options, FormOptions>,
): FieldKind<Name, Options, FormOptions & typeof TRANSLATIONS> {
  return { ...kind, formOptions: { ...kind.formOptions, ...TRANSLATIONS } };
}

/** A number of characters or the like: a whole number from 0. */
export const Count = z.int().nonnegative();

/** Returns a key for use in an answer; repeats at most 40 characters of an invalid one. */
export function printable(key: string): string {
  return /^\w{1,51}$/.test(key) ? key : JSON.stringify(key.slice(0, 40));
}
