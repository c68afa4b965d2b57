import { formatDay } from '#src/platform/text/iso-date.ts';
import type { ResponseBody } from '../../api/endpoints.ts';
import { calendarDay } from '../../components/content/time.tsx';
import { locale } from '../../texts/language.ts';
import { t } from '../../texts/texts.ts';
import {
  type Condition,
  choiceLabel,
  conditionText,
  number,
  parseCondition,
  type Target,
} from '../filters/condition.ts';
import { valueConditions } from './counted.ts';

export type Breakdown = ResponseBody<'GET /auth/users/breakdown'>;

/** One bar of a chart. Without conditions it cannot be pressed. */
export interface Bar {
  label: string;
  count: number;
  /** Select the users of the bar. */
  conditions?: Condition[];
}

const DAY_MS = 86_400_000;
/** Longer than an hour, and shorter than the day on which the clocks go forward. */
const SHORTEST_DAY_MS = 20 * 3_600_000;

/** The bars of the values or the ranges, without those for users that have no value. */
export function barsOf(breakdown: Breakdown, target: Target): Bar[] {
  const { values, ranges } = breakdown;
  const { path } = target;
  const nameOf = boundNames(breakdown);
  const isList = target.type === 'choices';
  const ofValues = (values ?? []).map((group): Bar => {
    const conditions = valueConditions(group, path, isList ? 'contains' : 'eq');
    return { label: choiceLabel(String(group.value), target), count: group.count, conditions };
  });
  const ofRanges = (ranges ?? []).map((group): Bar => {
    const conditions = valueConditions(group, path);
    return {
      label: rangeLabel(group, nameOf),
      count: group.count,
      ...(conditions.length > 0 && { conditions }),
    };
  });
  return [...ofValues, ...ofRanges];
}

/** The bars of the users without a value or range. */
export function restOf({ empty, other }: Breakdown, { path }: Target): Bar[] {
  return [
    ...(other > 0 ? [{ label: t.users.breakdown.otherValues, count: other }] : []),
    ...(empty > 0
      ? [{ label: t.users.breakdown.noValue, count: empty, conditions: [{ path, operator: 'empty', value: 'true' }] }]
      : []),
  ];
}

type Range = NonNullable<Breakdown['ranges']>[number];
type BoundName = (bound: Range['from']) => string;

/**
 * Returns the function that names a bound: a number, a day or a time of the zone of the breakdown.
 */
export function boundNames({ ranges = [], timeZone = 'UTC' }: Breakdown): BoundName {
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const hasDays = ranges.some(isOfDays);
  return (bound) => {
    if (bound === undefined) return '…';
    if (typeof bound === 'number') return number.format(bound);
    return hasDays ? calendarDay(dayOf(bound)) : formatDay(time, new Date(bound));
  };
}

/** The end of a range: the last day of days. */
export function endLabel({ from, to }: Range, nameOf: BoundName): string {
  return typeof to === 'string' && isOfDays({ from, to }) ? calendarDay(dayBefore(to)) : nameOf(to);
}

/** Operators whose conditions a pressed bar replaces. */
const REPLACED = ['eq', 'in', 'gt', 'gte', 'lt', 'lte', 'empty'];

/** The conditions of a list after a bar was pressed. */
export function whereAfter(where: readonly string[], conditions: readonly Condition[]): string[] {
  const [first] = conditions;
  const kept = where.filter((text) => {
    const { path, operator } = parseCondition(text);
    return path !== first?.path || !REPLACED.includes(operator);
  });
  return [...new Set([...kept, ...conditions.map(conditionText)])];
}

function rangeLabel(range: Range, nameOf: BoundName): string {
  const { from, to } = range;
  if (typeof from === 'string' && typeof to === 'string' && isOfDays(range)) {
    const last = dayBefore(to);
    return last === dayOf(from) ? nameOf(from) : `${nameOf(from)} – ${calendarDay(last)}`;
  }
  if (Number.isInteger(from) && Number(to) - Number(from) === 1) return nameOf(from);
  return t.users.breakdown.range(nameOf(from), nameOf(to));
}

/** The day of a bound in its time zone. */
const dayOf = (bound: string): string => bound.slice(0, 'YYYY-MM-DD'.length);
const dayBefore = (bound: string): string =>
  new Date(Date.parse(dayOf(bound)) - DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** Whether a range consists of days. One without a begin or an end is longer than any hour. */
export function isOfDays({ from, to }: Pick<Range, 'from' | 'to'>): boolean {
  if (typeof from === 'number' || typeof to === 'number') return false;
  return from === undefined || to === undefined || Date.parse(to) - Date.parse(from) >= SHORTEST_DAY_MS;
}
