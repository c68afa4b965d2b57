import type { mongo } from 'mongoose';
import { literal } from '../../../database/pattern.ts';
import { indexText } from '../../../fields/index-value.ts';
import { instantOf } from '../../../fields/kinds/date.ts';
import type { UserDocument } from '../../users.model.ts';
import { caseless } from './caseless.ts';
import { DATE_FORM, instantAt } from './instant.ts';
import type { Interval, Ordered, Predicate, SortTarget, Target } from './predicate.ts';

export type Filter = mongo.Filter<UserDocument>;
type Conditions = Record<string, unknown>;

/** Without it, MongoDB also matches an array that contains a matching value. */
const NO_ARRAY = { $not: { $type: 'array' } };

/** The filter of records for which all predicates hold. */
export function filterOf(predicates: readonly Predicate[]): Filter {
  if (predicates.length === 0) return {};
  return { $and: predicates.map(conditionOf) } as Filter;
}

/** Joins filters; an empty one has no effect. */
export function allOf(...filters: readonly Filter[]): Filter {
  const conditions = filters.filter((filter) => Object.keys(filter).length > 0);
  if (conditions.length <= 1) return conditions[0] ?? {};
  return { $and: conditions } as Filter;
}

function conditionOf(predicate: Predicate): Conditions {
  const condition = withFormer(predicate);
  return predicate.isNot ? { $nor: [condition] } : condition;
}

function withFormer(predicate: Predicate): Conditions {
  const { target, test } = predicate;
  if (!target.former) return positive(predicate);
  const { path } = target.former;
  return eitherPlace(target.former, positive(predicate), positive({ target: { ...target, path }, test, isNot: false }));
}

/** The condition on a key, or in records that are still to be moved the one on its former key. */
export function eitherPlace(
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
      return anyOf(test.intervals.map((interval) => intervalCondition(target, interval)));
    case 'equal':
      return { [path]: { $in: test.texts, ...NO_ARRAY } };
    case 'prefix':
      return { [path]: { $regex: `^${caseless(test.text)}`, ...NO_ARRAY } };
    case 'contains':
      return { [path]: { $regex: literal(test.text), $options: 'i', ...NO_ARRAY } };
    case 'item':
      return { [path]: { $elemMatch: { value: { $in: test.values, ...NO_ARRAY } } } };
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

function intervalCondition({ path, type }: Target, interval: Interval): Conditions {
  if (type === 'date') return dateCondition(path, interval);
  const stored = type === 'time' ? (value: Ordered) => new Date(Number(value)) : (value: Ordered) => value;
  return { [path]: { ...comparisons(interval, stored), ...NO_ARRAY } };
}

/** Dates are stored as they were sent, with their zones, so their instants are compared. */
function dateCondition(path: string, interval: Interval): Conditions {
  const instant = instantAt(path);
  const wanted = Object.entries(comparisons(interval, (value) => new Date(Number(value))));
  return {
    [path]: { $regex: DATE_FORM, ...NO_ARRAY },
    $expr: {
      $and: [{ $ne: [instant, null] }, ...wanted.map(([operator, value]) => ({ [operator]: [instant, value] }))],
    },
  };
}

function comparisons({ from, isFromOpen, to, isToOpen }: Interval, stored: (value: Ordered) => unknown): Conditions {
  return {
    ...(from !== undefined && { [isFromOpen ? '$gt' : '$gte']: stored(from) }),
    ...(to !== undefined && { [isToOpen ? '$lt' : '$lte']: stored(to) }),
  };
}

/** The value by which a record sorts; undefined when it has none of the target's type. */
export function sortValueOf(type: SortTarget['type'], value: unknown): string | number | boolean | undefined {
  if (type === 'mixed') return typeof value === 'number' || typeof value === 'boolean' ? value : textValueOf(value);
  if (type === 'number') return typeof value === 'number' ? value : undefined;
  if (type === 'checkbox') return typeof value === 'boolean' ? Number(value) : undefined;
  if (type === 'time') return value instanceof Date ? value.getTime() : undefined;
  if (typeof value !== 'string') return undefined;
  if (type === 'date') return instantOf(value);
  if (type === 'email') return value;
  return type === 'text' ? textValueOf(value) : undefined;
}

const textValueOf = (value: unknown): string | undefined => indexText(value) ?? undefined;
