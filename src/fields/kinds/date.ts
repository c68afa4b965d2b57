import { defineKind } from '../kind.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-](\d{2}):(\d{2})))?$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** `YYYY-MM-DD`, or an RFC 3339 date-time with its zone; the calendar must have that day (DESIGN section 2, "date"). */
export const date = defineKind({
  kind: 'date',
  options: {},
  compile: () => (value, report) => {
    if (typeof value !== 'string' || !isIsoDate(value)) {
      report('must be a date like 2026-01-31 or a date-time with its zone like 2026-01-31T08:30:00Z');
    }
  },
});

function isIsoDate(text: string): boolean {
  const match = DATE.exec(text);
  if (!match) return false;
  // A pure date leaves the rest undefined: they count as 0, which every bound below allows.
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const days = month === 2 && isLeapYear(year) ? 29 : (DAYS[month - 1] ?? 0);
  return day >= 1 && day <= days && hour <= 23 && minute <= 59 && second <= 59 && zoneHour <= 23 && zoneMinute <= 59;
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
