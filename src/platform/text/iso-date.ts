// Linear in the text: it is anchored, and no repetition can take a character of what follows it.
const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2})))?$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Returns the instant of a date in milliseconds since 1970; undefined for an invalid text. */
export function parseInstant(text: string): number | undefined {
  if (!isIsoDate(text)) return undefined;
  // In upper case, because the standard's own parser need not know `t` and `z`; with three digits
  // of a fraction, because V8 reads .0009999999999 as 999 milliseconds.
  return Date.parse(text.toUpperCase().replace(/(\.\d{3})\d+/, '$1'));
}

/** Whether a text is a calendar-valid date, or date-time with its zone (spec 2.3). */
export function isIsoDate(text: string): boolean {
  const match = DATE.exec(text);
  if (!match) return false;
  // The parts that a date without time lacks count as 0, which every bound below allows.
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const days = month === 2 && isLeapYear(year) ? 29 : (DAYS[month - 1] ?? 0);
  return day >= 1 && day <= days && hour <= 23 && minute <= 59 && second <= 59 && zoneHour <= 23 && zoneMinute <= 59;
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** Returns the day of a date or a date-time, as it is written. */
export const dayOf = (date: string): string => date.slice(0, DAY_LENGTH);

/** Whether a text is a day from the year 1 on: controls for dates have no earlier one. */
export const isDay = (text: string): boolean => text.length === DAY_LENGTH && text >= '0001' && isIsoDate(text);

/** A point in time, and the IANA zone in which it has a day. */
export interface Moment {
  /** Absent: now. */
  at?: Date | undefined;
  /** Absent, or unknown: UTC. */
  timeZone?: string | undefined;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 500;

/** Returns the day of a moment, such as `2026-01-31`. */
export function dayIn({ at = new Date(), timeZone = 'UTC' }: Moment): string {
  let format = formats.get(timeZone);
  if (!format) {
    format = formatIn(timeZone) ?? (formatIn('UTC') as Intl.DateTimeFormat);
    if (formats.size >= MAX_FORMATS) formats.clear();
    formats.set(timeZone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${parts.year?.padStart(4, '0')}-${parts.month}-${parts.day}`;
}

function formatIn(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    return new Intl.DateTimeFormat('en', { calendar: 'gregory', numberingSystem: 'latn', timeZone, ...parts });
  } catch {
    return undefined;
  }
}

/** Formats a date with at least four digits of its year, so that 0085 is not taken for 1985. */
export function formatDay(format: Intl.DateTimeFormat, date: Date): string {
  return format
    .formatToParts(date)
    .map(({ type, value }) => (type === 'year' ? value.padStart(4, '0') : value))
    .join('');
}
