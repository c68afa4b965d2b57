import { isDeepStrictEqual } from 'node:util';
import { joinIssues, momentIn } from '../../core/schemas/checked-data.ts';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import { type Issue, say } from '../../platform/languages/reasons.ts';
import { changesConsent, type ShownConsent } from '../consents/consents.ts';

/** A change by the person. No key is in both. */
export interface EntryEdit {
  /**
   * Values that replace the stored ones, as JSON. Of a field of files: a list of ids of files of
   * the record, which stay (or objects that have one), and of tokens of uploads, which are added.
   */
  set: Record<string, unknown>;
  unset: readonly string[];
  /** Problems that are known before the validation, such as texts of a form without a value. */
  problems?: readonly Issue[] | undefined;
}

/** Returns the values of the fields that are not of the staff, in the order of the schema. */
export function valuesOfEveryone(
  stored: Readonly<Record<string, unknown>>,
  { publicSchema }: Lease,
): Record<string, unknown> {
  const keys = publicSchema.fields.map(({ key }) => key).filter((key) => Object.hasOwn(stored, key));
  return Object.fromEntries(keys.map((key) => [key, stored[key]]));
}

/** What an edit changes, and its problems. */
interface CheckedEdit {
  set: Record<string, unknown>;
  unset: readonly string[];
  issues: readonly Issue[];
}

/**
 * Checks an edit of an entry with these values.
 * @param keys those of the fields that the person may change
 */
export function checkedEdit(
  stored: Readonly<Record<string, unknown>>,
  edit: EntryEdit & { problems: readonly Issue[] },
  { lease, keys, isForm }: { lease: Lease; keys: ReadonlySet<string>; isForm: boolean },
): CheckedEdit {
  const { validator, publicSchema } = lease;
  const after = without({ ...stored, ...edit.set }, edit.unset);
  const tooLong = validator.conditionIssue(after);
  if (tooLong) return { set: {}, unset: [], issues: [tooLong] };
  const states = validator.states(after, isForm);
  const before = validator.states(stored, isForm);
  const isShown = (key: string): boolean => !states || states.shown.has(key);
  const set = isForm
    ? without(
        edit.set,
        Object.keys(edit.set).filter((key) => !isShown(key)),
      )
    : edit.set;
  const unset = isForm ? edit.unset.filter(isShown) : edit.unset;
  const isOfShown = ({ path }: Issue): boolean => {
    const [root, key = ''] = path.split('.');
    return root !== 'data' || isShown(key);
  };
  const problems = isForm ? edit.problems.filter(isOfShown) : edit.problems;

  const issues = validator.issues(set, 'everyone', true, states, momentIn(lease));
  const required = states?.required ?? publicSchema.fields.flatMap((field) => (field.required ? [field.key] : []));
  for (const key of required) {
    // A value that was missing before is missing still, unless this edit asks for it.
    const isAsked = unset.includes(key) || (keys.has(key) && (isForm || (before && !before.required.has(key))));
    if (isAsked && !Object.hasOwn(after, key)) issues.push({ path: `data.${key}`, ...say('required') });
  }
  // What an answer hides can be removed with it.
  for (const key of unset) {
    if (!isShown(key) && !before?.shown.has(key)) issues.push({ path: `data.${key}`, ...say('notShown') });
  }
  const hidden = isForm && states ? (validator.hiddenKeys(states) ?? []) : [];
  return { set, unset: [...unset, ...hidden], issues: joinIssues(problems, issues) };
}

/** Returns the part of an edit that changes a value or a consent. */
export function changesOnly(
  stored: Readonly<Record<string, unknown>>,
  { set, unset }: Pick<CheckedEdit, 'set' | 'unset'>,
  { validator, schema }: Lease,
  consents: readonly ShownConsent[],
): Pick<CheckedEdit, 'set' | 'unset'> {
  const values = validator.storedValues(set);
  const fields = new Map(schema.fields.map((field) => [field.key, field]));
  const isOfConsent = (key: string): boolean => {
    const field = fields.get(key);
    return field !== undefined && changesConsent(field, values[key], consents);
  };
  const isSame = (key: string): boolean =>
    Object.hasOwn(stored, key) && isDeepStrictEqual(stored[key], values[key]) && !isOfConsent(key);
  return {
    set: without(set, Object.keys(set).filter(isSame)),
    unset: unset.filter((key) => Object.hasOwn(stored, key) || isOfConsent(key)),
  };
}

function without(values: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !keys.includes(key)));
}
