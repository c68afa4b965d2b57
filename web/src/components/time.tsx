const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
/** After that many days a date says more than a number of days. */
const RECENT_DAYS = 7;

/** A moment, in the reader's zone and language. */
export function Time({ at, relative: isRelative = false }: { at: string; relative?: boolean }) {
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return <>{at}</>;
  return (
    <time dateTime={at} title={dateTime.format(moment)}>
      {isRelative ? ago(moment) : dateTime.format(moment)}
    </time>
  );
}

/** A calendar day like `2026-01-31`, which has no zone. */
export function calendarDay(date: string): string {
  return day.format(new Date(`${date}T00:00:00Z`));
}

/** A number of seconds in words. */
export function duration(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

function ago(moment: Date): string {
  const seconds = (moment.getTime() - Date.now()) / 1000;
  if (Math.abs(seconds) > RECENT_DAYS * 86_400) return dateTime.format(moment);
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  return unit ? relative.format(Math.round(seconds / unit[1]), unit[0]) : 'just now';
}
