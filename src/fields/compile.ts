import { z } from 'zod';
import { toIssues } from '../platform/languages/problems.ts';
import { type Issue, MAX_ISSUES, say } from '../platform/languages/reasons.ts';
import { FIELD_KEY_PATTERN, printable, type Writer } from './base/kind.ts';
import { MAX_PATTERN_STEPS, withSteps } from './base/regex.ts';
import { checkStorable } from './base/stored-json.ts';
import { type FieldDefinition, isOfStaff } from './definition.ts';
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
const STAFF_ONLY = say('staffOnly');

/** A checkbox with the option `consent`. `version` is that of the text. */
type ConsentField = Pick<FieldDefinition, 'key' | 'label' | 'labels'> & { version: string };

interface Schema {
  rejectUnknown: boolean;
  fields: readonly FieldDefinition[];
}

/** Checks the `data` of submissions against one schema version. */
export type Validator = ReturnType<typeof compileSchema>;

/** Returns the schema of the values of a field. */
export type SchemaOf = (field: FieldDefinition) => z.ZodType;

export const ownSchema: SchemaOf = (field) => getKind(field.kind).schema(field);

/** Compiles a schema into a validator (spec 2.3 and 2.4). `constructor` is an ordinary key. */
export function compileSchema({ rejectUnknown, fields }: Schema, schemaOf: SchemaOf = ownSchema) {
  const compiled = new Map(fields.map((field) => [field.key, compileField(field, schemaOf)]));
  const fieldKeys: readonly string[] = [...compiled.keys()];
  const required = fields.filter((field) => field.required).map((field) => field.key);
  const ofStaff = fields.filter(isOfStaff);
  const staffKeys = ofStaff.length > 0 ? new Set(ofStaff.map(({ key }) => key)) : undefined;

  // Tested before values are checked, so that a refusal of 10,000 keys costs as little as of 201.
  const hasTooManyExtraKeys = (keys: readonly string[]): boolean =>
    !rejectUnknown && keys.length > MAX_EXTRA_KEYS && keys.filter((key) => !compiled.has(key)).length > MAX_EXTRA_KEYS;

  /**
   * Returns the problems of a value; undefined if it has none.
   * @param closed the keys that the writer may not set, if any
   */
  function issuesOf(key: string, value: unknown, isEdit: boolean, closed?: ReadonlySet<string>): Issue[] | undefined {
    if (closed?.has(key)) return [{ path: pathOf(key), ...STAFF_ONLY }];
    const field = compiled.get(key);
    if (isEdit && field?.appendedItems) return [{ path: pathOf(key), ...say('listEdited') }];
    if (!field && rejectUnknown) return [{ path: pathOf(key), ...say('unknownField') }];
    if (!field && !FIELD_KEY_PATTERN.test(key)) return [{ path: pathOf(key), ...say('invalidKey') }];
    const result = (field?.schema ?? Extra).safeParse(value);
    return result.success ? undefined : toIssues(result.error.issues, pathOf(key), printable);
  }

  /**
   * Adds the problems of values until there are enough for an answer. Not a `z.object`, which drops
   * an own `__proto__`, reads an inherited `constructor` and does not stop.
   */
  function addIssues(
    issues: Issue[],
    values: Record<string, unknown>,
    isEdit: boolean,
    closed?: ReadonlySet<string>,
  ): void {
    withSteps({ steps: MAX_PATTERN_STEPS }, () => {
      for (const key of Object.keys(values)) {
        if (issues.length >= MAX_ISSUES) return;
        const found = issuesOf(key, values[key], isEdit, closed);
        if (found) issues.push(...found);
      }
    });
  }

  return {
    /** The keys of the schema's fields. */
    fieldKeys,
    consentFields: fields.flatMap(findConsent),
    /** The keys of the fields of the staff; undefined if there are none. */
    staffKeys,
    /** The values that a new record has of the fields of the staff; undefined if there are none. */
    defaults: storedDefaults(ofStaff),

    /** Returns the schema of the values of a key. */
    schemaOf: (key: string): z.ZodType => compiled.get(key)?.schema ?? Extra,

    /** Whether submissions append to the values of a key. */
    isList: (key: string): boolean => compiled.get(key)?.appendedItems !== undefined,

    /** Returns the problems of `data`, at most 20. `isPartial`: required fields may be missing. */
    issues(data: Record<string, unknown>, writer: Writer = 'staff', isPartial = false): Issue[] {
      if (hasTooManyExtraKeys(Object.keys(data))) return [TOO_MANY_EXTRA_KEYS];
      const issues: Issue[] = [];
      for (const key of isPartial ? [] : required) {
        if (!Object.hasOwn(data, key)) issues.push({ path: `data.${key}`, ...REQUIRED });
      }
      addIssues(issues, data, false, writer === 'staff' ? undefined : staffKeys);
      return issues.slice(0, MAX_ISSUES);
    },

    /** Returns the problems of an operator's change, at most 20. Other fields are not checked. */
    editIssues(set: Record<string, unknown>, unset: readonly string[]): Issue[] {
      if (hasTooManyExtraKeys(Object.keys(set))) return [TOO_MANY_EXTRA_KEYS];
      const issues: Issue[] = [];
      addIssues(issues, set, true);
      for (const key of unset) if (required.includes(key)) issues.push({ path: `data.${key}`, ...REQUIRED });
      return issues.slice(0, MAX_ISSUES);
    },

    /** Returns the change by valid `data`; `now` is the timestamp of appended items. */
    change(data: Record<string, unknown>, now: Date): RecordChange {
      const change: RecordChange = { set: {}, append: {}, extraKeys: 0 };
      for (const key of Object.keys(data)) {
        const field = compiled.get(key);
        if (!field) change.extraKeys += 1;
        if (field?.appendedItems) change.append[key] = field.appendedItems(data[key], now.toISOString());
        else change.set[key] = field?.toStored ? field.toStored(data[key]) : data[key];
      }
      return change;
    },

    /** Returns valid values of a change by an operator as they are stored. */
    storedValues(set: Record<string, unknown>): Record<string, unknown> {
      const stored = { ...set };
      for (const key of Object.keys(set)) {
        const toStored = compiled.get(key)?.toStored;
        if (toStored) stored[key] = toStored(set[key]);
      }
      return stored;
    },
  };
}

function storedDefaults(fields: readonly FieldDefinition[]): Readonly<Record<string, unknown>> | undefined {
  const values = fields.flatMap((field): [string, unknown][] => {
    if (!('default' in field) || field.default === undefined) return [];
    const toStored = getKind(field.kind).toStored?.(field);
    return [[field.key, toStored ? toStored(field.default) : field.default]];
  });
  return values.length > 0 ? Object.fromEntries(values) : undefined;
}

function findConsent(field: FieldDefinition): ConsentField[] {
  if (!('consent' in field) || !field.consent) return [];
  return [{ key: field.key, label: field.label, labels: field.labels, version: field.consent.version }];
}

function compileField(field: FieldDefinition, schemaOf: SchemaOf) {
  const kind = getKind(field.kind);
  return { schema: schemaOf(field), appendedItems: kind.appendedItems, toStored: kind.toStored?.(field) };
}

/** The values of keys beyond the fields. */
const Extra = z.unknown().check(checkStorable);

const pathOf = (key: string): string => `data.${printable(key)}`;
