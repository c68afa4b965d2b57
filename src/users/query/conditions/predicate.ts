/** How the values of a path compare. */
export type ValueType = 'email' | 'text' | 'number' | 'checkbox' | 'date' | 'time' | 'array';

/** A member of a record that a query names (spec 4.3). */
export interface Target {
  /** As in the query: `email`, `createdAt`, `data.plan`. */
  path: string;
  type: ValueType;
  /** The key in `data`; undefined for a member of the record itself. */
  key?: string;
  /** Where the value is in records whose renamed fields are still to be moved (decision 22). */
  former?: { path: string; key: string; below: number };
}

/** A value that has an order. Times are milliseconds since 1970. */
export type Ordered = number | boolean;

/** The values from `from` to `to`; both count unless they are open. Absent: no bound. */
export interface Interval {
  from?: Ordered;
  isFromOpen?: boolean;
  to?: Ordered;
  isToOpen?: boolean;
}

/** What a predicate asks of the value at its target. */
export type Test =
  | { is: 'within'; intervals: readonly Interval[] }
  | { is: 'equal'; texts: readonly string[] }
  | { is: 'prefix'; text: string }
  | { is: 'contains'; text: string }
  | { is: 'item'; values: readonly (string | number | boolean)[] }
  | { is: 'absent' }
  | { is: 'empty' };

/** One condition of a query. With `isNot` it holds for exactly the other records. */
export interface Predicate {
  target: Target;
  test: Test;
  isNot: boolean;
}

/**
 * What a query sorts by. The values of a key that is no field are `mixed`: numbers come before
 * texts, and these before booleans.
 */
export type SortTarget = Omit<Target, 'type'> & { type: ValueType | 'mixed' };

/** The order of a query; ties are in the order of the id, in the same direction. */
export interface Sort {
  target: SortTarget;
  direction: 1 | -1;
}

/** Whether `value` lies in the interval. */
export function isWithin({ from, isFromOpen, to, isToOpen }: Interval, value: Ordered): boolean {
  if (from !== undefined && (isFromOpen ? value <= from : value < from)) return false;
  return to === undefined || (isToOpen ? value < to : value <= to);
}

/** The values that lie in an interval of both lists, in ascending order. */
export function intersection(some: readonly Interval[], others: readonly Interval[]): Interval[] {
  return some.flatMap((one) => others.map((other) => common(one, other))).filter((interval) => !isEmpty(interval));
}

function common(one: Interval, other: Interval): Interval {
  const low = isHigherFrom(one, other) ? one : other;
  const high = isLowerTo(one, other) ? one : other;
  return {
    ...(low.from !== undefined && { from: low.from, isFromOpen: low.isFromOpen ?? false }),
    ...(high.to !== undefined && { to: high.to, isToOpen: high.isToOpen ?? false }),
  };
}

function isHigherFrom(one: Interval, other: Interval): boolean {
  if (one.from === undefined) return false;
  if (other.from === undefined) return true;
  return one.from === other.from ? one.isFromOpen === true : one.from > other.from;
}

function isLowerTo(one: Interval, other: Interval): boolean {
  if (one.to === undefined) return false;
  if (other.to === undefined) return true;
  return one.to === other.to ? one.isToOpen === true : one.to < other.to;
}

function isEmpty({ from, isFromOpen, to, isToOpen }: Interval): boolean {
  if (from === undefined || to === undefined) return false;
  return from === to ? isFromOpen === true || isToOpen === true : from > to;
}

/** The same values as disjoint intervals in ascending order. */
export function disjoint(intervals: readonly Interval[]): Interval[] {
  const sorted = [...intervals].sort((one, other) =>
    isHigherFrom(one, other) ? 1 : isHigherFrom(other, one) ? -1 : 0,
  );
  const merged: Interval[] = [];
  for (const interval of sorted) {
    const last = merged.at(-1);
    if (!last || !touches(last, interval)) merged.push(interval);
    else if (isLowerTo(last, interval)) merged[merged.length - 1] = withEndOf(last, interval);
  }
  return merged;
}

/** Whether an interval begins before the end of an earlier one, or right at it. */
function touches({ to }: Interval, { from }: Interval): boolean {
  return to === undefined || from === undefined || from <= to;
}

function withEndOf({ to: _, isToOpen: __, ...rest }: Interval, { to, isToOpen }: Interval): Interval {
  return { ...rest, ...(to !== undefined && { to, isToOpen: isToOpen ?? false }) };
}
