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
