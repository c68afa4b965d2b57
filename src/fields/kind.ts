import { z } from 'zod';
import type { CompileBudget, PatternBudget } from './regex/budget.ts';

/**
 * The form of a field key (docs/specification.md, section 8). It also keeps `$`, `.`, NUL and
 * `__proto__` out of every path in the database.
 */
export const FIELD_KEY_PATTERN = /^[a-zA-Z][a-zA-Z0-9_]{0,50}$/;

/** Reports a problem; `at` is the path below the value or the definition, such as `0.when`. */
export type Report = (message: string, at?: string) => void;

/** Checks one submitted value and reports each problem. Called for every submission. */
export type ValueCheck = (value: unknown, report: Report, budget: PatternBudget) => void;

/**
 * The properties of every field definition (docs/specification.md, section 2.3). It is a type
 * because TypeScript gives no index signature to an interface, and `FieldKind` by default has one.
 */
export type FieldBase = {
  key: string;
  label: string;
  required: boolean;
};

/** An option of a kind, such as `maxLength` of a text field. */
export interface FieldOption {
  /** The rule of its value in a definition, which also goes into the OpenAPI document. */
  schema: z.ZodType;
  /** Its name in the schema editor, such as "Max length". */
  label: string;
  help?: string;
  /** What the schema editor edits it with. */
  control: 'number' | 'pattern' | 'choices';
  /** For a numeric bound: whether a higher or a lower one refuses more values. */
  stricter?: 'higher' | 'lower';
  /** Its value in a field that the schema editor adds. Default: unset. */
  initial?: unknown;
}

export type FieldOptions = Readonly<Record<string, FieldOption>>;

/** The zod shape of a kind's options. */
export type OptionShape<Options extends FieldOptions> = { [Name in keyof Options]: Options[Name]['schema'] };

type OptionValues<Options extends FieldOptions> = z.output<z.ZodObject<OptionShape<Options>>>;

/** The control that a form shows for a field; `list` adds one item to an appending list. */
export type ControlType = 'text' | 'checkbox' | 'select' | 'number' | 'date' | 'list';

/** HTML attributes of an `input` element, by name. An undefined one is left out. */
export type ControlAttributes = Readonly<Record<string, string | number | undefined>>;

/**
 * A kind of field. Each kind is one file in `kinds/` and one line in `kinds/registry.ts`; the
 * definitions, the OpenAPI document, the schema editor and all forms derive from that list.
 * A kind depends neither on HTTP nor on the database.
 */
export interface FieldKind<Name extends string = string, Options extends FieldOptions = FieldOptions> {
  /** The value of `kind` in a definition. */
  name: Name;
  /** The name for people, such as "Single choice". */
  displayName: string;
  /** A sentence for the person who designs a schema. */
  help?: string;
  /** The properties that a definition of this kind may have besides those of every field. */
  options: Options;
  /** Reports well-formed options that contradict each other or cannot be used. */
  checkDefinition?(options: OptionValues<Options>, report: Report, budget: CompileBudget): void;
  /** Returns the check of the values of one field. */
  compile(definition: FieldBase & OptionValues<Options>): ValueCheck;
  /**
   * Returns the items that a valid value appends to the stored list. `now` is the time of the
   * submission (ISO 8601). Values of a kind without this method replace the stored value.
   */
  appendedItems?(value: unknown, now: string): Record<string, unknown>[];
  /** Returns an example value for generated code. It conforms if such a value is easy to find. */
  sample(definition: FieldBase & OptionValues<Options>): unknown;
  /** The control that a form shows for a field of this kind. */
  control: ControlType;
  /** The attributes that let a browser check what is entered, where HTML has the same rule. */
  attributes?(definition: FieldBase & OptionValues<Options>): ControlAttributes;
  /** The values that a control of type `select` offers. */
  choices?(definition: FieldBase & OptionValues<Options>): readonly string[];
}

/** Declares a kind and keeps the literal types of its name and options. */
export function defineKind<Name extends string, Options extends FieldOptions>(
  kind: FieldKind<Name, Options>,
): FieldKind<Name, Options> {
  return kind;
}

/** A number of characters or the like: a whole number from 0. */
export const Count = z.int().nonnegative();

/** Returns a key for use in an answer; repeats at most 40 characters of an invalid one. */
export function printable(key: string): string {
  return /^\w{1,51}$/.test(key) ? key : JSON.stringify(key.slice(0, 40));
}
