import type { Reason } from '../../../platform/languages/reasons.ts';
import { type Interval, type Ordered, related } from '../../../platform/text/comparison.ts';
import { type IndexValue, indexText } from '../../../platform/text/index-value.ts';
import type { ConditionOperator } from './browser-kinds.ts';

// What queries of operators ask of the values of a field: conditions, sorting, charts (spec 4.3).

export type QueryOperator = ConditionOperator | 'prefix' | 'empty';

export const OF_TEXT = ['eq', 'ne', 'in', 'prefix', 'contains', 'exists', 'empty'] as const;
export const OF_ORDER = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'exists', 'empty'] as const;

/** What a condition asks of a value; the search makes a filter and bounds of indexes of it. */
export type ValueTest =
  | { is: 'within'; intervals: readonly Interval[] }
  | { is: 'equal'; texts: readonly string[] }
  | { is: 'prefix'; text: string }
  | { is: 'contains'; text: string }
  | { is: 'item'; values: readonly (string | number | boolean)[] }
  | { is: 'chosen'; choices: readonly string[] }
  | { is: 'absent' }
  | { is: 'empty' };

/** With `isNot` it holds for exactly the other values. */
export interface Asked {
  test: ValueTest;
  isNot: boolean;
}

export interface Refused {
  problem: Reason;
}

/** How queries read the values of a kind, or of a member of the record. */
export interface QueriedValues {
  /** The name of the type of the values in problems. */
  name: string;
  operators: readonly QueryOperator[];
  /**
   * Reads the texts of a condition: several of `in`, else one. Not called for `exists` and `empty`,
   * which ask the same of all values; absent for a kind without other operators.
   */
  ask?(operator: QueryOperator, texts: readonly string[]): Asked | Refused;
  /** The place of a value in its order; undefined: of another type. Absent: there is no order. */
  sortValue?(value: unknown): string | number | boolean | undefined;
  /** How values that intervals compare are stored. Absent: as the bounds of the intervals. */
  storedAs?: 'dateText' | 'time';
  /** What a chart counts. `dates` are counted in UTC, `times` in the zone of the query. */
  chart: 'texts' | 'choices' | 'booleans' | 'numbers' | 'dates' | 'times' | 'none';
  /** Returns the index value of a bound of an interval. Absent: no index serves intervals. */
  indexBound?(value: Ordered): IndexValue;
}

/** Texts and single choices. */
export const TEXT_VALUES: QueriedValues = {
  name: 'text',
  operators: OF_TEXT,
  ask: askText,
  sortValue: (value) => indexText(value) ?? undefined,
  chart: 'texts',
};

export function askText(operator: QueryOperator, texts: readonly string[]): Asked {
  const [text = ''] = texts;
  if (operator === 'prefix' || operator === 'contains') return { test: { is: operator, text }, isNot: false };
  return { test: { is: 'equal', texts }, isNot: operator === 'ne' };
}

/** @param read returns the values that a text represents: one of them, or those of a day */
export function askOrder(
  operator: QueryOperator,
  texts: readonly string[],
  read: (text: string) => Interval | Refused,
): Asked | Refused {
  const intervals: Interval[] = [];
  for (const text of texts) {
    const given = read(text);
    if ('problem' in given) return given;
    intervals.push(related(operator, given));
  }
  return { test: { is: 'within', intervals }, isNot: operator === 'ne' };
}

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

/** Returns the number that a text of a query is. */
export function queriedNumber(text: string): number | undefined {
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
