import { instantOf } from '../../../fields/kinds/date.ts';
import { isDay } from './instant.ts';
import type { Interval, Ordered, Predicate, ValueType } from './predicate.ts';

const OPERATORS = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'prefix', 'contains', 'exists', 'empty'] as const;
export type Operator = (typeof OPERATORS)[number];

export function isOperator(text: string): text is Operator {
  return (OPERATORS as readonly string[]).includes(text);
}

const OF_TEXT = ['eq', 'ne', 'in', 'prefix', 'contains', 'exists', 'empty'] as const;
const OF_ORDER = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'exists', 'empty'] as const;

/** The operators of each type of value (spec 4.3). */
export const OPERATORS_OF: Record<ValueType, readonly Operator[]> = {
  email: OF_TEXT,
  text: OF_TEXT,
  number: OF_ORDER,
  date: OF_ORDER,
  time: OF_ORDER,
  checkbox: ['eq', 'ne', 'exists', 'empty'],
  array: ['contains', 'exists', 'empty'],
};

/** The most values of `in` (spec 8). */
const MAX_IN = 100;

const DAY_MS = 86_400_000;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

/** A predicate without its target. */
type Comparison = Pick<Predicate, 'test' | 'isNot'>;

/** Returns the comparison of an operator with the text of its value, or what is wrong with it. */
export function comparisonOf(type: ValueType, operator: Operator, value: string): Comparison | string {
  if (operator === 'exists' || operator === 'empty') return presence(operator, value);
  if (type === 'array') return { test: { is: 'item', values: spellings(value) }, isNot: false };
  const values = operator === 'in' ? value.split(',') : [value];
  if (values.length > MAX_IN) return `has more than ${MAX_IN} values`;
  if (type === 'text' || type === 'email') {
    // Stored emails are in lower case.
    return textual(operator, type === 'email' ? values.map((text) => text.toLowerCase()) : values);
  }
  return within(type, operator, values);
}

function presence(operator: 'exists' | 'empty', value: string): Comparison | string {
  if (value !== 'true' && value !== 'false') return 'must have the value true or false';
  const test = operator === 'exists' ? ({ is: 'absent' } as const) : ({ is: 'empty' } as const);
  return { test, isNot: (operator === 'exists') === (value === 'true') };
}

function textual(operator: Operator, texts: readonly string[]): Comparison {
  const [text = ''] = texts;
  if (operator === 'prefix' || operator === 'contains') return { test: { is: operator, text }, isNot: false };
  return { test: { is: 'equal', texts }, isNot: operator === 'ne' };
}

/** The texts, numbers and booleans that a text spells. */
function spellings(text: string): (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  const number = numberOf(text);
  return number === undefined ? [text] : [text, number];
}

function numberOf(text: string): number | undefined {
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

type Bounded = Exclude<ValueType, 'text' | 'email' | 'array'>;

function within(type: Bounded, operator: Operator, values: readonly string[]): Comparison | string {
  const intervals: Interval[] = [];
  for (const value of values) {
    const read = READERS[type](value);
    if (typeof read === 'string') return read;
    intervals.push(compared(operator, read));
  }
  return { test: { is: 'within', intervals }, isNot: operator === 'ne' };
}

/** The values that a text stands for: one of them, or those of a day. */
const READERS: Record<Bounded, (text: string) => Required<Interval> | string> = {
  number: (text) => point(numberOf(text)) ?? 'must have a decimal number as its value',
  checkbox: (text) =>
    text === 'true' || text === 'false' ? only(text === 'true') : 'must have the value true or false',
  date: readDate,
  time: readDate,
};

function readDate(text: string): Required<Interval> | string {
  const instant = instantOf(text);
  if (instant === undefined) return 'must have a date, or a date-time with its zone, as its value';
  return isDay(text) ? { ...only(instant), to: instant + DAY_MS, isToOpen: true } : only(instant);
}

const only = (value: Ordered): Required<Interval> => ({ from: value, isFromOpen: false, to: value, isToOpen: false });
const point = (value: number | undefined) => (value === undefined ? undefined : only(value));

/** The values that stand in the relation of the operator to all values of `given`. */
function compared(operator: Operator, given: Required<Interval>): Interval {
  const { from, to, isToOpen } = given;
  if (operator === 'gt') return { from: to, isFromOpen: !isToOpen };
  if (operator === 'gte') return { from };
  if (operator === 'lt') return { to: from, isToOpen: true };
  if (operator === 'lte') return { to, isToOpen };
  return given;
}
