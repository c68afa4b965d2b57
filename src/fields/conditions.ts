import { choicesIn } from './base/choice-list.ts';
import { parseInstant } from './base/iso-date.ts';
import { BOOLEAN_TEXTS, DECIMAL, withLineFeeds } from './base/plain-texts.ts';
import type { KindName } from './kinds/registry.ts';

// The server, the hosted form and the embed evaluate conditions with this module (spec 2.12). It
// imports nothing that a browser should not load.

/** How a condition compares. The meaning of each is that of `where` (spec 4.3). */
export const CONDITION_OPERATORS = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'contains', 'exists'] as const;
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number];

const OF_TEXT = ['eq', 'ne', 'in', 'contains', 'exists'] as const;
const OF_ORDER = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'exists'] as const;

/** The operators that conditions on a field of each kind may have. */
export const OPERATORS_OF_KIND: Readonly<Record<KindName, readonly ConditionOperator[]>> = {
  text: OF_TEXT,
  checkbox: ['eq', 'ne', 'exists'],
  select: OF_TEXT,
  multiselect: ['contains', 'in', 'exists'],
  number: OF_ORDER,
  date: OF_ORDER,
  file: ['exists'],
  array: ['exists'],
};

/** The most conditions of one `showIf` or `requiredIf`. */
export const MAX_CONDITIONS = 20;

type Comparable = string | number | boolean;

/** A condition on the value of an earlier field. */
export interface Condition {
  field: string;
  op: ConditionOperator;
  /** A list for `in`; of `exists` a boolean, by default true. */
  value?: Comparable | readonly Comparable[] | undefined;
}

/** Exactly one of the two members. */
export interface Conditions {
  all?: readonly Condition[] | undefined;
  any?: readonly Condition[] | undefined;
}

/** The part of a definition, or of the control of a form, that conditions are evaluated from. */
export interface ConditionalField {
  key: string;
  /** Needed of a field that a condition names. */
  kind?: KindName | undefined;
  required?: boolean | undefined;
  showIf?: Conditions | undefined;
  requiredIf?: Conditions | undefined;
}

/** The keys of the fields that count for a set of values, in the order of the schema. */
export interface FieldStates {
  shown: ReadonlySet<string>;
  /** Those of `shown` that the values must have. */
  required: ReadonlySet<string>;
}

/**
 * Evaluates `showIf` and `requiredIf` in the order of the schema. A field that is not shown counts
 * as absent for the conditions of later fields. A condition on a field that is not earlier counts
 * it as absent, so no cycle is possible.
 *
 * @param fields all fields of the schema, or all controls of its form
 * @param values the JSON values of a submission by key; those of a form by {@link valueOfTexts}. A
 *   value that is not of the kind of its field has none of the relations, only `ne`
 */
export function fieldStates(
  fields: readonly ConditionalField[],
  values: Readonly<Record<string, unknown>>,
): FieldStates {
  const shown = new Set<string>();
  const required = new Set<string>();
  const kinds = new Map<string, KindName | undefined>();
  const folded = new Map<string, string>();
  const chosen = new Map<string, ReadonlySet<unknown>>();

  function foldedValue(key: string, text: string): string {
    const known = folded.get(key);
    if (known !== undefined) return known;
    const value = foldCase(text);
    folded.set(key, value);
    return value;
  }

  /** The values of a multiselect, which many conditions may compare. */
  function chosenValues(key: string, value: unknown): ReadonlySet<unknown> {
    const known = chosen.get(key) ?? new Set(Array.isArray(value) ? value : []);
    chosen.set(key, known);
    return known;
  }

  function holds({ field, op, value: given }: Condition): boolean {
    const value = shown.has(field) && Object.hasOwn(values, field) ? values[field] : undefined;
    const kind = kinds.get(field);
    if (op === 'exists') return (value !== undefined && value !== null) === (given ?? true);
    if (kind === 'multiselect') {
      const own = chosenValues(field, value);
      return isList(given) ? given.some((one) => own.has(one)) : own.has(given);
    }
    if (op === 'ne') return !isRelated(kind, 'eq', value, given);
    if (op === 'in') return isList(given) && given.some((one) => isRelated(kind, 'eq', value, one));
    if (op === 'contains' && typeof value === 'string') {
      return typeof given === 'string' && includesText(foldedValue(field, value), foldCase(given));
    }
    return isRelated(kind, op, value, given);
  }

  const areMet = ({ all, any }: Conditions): boolean =>
    (all === undefined || all.every(holds)) && (any === undefined || any.some(holds));

  for (const field of fields) {
    if (field.showIf && !areMet(field.showIf)) continue;
    if (field.required || (field.requiredIf && areMet(field.requiredIf))) required.add(field.key);
    // Added after its own conditions, so that a field is never earlier than itself.
    shown.add(field.key);
    kinds.set(field.key, field.kind);
  }
  return { shown, required };
}

type Given = Condition['value'];
const isList = (given: Given): given is readonly Comparable[] => Array.isArray(given);

/** Whether a value has the relation `op` to that of a condition: not `ne`, `in` and `exists`. */
function isRelated(kind: KindName | undefined, op: ConditionOperator, value: unknown, given: Given): boolean {
  if (value === undefined || typeof value !== typeof given) return false;
  if (kind === 'date') return isRelatedDate(op, value as string, given as string);
  if (op === 'eq') return value === given;
  return typeof value === 'number' && compares(op, value, given as number);
}

function compares(op: ConditionOperator, value: number, given: number): boolean {
  if (op === 'gt') return value > given;
  if (op === 'gte') return value >= given;
  if (op === 'lt') return value < given;
  return op === 'lte' && value <= given;
}

const DAY_MS = 86_400_000;
const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** A date without a time stands for all instants of its day in UTC. */
function isRelatedDate(op: ConditionOperator, value: string, given: string): boolean {
  const instant = parseInstant(value);
  const first = parseInstant(given);
  if (instant === undefined || first === undefined) return false;
  const last = given.length === DAY_LENGTH ? first + DAY_MS - 1 : first;
  if (op === 'eq') return instant >= first && instant <= last;
  return compares(op, instant, op === 'gt' || op === 'lte' ? last : first);
}

const folds = new Map<string, string>();

/** Above this length of a part the method of strings may take longer. */
const SHORT_PART = 32;

/**
 * As `text.includes(part)`, in linear time (Knuth, Morris and Pratt): that method may take the
 * product of the lengths.
 */
export function includesText(text: string, part: string): boolean {
  if (part.length <= SHORT_PART) return text.includes(part);
  // The length of the longest beginning of `part` that ends at each of its characters.
  const borders = new Uint32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at += 1) {
    const character = part.charCodeAt(at);
    while (matched > 0 && character !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (character === part.charCodeAt(matched)) matched += 1;
    borders[at] = matched;
  }
  matched = 0;
  for (let at = 0; at < text.length && matched < part.length; at += 1) {
    const character = text.charCodeAt(at);
    while (matched > 0 && character !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (character === part.charCodeAt(matched)) matched += 1;
  }
  return matched === part.length;
}

/**
 * Returns the form in which texts that differ in case alone are equal, by the simple case folding
 * of Unicode, as in the regular expressions of `contains` in `where`.
 */
export function foldCase(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text.toLowerCase() : Array.from(text, foldCharacter).join('');
}

function foldCharacter(character: string): string {
  const candidates = [character.toUpperCase().toLowerCase(), character.toLowerCase()];
  if (candidates.every((form) => form === character)) return character;
  const known = folds.get(character);
  if (known !== undefined) return known;
  const isVariant = (form: string) => [...form].length === 1 && new RegExp(`^${form}$`, 'iu').test(character);
  const folded = candidates.find(isVariant) ?? character;
  folds.set(character, folded);
  return folded;
}

/**
 * Returns the value of the texts that a form sends for a field, as the service reads them (spec
 * 2.7); undefined: absent. A text that is no value of the kind is absent too: the service refuses
 * it. Without its zone a local time is such a text.
 */
export function valueOfTexts(kind: KindName | undefined, texts: readonly string[]): unknown {
  if (kind === 'multiselect') return nonEmpty(choicesIn(texts));
  if (kind === 'file') return nonEmpty(texts.filter((text) => text !== ''));
  if (kind === 'array') return nonEmpty(texts.filter((text) => text !== '').map(withLineFeeds));
  const text = texts.at(-1) ?? '';
  if (text === '') return undefined;
  switch (kind) {
    case 'number': {
      const number = DECIMAL.test(text.trim()) ? Number(text) : Number.NaN;
      return Number.isFinite(number) ? number : undefined;
    }
    case 'checkbox':
      return BOOLEAN_TEXTS.get(text.trim().toLowerCase());
    case 'date':
      return parseInstant(text.trim()) === undefined ? undefined : text.trim();
    case 'text':
      return withLineFeeds(text);
    default:
      return text;
  }
}

const nonEmpty = (list: readonly string[]) => (list.length > 0 ? list : undefined);

/** The most pages of a form. */
export const MAX_PAGES = 20;

/** Returns the page of each field: its own, or that of the field before it; at first 1. */
export function pagesOf(fields: readonly { page?: number | undefined }[]): number[] {
  let last = 1;
  return fields.map(({ page = last }) => {
    last = page;
    return page;
  });
}
