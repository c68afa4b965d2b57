import { defineKind } from '../kind.ts';

// Linear in the text: it is anchored, and no repetition can take a character of what follows it.
const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2})))?$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/**
 * A string `YYYY-MM-DD` or an RFC 3339 date-time with its zone, valid in the calendar
 * (docs/specification.md, section 2.3).
 */
export const date = defineKind({
  name: 'date',
  displayName: 'Date',
  options: {},
  compile: () => (value, report) => {
    if (typeof value !== 'string' || !isIsoDate(value)) {
      report('must be a date like 2026-01-31 or a date-time with its zone like 2026-01-31T08:30:00Z');
    }
  },
  sample: () => new Date().toISOString().slice(0, 'YYYY-MM-DD'.length),
  control: 'date',
});

function isIsoDate(text: string): boolean {
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
