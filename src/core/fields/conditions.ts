import { browserKind, type ConditionOperator, type KindName, type Relations } from './base/browser-kinds.ts';

// The server, the hosted form and the embed evaluate conditions with this module (spec 2.12). It
// imports nothing that a browser should not load.

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
 * @param values the JSON values of a submission by key; those of a form by `readTexts`. A
 *   value that is not of the kind of its field has none of the relations, only `ne`
 */
export function fieldStates(
  fields: readonly ConditionalField[],
  values: Readonly<Record<string, unknown>>,
): FieldStates {
  const shown = new Set<string>();
  const required = new Set<string>();
  const kinds = new Map<string, KindName | undefined>();
  const relations = new Map<string, Relations>();

  function relationsOf(key: string, value: unknown): Relations {
    const known = relations.get(key) ?? browserKind(kinds.get(key)).relations(value);
    relations.set(key, known);
    return known;
  }

  function holds({ field, op, value: given }: Condition): boolean {
    const value = shown.has(field) && Object.hasOwn(values, field) ? values[field] : undefined;
    if (op === 'exists') return (value !== undefined && value !== null) === (given ?? true);
    if (value === undefined) return op === 'ne';
    const isRelated = relationsOf(field, value);
    if (op === 'ne') return !isRelated('eq', given);
    if (op === 'in') return isList(given) && given.some((one) => isRelated('eq', one));
    return isRelated(op, given);
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

const isList = (given: Condition['value']): given is readonly Comparable[] => Array.isArray(given);

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
