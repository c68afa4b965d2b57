import type { Issue } from '../errors.ts';
import { MAX_ISSUES } from '../errors.ts';
import { compileField, type FieldDefinition } from './definition.ts';
import { FIELD_KEY_PATTERN, MAX_PATTERN_STEPS, printable, type Report, type ValueCheck } from './kind.ts';
import { storedItem } from './kinds/array.ts';
import { reportUnstorableKeys } from './stored-json.ts';

/** What an accepted submission does to a record: values that replace, and items that are appended, by field key. */
export interface RecordChange {
  set: Record<string, unknown>;
  append: Record<string, Record<string, unknown>[]>;
  /** How many of the keys are no fields of the schema. */
  extraKeys: number;
}

/** The most keys beyond the fields of the schema, in one submission and in one record. */
export const MAX_EXTRA_KEYS = 200;

/** Checks the `data` of submissions against one schema version. */
export interface Validator {
  /** The keys of the schema's fields. */
  fieldKeys: readonly string[];
  /** The problems of `data`, at most 20, paths like `data.age`. Empty: it conforms. */
  issues(data: Record<string, unknown>): Issue[];
  /** What conforming `data` does to the record; `now` (ISO 8601) is the items' timestamp (SPEC 2.4). */
  change(data: Record<string, unknown>, now: string): RecordChange;
}

/**
 * Compiles field definitions into a validator (SPEC 2.3 and 2.4). Keys are looked up in a Map and data is read by its own properties only,
 * so `constructor` or `toString` are ordinary names, declared or not.
 */
export function compileSchema(schema: { rejectUnknown: boolean; fields: readonly FieldDefinition[] }): Validator {
  const checks = new Map<string, ValueCheck>(schema.fields.map((field) => [field.key, compileField(field)]));
  const required = schema.fields.filter((field) => field.required).map((field) => field.key);
  const arrays = new Set(schema.fields.filter((field) => field.kind === 'array').map((field) => field.key));
  const unknown = schema.rejectUnknown ? rejectUnknown : keepUnknown;
  const countExtra = (keys: readonly string[]): number => keys.filter((key) => !checks.has(key)).length;

  return {
    fieldKeys: [...checks.keys()],

    issues(data) {
      const issues: Issue[] = [];
      const budget = { steps: MAX_PATTERN_STEPS };
      for (const key of required) {
        if (!Object.hasOwn(data, key)) issues.push({ path: `data.${key}`, message: 'is required' });
      }
      const keys = Object.keys(data);
      // The keys are counted before they are checked: a refusal of 10,000 keys costs no more than one of 201.
      if (!schema.rejectUnknown && keys.length > MAX_EXTRA_KEYS && countExtra(keys) > MAX_EXTRA_KEYS) {
        return [{ path: 'data', message: TOO_MANY_EXTRA_KEYS }];
      }
      for (const key of keys) {
        if (issues.length >= MAX_ISSUES) break;
        const report: Report = (message, at) =>
          void issues.push({ path: `data.${printable(key)}${at ? `.${at}` : ''}`, message });
        (checks.get(key) ?? unknown(key))(data[key], report, budget);
      }
      return issues.slice(0, MAX_ISSUES);
    },

    change(data, now) {
      const change: RecordChange = { set: {}, append: {}, extraKeys: 0 };
      for (const key of Object.keys(data)) {
        if (!checks.has(key)) change.extraKeys += 1;
        const value = data[key];
        if (arrays.has(key)) change.append[key] = (value as unknown[]).map((item) => storedItem(item, now));
        else change.set[key] = value;
      }
      return change;
    },
  };
}

/** What a submission or a record with too many keys is told. */
export const TOO_MANY_EXTRA_KEYS = `must have at most ${MAX_EXTRA_KEYS} keys beyond the fields of the schema`;

const rejectUnknown = (): ValueCheck => (_value, report) => report('is not a field of this app');

const keepUnknown =
  (key: string): ValueCheck =>
  (value, report) => {
    if (!FIELD_KEY_PATTERN.test(key)) {
      return report(
        'is not a name that can be kept: names begin with a letter and hold at most 51 letters, digits and underscores',
      );
    }
    reportUnstorableKeys(value, report);
  };
