import { z } from 'zod';
import { checkStorable } from '../../platform/bson/stored-json.ts';
import { toIssues } from '../../platform/languages/problems.ts';
import { type Issue, MAX_ISSUES, say } from '../../platform/languages/reasons.ts';
import { checkIn } from '../../platform/text/check-context.ts';
import type { Moment } from '../../platform/text/iso-date.ts';
import { MAX_PATTERN_STEPS } from '../../platform/text/regex.ts';
import { FIELD_KEY_PATTERN, printable, type Writer } from './base/kind.ts';
import { type FieldStates, fieldStates } from './conditions.ts';
import { conditionsOf, type FieldDefinition, holdsFiles, isConditional, isOfStaff, resets } from './definition.ts';
import { getKind } from './kinds/registry.ts';

/** The change of a record by a valid submission, by field key. */
export interface RecordChange {
  /** Values that replace the stored ones. */
  set: Record<string, unknown>;
  /** Items that are appended to the stored lists. */
  append: Record<string, Record<string, unknown>[]>;
  /** The keys whose stored values are removed: those of fields that a submission does not show. */
  unset?: readonly string[] | undefined;
  /** Values that replace those of a record that exists. A new one has them as its defaults. */
  reset?: Readonly<Record<string, unknown>> | undefined;
  /** The number of keys that are not fields of the schema. */
  extraKeys: number;
}

/** The most keys beyond the fields of the schema, in one submission and in one record. */
export const MAX_EXTRA_KEYS = 200;

/** The problem of a submission or a record with more than `MAX_EXTRA_KEYS`. */
export const TOO_MANY_EXTRA_KEYS: Issue = { path: 'data', ...say('tooManyKeys', { max: MAX_EXTRA_KEYS }) };

const REQUIRED = say('required');
const STAFF_ONLY = say('staffOnly');
const NOT_SHOWN = say('notShown');
const NOW: Moment = {};
const TOO_LONG = say('tooLongForPattern');

/** The characters that all `contains` of conditions search, at most 25 ms of one submission. */
const MAX_SEARCHED = 3_000_000;

interface Schema {
  rejectUnknown: boolean;
  fields: readonly FieldDefinition[];
}

/** Checks the `data` of submissions against one schema version. */
export type Validator = ReturnType<typeof compileSchema>;

export type SchemaOf = (field: FieldDefinition) => z.ZodType;

export const ownSchema: SchemaOf = (field) => getKind(field.kind).schema(field);

const keysOf = (fields: readonly FieldDefinition[]): ReadonlySet<string> | undefined =>
  fields.length > 0 ? new Set(fields.map(({ key }) => key)) : undefined;

/** Compiles a schema into a validator (spec 2.3 and 2.4). `constructor` is an ordinary key. */
export function compileSchema({ rejectUnknown, fields }: Schema, schemaOf: SchemaOf = ownSchema) {
  const compiled = new Map(fields.map((field) => [field.key, compileField(field, schemaOf)]));
  const fieldKeys: readonly string[] = [...compiled.keys()];
  const required = fields.filter((field) => field.required && !isConditional(field)).map((field) => field.key);
  const hasConditions = fields.some(isConditional);
  const removable = fields.filter(isRemovedWhenHidden).map(({ key }) => key);
  const searches = countSearches(fields);
  const ofStaff = fields.filter(isOfStaff);
  const staffKeys = keysOf(ofStaff);
  const ofFiles = fields.filter(holdsFiles);

  // Tested before values are checked, so that a refusal of 10,000 keys costs as little as of 201.
  const hasTooManyExtraKeys = (keys: readonly string[]): boolean =>
    !rejectUnknown && keys.length > MAX_EXTRA_KEYS && keys.filter((key) => !compiled.has(key)).length > MAX_EXTRA_KEYS;

  /**
   * Returns the problems of a value; undefined if it has none.
   * @param closed the keys that the writer may not set, if any
   * @param states those of a submission to a schema with conditions
   */
  function issuesOf(
    key: string,
    value: unknown,
    isEdit: boolean,
    closed?: ReadonlySet<string>,
    states?: FieldStates,
  ): Issue[] | undefined {
    if (closed?.has(key)) return [{ path: pathOf(key), ...STAFF_ONLY }];
    const field = compiled.get(key);
    if (isEdit && field?.appendedItems) return [{ path: pathOf(key), ...say('listEdited') }];
    if (!field && rejectUnknown) return [{ path: pathOf(key), ...say('unknownField') }];
    if (!field && !FIELD_KEY_PATTERN.test(key)) return [{ path: pathOf(key), ...say('invalidKey') }];
    if (field && states && !states.shown.has(key)) return [{ path: pathOf(key), ...NOT_SHOWN }];
    const schema = states?.required.has(key) ? field?.requiredSchema : field?.schema;
    const result = (schema ?? Extra).safeParse(value);
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
    moment: Moment,
    closed?: ReadonlySet<string>,
    states?: FieldStates,
  ): void {
    checkIn({ steps: MAX_PATTERN_STEPS, moment }, () => {
      for (const key of Object.keys(values)) {
        if (issues.length >= MAX_ISSUES) return;
        const found = issuesOf(key, values[key], isEdit, closed, states);
        if (found) issues.push(...found);
      }
    });
  }

  /** Returns the problem of the text that takes the conditions too much work, if one does. */
  function conditionIssue(data: Record<string, unknown>): Issue | undefined {
    const key = findTooLong(data);
    return key === undefined ? undefined : { path: pathOf(key), ...TOO_LONG };
  }

  /** The text that takes the conditions too much work, if all of them together do. */
  function findTooLong(data: Record<string, unknown>): string | undefined {
    const work = [...searches].map(([key, count]): [key: string, characters: number] => {
      const value = Object.hasOwn(data, key) ? data[key] : undefined;
      return [key, typeof value === 'string' ? value.length * count : 0];
    });
    if (work.reduce((sum, [, characters]) => sum + characters, 0) <= MAX_SEARCHED) return undefined;
    return work.reduce((one, other) => (other[1] > one[1] ? other : one))[0];
  }

  return {
    /** The keys of the schema's fields. */
    fieldKeys,
    /** The keys of the fields of the staff; undefined if there are none. */
    staffKeys,
    /** The keys of the fields of files; undefined if there are none. */
    fileKeys: keysOf(ofFiles),
    /** Those of them that the public may set. */
    publicFileKeys: keysOf(ofFiles.filter((field) => !isOfStaff(field))),
    /** The values that a new record has of the fields of the staff; undefined if there are none. */
    defaults: storedDefaults(ofStaff),
    /** Those that a public submission sets again in a known record; undefined if there are none. */
    resets: storedDefaults(ofStaff.filter(resets)),

    /** Returns the schema of the values of a key. */
    schemaOf: (key: string): z.ZodType => compiled.get(key)?.schema ?? Extra,

    /** Whether submissions append to the values of a key. */
    isList: (key: string): boolean => compiled.get(key)?.appendedItems !== undefined,

    /**
     * Returns which fields count for the `data` of a submission (spec 2.12); undefined if the
     * schema has no conditions.
     * @param isForm whether an HTML form sent it, in which an empty list is an absent field
     */
    states(data: Record<string, unknown>, isForm = false): FieldStates | undefined {
      if (!hasConditions) return undefined;
      if (findTooLong(data) !== undefined) return fieldStates(fields, {});
      return fieldStates(fields, isForm ? withoutEmptyLists(data) : data);
    },

    /** Returns the problem of `data` for which `states` does not count, if it has one. */
    conditionIssue,

    /** Returns `data` without the values of fields that are not shown. */
    shownData(data: Record<string, unknown>, { shown }: FieldStates): Record<string, unknown> {
      return Object.fromEntries(Object.entries(data).filter(([key]) => shown.has(key) || !compiled.has(key)));
    },

    /** The keys of the fields whose stored values a submission removes, if there are any. */
    hiddenKeys({ shown }: FieldStates): readonly string[] | undefined {
      const hidden = removable.filter((key) => !shown.has(key));
      return hidden.length > 0 ? hidden : undefined;
    },

    /**
     * Returns the problems of `data`, at most 20. `isPartial`: required fields may be missing.
     * @param states those of `data` in a submission. Without them values of fields that are not
     *   shown are no problem, and no field with a condition is required
     * @param moment when `data` was sent, and the zone of its day: by default now, in UTC
     */
    issues(
      data: Record<string, unknown>,
      writer: Writer = 'staff',
      isPartial = false,
      states?: FieldStates,
      moment: Moment = NOW,
    ): Issue[] {
      if (hasTooManyExtraKeys(Object.keys(data))) return [TOO_MANY_EXTRA_KEYS];
      const tooLong = states && conditionIssue(data);
      if (tooLong) return [tooLong];
      const issues: Issue[] = [];
      for (const key of isPartial ? [] : (states?.required ?? required)) {
        if (!Object.hasOwn(data, key)) issues.push({ path: `data.${key}`, ...REQUIRED });
      }
      addIssues(issues, data, false, moment, writer === 'staff' ? undefined : staffKeys, states);
      return issues.slice(0, MAX_ISSUES);
    },

    /** Returns the problems of an operator's change, at most 20. Other fields are not checked. */
    editIssues(set: Record<string, unknown>, unset: readonly string[], moment: Moment = NOW): Issue[] {
      if (hasTooManyExtraKeys(Object.keys(set))) return [TOO_MANY_EXTRA_KEYS];
      const issues: Issue[] = [];
      addIssues(issues, set, true, moment);
      for (const key of unset) if (required.includes(key)) issues.push({ path: `data.${key}`, ...REQUIRED });
      return issues.slice(0, MAX_ISSUES);
    },

    /**
     * Returns the change by valid `data`; `now` is the timestamp of appended items.
     * @param unset the keys whose stored values it removes
     * @param reset values that it sets in a record that exists
     */
    change(
      data: Record<string, unknown>,
      now: Date,
      unset?: readonly string[],
      reset?: RecordChange['reset'],
    ): RecordChange {
      const change: RecordChange = { set: {}, append: {}, unset, reset, extraKeys: 0 };
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

function compileField(field: FieldDefinition, schemaOf: SchemaOf) {
  const kind = getKind(field.kind);
  const isMaybeRequired = isConditional(field);
  const schema = schemaOf(isMaybeRequired ? { ...field, required: false } : field);
  return {
    schema,
    requiredSchema: isMaybeRequired ? schemaOf({ ...field, required: true }) : schema,
    appendedItems: kind.appendedItems,
    toStored: kind.toStored?.(field),
  };
}

const isRemovedWhenHidden = ({ kind, showIf, keepHidden }: FieldDefinition): boolean =>
  showIf !== undefined && !keepHidden && !getKind(kind).staysHidden;

function countSearches(fields: readonly FieldDefinition[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { field, op } of fields.flatMap(conditionsOf)) {
    if (op === 'contains') counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  return counts;
}

function withoutEmptyLists(data: Record<string, unknown>): Record<string, unknown> {
  const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
  return Object.fromEntries(Object.entries(data).filter(([, value]) => !isEmptyList(value)));
}

/** The values of keys beyond the fields. */
const Extra = z.unknown().check(checkStorable);

const pathOf = (key: string): string => `data.${printable(key)}`;
