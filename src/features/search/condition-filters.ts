import type { QueriedValues, ValueTest } from '../../core/fields/base/queries.ts';
import type { RecordFilter } from '../../core/users/users.model.ts';
import { literal } from '../../platform/database/collections.ts';
import { HIGHEST, type Interval, LOWEST, type Ordered } from '../../platform/text/comparison.ts';
import { normalizedText } from '../../platform/text/index-value.ts';
import { recordFilter } from '../record-reads/record-filters.ts';

/** A date of the kind `date` (spec 2.3), without text of a query, and without backtracking. */
const DATE_FORM =
  '^\\d{4}-\\d{2}-\\d{2}(?:[Tt](?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d))?$';

/** The length of the longest date-time without an offset: UTC with milliseconds. */
const USUAL_LENGTH = '2026-01-31T08:30:00.123Z'.length;

/** The instant of a date, cut to milliseconds as by `parseInstant`; null for other values. */
function instantAt(path: string): Record<string, unknown> {
  const value = `$${path}`;
  const parts = { $regexFind: { input: value, regex: '^(.{19}\\.\\d{3})\\d+(\\D.*)$' } };
  const [start, zone] = [0, 1].map((at) => ({ $arrayElemAt: ['$$parts.captures', at] }));
  const cut = { $let: { vars: { parts }, in: { $ifNull: [{ $concat: [start, zone] }, value] } } };
  const ofText = { $cond: [{ $gt: [{ $strLenBytes: value }, USUAL_LENGTH] }, cut, value] };
  const dateString = { $cond: [{ $eq: [{ $type: value }, 'string'] }, ofText, null] };
  return { $dateFromString: { dateString, onError: null, onNull: null } };
}

/** Unlike the option `i`, the pattern matches no letter whose index value differs. */
export function caseless(text: string): string {
  return [...text].map(caseVariants).join('');
}

function caseVariants(character: string): string {
  const upper = character.toUpperCase();
  // A sigma has two lower-case letters.
  const cases = [character.toLowerCase(), upper, ...(upper === 'Σ' ? ['σ', 'ς'] : [])];
  const forms = [...new Set([character, ...cases.filter((form) => isCaseVariant(form, character))])];
  return forms.length === 1 ? literal(character) : `[${forms.map(literal).join('')}]`;
}

function isCaseVariant(form: string, character: string): boolean {
  return [...form].length === 1 && normalizedText(form) === normalizedText(character);
}

type Conditions = Record<string, unknown>;

/** Otherwise MongoDB also matches an array that contains a matching value. */
const NO_ARRAY = { $not: { $type: 'array' } };

export function buildFilter(predicates: readonly Predicate[]): RecordFilter {
  if (predicates.length === 0) return {};
  return recordFilter({ $and: predicates.map(buildCondition) });
}

function buildCondition(predicate: Predicate): Conditions {
  const condition = withFormer(predicate);
  return predicate.isNot ? { $nor: [condition] } : condition;
}

function withFormer(predicate: Predicate): Conditions {
  const { target, test } = predicate;
  if (!target.former) return positive(predicate);
  const { path } = target.former;
  return eitherPlace(target.former, positive(predicate), positive({ target: { ...target, path }, test, isNot: false }));
}

/** The condition on a key, or in unmoved records on its former key. */
function eitherPlace(
  { path, below }: NonNullable<Target['former']>,
  condition: Conditions,
  ofFormer: Conditions,
): Conditions {
  const unmoved = { schemaVersion: { $lt: below }, [path]: { $exists: true } };
  return { $or: [{ $and: [unmoved, ofFormer] }, { $and: [{ $nor: [unmoved] }, condition] }] };
}

function positive({ target, test }: Predicate): Conditions {
  const { path } = target;
  switch (test.is) {
    case 'within':
      return within(target, test.intervals);
    case 'equal':
      return { [path]: { $in: test.texts, ...NO_ARRAY } };
    case 'prefix':
      return { [path]: { $regex: `^${caseless(test.text)}`, ...NO_ARRAY } };
    case 'contains':
      return { [path]: { $regex: literal(test.text), $options: 'i', ...NO_ARRAY } };
    case 'item':
      return { [path]: { $elemMatch: { value: { $in: test.values, ...NO_ARRAY } } } };
    case 'chosen':
      // Also one text, which is stored from the time when the field was of the kind `select`.
      return { [path]: { $in: test.choices } };
    case 'absent':
      return absent(path);
    case 'empty':
      return anyOf([absent(path), { [path]: { $eq: '', ...NO_ARRAY } }, { [path]: { $size: 0 } }]);
  }
}

const absent = (path: string): Conditions => ({ [path]: { $eq: null, ...NO_ARRAY } });

function anyOf(conditions: readonly Conditions[]): Conditions {
  return conditions.length === 1 ? (conditions[0] as Conditions) : { $or: conditions };
}

function within({ path, values: { storedAs } }: Target, intervals: readonly Interval[]): Conditions {
  if (storedAs === 'dateText') return dateCondition(path, intervals);
  const stored = storedAs === 'time' ? (value: Ordered) => new Date(Number(value)) : (value: Ordered) => value;
  return anyOf(intervals.map((interval) => ({ [path]: { ...comparisons(interval, stored), ...NO_ARRAY } })));
}

/** Dates are stored as they were sent, with their zones. Each one is parsed once. */
function dateCondition(path: string, intervals: readonly Interval[]): Conditions {
  const inInterval = intervals.map((interval) => {
    const wanted = Object.entries(comparisons(interval, (value) => new Date(Number(value))));
    return { $and: wanted.map(([operator, value]) => ({ [operator]: ['$$instant', value] })) };
  });
  const holds = { $and: [{ $ne: ['$$instant', null] }, { $or: inInterval }] };
  return {
    [path]: { $regex: DATE_FORM, ...NO_ARRAY },
    $expr: { $let: { vars: { instant: instantAt(path) }, in: holds } },
  };
}

function comparisons({ low, high }: Interval, stored: (value: Ordered) => unknown): Conditions {
  return {
    ...(low !== LOWEST && { [low.isAfter ? '$gt' : '$gte']: stored(low.value) }),
    ...(high !== HIGHEST && { [high.isAfter ? '$lte' : '$lt']: stored(high.value) }),
  };
}

/** The members of a record by which its value of a target is read. */
export function valueMembers({ path, former }: Target): string[] {
  return [path, ...(former ? [former.path, 'schemaVersion'] : [])];
}

export type ReadMembers = Record<string, unknown> & { data?: Record<string, unknown> };

/** Returns the value of a target, in an unmoved record under its former key. */
export function readValue({ path, key, former }: Target, record: ReadMembers): unknown {
  if (key === undefined) return record[path];
  const data = record.data ?? {};
  const isUnmoved = former && Number(record.schemaVersion) < former.below && Object.hasOwn(data, former.key);
  const place = isUnmoved ? former.key : key;
  return Object.hasOwn(data, place) ? data[place] : undefined;
}

/** {@link readValue} as an expression of an aggregation. */
export function valueExpression({ path, former }: Target): string | object {
  if (!former) return `$${path}`;
  const hasFormer = { $ne: [{ $type: `$${former.path}` }, 'missing'] };
  const isUnmoved = { $and: [{ $lt: ['$schemaVersion', former.below] }, hasFormer] };
  return { $cond: [isUnmoved, `$${former.path}`, `$${path}`] };
}

/** A member of a record that a query names (spec 4.3). */
export interface Target {
  path: string;
  values: QueriedValues;
  /** Undefined for a member of the record itself. */
  key?: string;
  /** The place of the value in unmoved records with renamed fields (decision 22). */
  former?: { path: string; key: string; below: number };
}

/** With `isNot` it holds for exactly the other records. */
export interface Predicate {
  target: Target;
  test: ValueTest;
  isNot: boolean;
}

/** Ties are in the order of the id, in the same direction. */
export interface Sort {
  target: Target;
  direction: 1 | -1;
}
