import { formatDay } from '#src/platform/text/iso-date.ts';
import { t } from '../../texts/first-texts.ts';
import { locale } from '../../texts/language.ts';

export const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const calendarDate = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
/** Older times are shown as dates, not as relative times. */
const MAX_RELATIVE_DAYS = 7;

/** A point in time (ISO 8601) in the reader's locale and time zone. */
export function Time({ at, relative: isRelative = false }: { at: string; relative?: boolean }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <>{at}</>;
  const text = formatDay(dateTime, date);
  return (
    <time dateTime={at} title={text}>
      {isRelative ? relativeTime(date) : text}
    </time>
  );
}

/** Formats a calendar date such as `2026-01-31`, which has no time zone. */
export function calendarDay(day: string): string {
  return formatDay(calendarDate, new Date(`${day}T00:00:00Z`));
}

/** Formats a duration in seconds, for example `40 seconds` or `3 minutes`. */
export function duration(seconds: number): string {
  return seconds < 60 ? t.components.seconds(seconds) : t.components.minutes(Math.ceil(seconds / 60));
}

function relativeTime(date: Date): string {
  const seconds = (date.getTime() - Date.now()) / 1000;
  if (Math.abs(seconds) > MAX_RELATIVE_DAYS * 86_400) return dateTime.format(date);
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  return unit ? relative.format(Math.round(seconds / unit[1]), unit[0]) : t.components.justNow;
}
