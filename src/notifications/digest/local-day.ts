import { type CalendarDate, fromDate, toCalendarDate } from '@internationalized/date';
import { canonicalTimeZone } from '../../core/time-zone.ts';

/** A day of a time zone. */
export interface LocalDay {
  /** `YYYY-MM-DD`. */
  name: string;
  start: Date;
  /** The start of the next day. */
  end: Date;
}

/**
 * Returns the last day that is over at `now` in a time zone; a name that is unknown counts as UTC.
 * A day with a change of the clocks has 23 or 25 hours.
 */
export function lastDay(now: Date, timeZone = 'UTC'): LocalDay {
  const zone = canonicalTimeZone(timeZone) ?? 'UTC';
  const today = toCalendarDate(fromDate(now, zone));
  const day = today.subtract({ days: 1 });
  const startOf = (date: CalendarDate): Date => date.toDate(zone);
  return { name: day.toString(), start: startOf(day), end: startOf(today) };
}
