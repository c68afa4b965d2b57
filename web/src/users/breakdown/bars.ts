import { formatDay } from '#src/fields/base/iso-date.ts';
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

const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const DAY_MS = 86_400_000;

/** The bars of the values or the ranges, without those for users that have no value. */
export function barsOf({ values, ranges }: Breakdown, target: Target): Bar[] {
  const { path } = target;
  const isList = target.type === 'choices';
  const ofValues = (values ?? []).map((group): Bar => {
    const conditions = valueConditions(group, path, isList ? 'contains' : 'eq');
    return { label: choiceLabel(String(group.value), target), count: group.count, conditions };
  });
  const ofRanges = (ranges ?? []).map((group): Bar => {
    const conditions = valueConditions(group, path);
    return {
      label: rangeLabel(group.from, group.to),
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

/** The bound of a range in words. */
export function boundLabel(bound: number | string | undefined): string {
  if (bound === undefined) return '…';
  if (typeof bound === 'number') return number.format(bound);
  return bound.length > 10 ? formatDay(time, new Date(bound)) : calendarDay(bound);
}

/** The end of the last range: the last day of days. */
export function endLabel(to: number | string | undefined): string {
  return isDay(to) ? calendarDay(dayBefore(to)) : boundLabel(to);
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

function rangeLabel(from: number | string | undefined, to: number | string | undefined): string {
  if (isDay(from) && isDay(to)) {
    const last = dayBefore(to);
    return last === from ? calendarDay(from) : `${calendarDay(from)} – ${calendarDay(last)}`;
  }
  if (Number.isInteger(from) && Number(to) - Number(from) === 1) return boundLabel(from);
  return t.users.breakdown.range(boundLabel(from), boundLabel(to));
}

const dayBefore = (day: string): string => new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10);
const isDay = (bound: number | string | undefined): bound is string => typeof bound === 'string' && bound.length === 10;
