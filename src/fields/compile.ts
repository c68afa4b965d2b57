import { type Issue, MAX_ISSUES } from '../core/errors.ts';
import { say } from '../languages/catalogue.ts';
import { FIELD_KEY_PATTERN, type FieldKind, printable, type Report, type ValueCheck } from './base/kind.ts';
import { MAX_PATTERN_STEPS } from './base/regex.ts';
import { reportUnstorableKeys } from './base/stored-json.ts';
import type { FieldDefinition } from './definition.ts';
import { getKind } from './kinds/registry.ts';

/** The change of a record by a valid submission, by field key. */
export interface RecordChange {
  /** Values that replace the stored ones. */
  set: Record<string, unknown>;
  /** Items that are appended to the stored lists. */
  append: Record<string, Record<string, unknown>[]>;
  /** The number of keys that are not fields of the schema. */
  extraKeys: number;
}

/** The most keys beyond the fields of the schema, in one submission and in one record. */
export const MAX_EXTRA_KEYS = 200;

/** The problem of a submission or a record with more than `MAX_EXTRA_KEYS`. */
export const TOO_MANY_EXTRA_KEYS: Issue = { path: 'data', ...say('tooManyKeys', { max: MAX_EXTRA_KEYS }) };

const REQUIRED = say('required');

/** A checkbox with the option `consent`. `version` is that of the text. */
type ConsentField = Pick<FieldDefinition, 'key' | 'label' | 'labels'> & { version: string };

/** Checks the `data` of submissions against one schema version. */
export interface Validator {
  /** The keys of the schema's fields. */
  fieldKeys: readonly string[];
  consentFields: readonly ConsentField[];
  /** Whether submissions append to the values of a key. */
  isList(key: string): boolean;
  /** Returns the problems of `data`, at most 20. `isPartial`: required fields may be missing. */
  issues(data: Record<string, unknown>, isPartial?: boolean): Issue[];
  /** Returns the problems of a change by an operator, at most 20. Other fields are not checked. */
  editIssues(set: Record<string, unknown>, unset: readonly string[]): Issue[];
  /** Returns valid values of a change by an operator as they are stored. */
  storedValues(set: Record<string, unknown>): Record<string, unknown>;
  /** Returns the change by valid `data`; `now` (ISO 8601) is the timestamp of appended items. */
  change(data: Record<string, unknown>, now: string): RecordChange;
}

interface Schema {
  rejectUnknown: boolean;
  fields: readonly FieldDefinition[];
}

/** Compiles a schema into a validator (spec 2.3 and 2.4). `constructor` is an ordinary key. */
export function compileSchema({ rejectUnknown, fields }: Schema): Validator {
  const compiled = new Map(fields.map((field) => [field.key, compileField(field)]));
  const required = fields.filter((field) => field.required).map((field) => field.key);
  const checkOfUnknown = rejectUnknown ? refuseUnknown : checkUnknown;
  const hasTooManyExtraKeys = (keys: readonly string[]): boolean =>
    keys.length > MAX_EXTRA_KEYS && keys.filter((key) => !compiled.has(key)).length > MAX_EXTRA_KEYS;

  return {
    fieldKeys: [...compiled.keys()],
    consentFields: fields.flatMap(findConsent),
    isList: (key) => compiled.get(key)?.appendedItems !== undefined,

    issues(data, isPartial = false) {
      const issues: Issue[] = [];
      const budget = { steps: MAX_PATTERN_STEPS };
      for (const key of isPartial ? [] : required) {
        if (!Object.hasOwn(data, key)) issues.push({ path: `data.${key}`, ...REQUIRED });
      }
      const keys = Object.keys(data);
      // Before the values are checked, so that a refusal of 10,000 keys costs as little as of 201.
      if (!rejectUnknown && hasTooManyExtraKeys(keys)) return [TOO_MANY_EXTRA_KEYS];
      for (const key of keys) {
        if (issues.length >= MAX_ISSUES) break;
        const check = compiled.get(key)?.check ?? checkOfUnknown(key);
        check(data[key], reporter(issues, key), budget);
      }
      return issues.slice(0, MAX_ISSUES);
    },

    editIssues(set, unset) {
      const keys = Object.keys(set);
      if (!rejectUnknown && hasTooManyExtraKeys(keys)) return [TOO_MANY_EXTRA_KEYS];
      const issues: Issue[] = [];
      const budget = { steps: MAX_PATTERN_STEPS };
      for (const key of keys) {
        if (issues.length >= MAX_ISSUES) break;
        const field = compiled.get(key);
        if (field?.appendedItems) issues.push({ path: `data.${key}`, message: LIST_EDIT });
        else (field?.check ?? checkOfUnknown(key))(set[key], reporter(issues, key), budget);
      }
      for (const key of unset) if (required.includes(key)) issues.push({ path: `data.${key}`, ...REQUIRED });
      return issues.slice(0, MAX_ISSUES);
    },

    change(data, now) {
      const change: RecordChange = { set: {}, append: {}, extraKeys: 0 };
      for (const key of Object.keys(data)) {
        const field = compiled.get(key);
        if (!field) change.extraKeys += 1;
        if (field?.appendedItems) change.append[key] = field.appendedItems(data[key], now);
        else change.set[key] = field?.toStored ? field.toStored(data[key]) : data[key];
      }
      return change;
    },

    storedValues(set) {
      const stored = { ...set };
      for (const key of Object.keys(set)) {
        const toStored = compiled.get(key)?.toStored;
        if (toStored) stored[key] = toStored(set[key]);
      }
      return stored;
    },
  };
}

function findConsent(field: FieldDefinition): ConsentField[] {
  if (!('consent' in field) || !field.consent) return [];
  return [{ key: field.key, label: field.label, labels: field.labels, version: field.consent.version }];
}

interface CompiledField {
  check: ValueCheck;
  appendedItems: FieldKind['appendedItems'];
  toStored: ((value: unknown) => unknown) | undefined;
}

function compileField(field: FieldDefinition): CompiledField {
  const kind = getKind(field.kind);
  return { check: kind.compile(field), appendedItems: kind.appendedItems, toStored: kind.toStored?.(field) };
}

function reporter(issues: Issue[], key: string): Report {
  return (code, params, at) =>
    void issues.push({ path: `data.${printable(key)}${at ? `.${at}` : ''}`, ...say(code, params) });
}

const refuseUnknown = (): ValueCheck => (_value, report) => report('unknownField');

const LIST_EDIT = 'is a list to which submissions append; removeItems removes its items';

const checkUnknown =
  (key: string): ValueCheck =>
  (value, report) => {
    if (!FIELD_KEY_PATTERN.test(key)) {
      return report('invalidKey');
    }
    reportUnstorableKeys(value, report);
  };
