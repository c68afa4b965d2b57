import { z } from 'zod';
import { type Condition, type Conditions, fieldStates } from '../../core/fields/conditions.ts';
import { EMAIL_FIELD, FieldConditions, type FieldDefinition } from '../../core/fields/definition.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { say } from '../../platform/languages/reasons.ts';
import { type PendingRenames, presentKey } from '../renames/renames.ts';

/** Conditions on a record in a request (spec 2.13). Emails are compared as they are stored. */
export const RecordConditions = FieldConditions.transform(
  (conditions): StoredConditions => changed(conditions, withStoredEmail),
);

/** Why the service would refuse conditions of a setting now, in a response. */
export const ConditionProblem = z
  .strictObject({
    path: z.string(),
    message: z.string(),
    code: z.string(),
    params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  })
  .meta({
    id: 'ConditionProblem',
    description: 'Present if the schema has changed so that the service would refuse the conditions',
    example: { path: 'if.all.0.field', ...say('unknownField') },
  });

/** Conditions as requests and responses have them. */
export type ShownConditions = z.output<typeof FieldConditions>;

/** Conditions as a setting has them. */
export interface StoredConditions extends Conditions {
  /** The schema version whose keys they have. Absent until they are stored. */
  version?: number | undefined;
}

function withStoredEmail(condition: Condition): Condition {
  const { field, op, value } = condition;
  if (field !== EMAIL_FIELD.key || op === 'contains') return condition;
  const stored = (one: unknown) => (typeof one === 'string' ? (normalizeEmail(one) ?? one) : one);
  const values = Array.isArray(value) ? value.map(stored) : stored(value);
  return value === undefined ? condition : { field, op, value: values as Condition['value'] };
}

/** Returns conditions with each of them changed, without their version. */
function changed({ all, any }: Conditions, change: (condition: Condition) => Condition): ShownConditions {
  return { ...(all && { all: all.map(change) }), ...(any && { any: any.map(change) }) } as ShownConditions;
}

const listOf = ({ all, any }: Conditions): readonly Condition[] => all ?? any ?? [];

/** Returns conditions as responses have them. */
export const withoutVersion = (conditions: Conditions): ShownConditions => changed(conditions, (one) => one);

/** Returns conditions as one text, for comparisons. */
export const conditionsText = (conditions: Conditions): string => JSON.stringify(withoutVersion(conditions));

/** Returns conditions with other keys of fields. The email has the same path under each schema. */
export const withKeys = (conditions: Conditions, keyOf: (key: string) => string): ShownConditions =>
  changed(conditions, (one) => (one.field === EMAIL_FIELD.key ? one : { ...one, field: keyOf(one.field) }));

/** Returns conditions under the keys after renames. @param renames of any versions, oldest first */
export function underPresentKeys(conditions: StoredConditions, renames: readonly PendingRenames[]): ShownConditions {
  const { version: own } = conditions;
  const later = renames.filter(({ version }) => own !== undefined && version > own);
  return withKeys(conditions, (key) => presentKey(key, later));
}

/** Takes the place of an erased email. No email has this character, so no record is equal. */
const ERASED = '…';

/**
 * Returns conditions that compare no email with that of a person, and otherwise hold as before;
 * undefined if they name no such email.
 */
export function withoutPerson(conditions: StoredConditions, email: string): StoredConditions | undefined {
  const names = (value: unknown): boolean => typeof value === 'string' && normalizeEmail(value) === email;
  let isNamed = false;
  const kept = changed(conditions, (condition) => {
    const { field, op, value } = condition;
    const values = [value].flat();
    if (field !== EMAIL_FIELD.key || !values.some(names)) return condition;
    isNamed = true;
    const rest = values.map((one) => (names(one) ? ERASED : one)) as string[];
    return { field, op, value: Array.isArray(value) ? [...new Set(rest)] : ERASED };
  });
  return isNamed ? { ...kept, version: conditions.version } : undefined;
}

/** The keys of fields that conditions name. */
export function namedKeys(list: readonly Conditions[]): ReadonlySet<string> {
  return new Set(list.flatMap(listOf).map(({ field }) => field));
}

/** The values that conditions compare. */
interface ComparedRecord {
  email: string;
  data?: Readonly<Record<string, unknown>>;
}

/**
 * Returns a function that evaluates conditions on a record, by the evaluator of `showIf`. A
 * condition on a field that does not exist is false. Whether a form would show a field does not
 * matter: its stored value counts.
 *
 * @param list conditions under the keys of `fields`
 */
export function createEvaluation(
  list: readonly Conditions[],
  fields: readonly Pick<FieldDefinition, 'key' | 'kind'>[],
): (record: ComparedRecord) => boolean[] {
  const named = namedKeys(list);
  const known = [EMAIL_FIELD, ...fields.filter(({ key }) => key !== EMAIL_FIELD.key && named.has(key))];
  const keys = new Set(known.map(({ key }) => key));
  // No key of a field begins with a digit. In one call, so that a value is read once.
  const asked = list.flatMap((conditions, index) => {
    const showIf = possiblePart(conditions, keys);
    return showIf ? [{ key: String(index), showIf }] : [];
  });
  const all = [...known.map(({ key, kind }) => ({ key, kind })), ...asked];
  return ({ email, data = {} }) => {
    const { shown } = fieldStates(all, { ...data, email });
    return list.map((_, index) => shown.has(String(index)));
  };
}

/** Returns the conditions that can hold; undefined when they cannot hold together. */
function possiblePart({ all, any }: Conditions, keys: ReadonlySet<string>): Conditions | undefined {
  const isKnown = ({ field }: Condition): boolean => keys.has(field);
  if (all) return all.every(isKnown) ? { all } : undefined;
  const possible = (any ?? []).filter(isKnown);
  return possible.length > 0 ? { any: possible } : undefined;
}
