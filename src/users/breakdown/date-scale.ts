import type { Scale } from './range-tally.ts';

/** The most ranges of dates in a breakdown (spec 8): the days of a month. */
const MAX_RANGES = 31;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1970 began on a Thursday; weeks begin on Mondays. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z');
const END_OF_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** Either a number of milliseconds or a number of months, in UTC. */
interface Width {
  milliseconds?: number;
  /** The start of some range. */
  origin?: number;
  months?: number;
}

const HOUR: Width = { milliseconds: HOUR_MS };
const DAY: Width = { milliseconds: DAY_MS };
const WEEK: Width = { milliseconds: 7 * DAY_MS, origin: FIRST_MONDAY_MS };
const MONTHS: readonly Width[] = [1, 3, 12, 60, 120, 1_200, 12_000].map((months) => ({ months }));
/** Each range of one is a union of ranges of those before. */
const NESTED: readonly Width[] = [HOUR, DAY, ...MONTHS];
const SHOWN: readonly Width[] = [HOUR, DAY, WEEK, ...MONTHS];
const LONGEST = MONTHS.at(-1) as Width;

/** A time that a query can name; the first or the last one for others. */
export function withinDates(time: number | undefined): number | undefined {
  return time === undefined ? undefined : Math.min(Math.max(time, FIRST_TIME), END_OF_TIME);
}

/** Ranges from hours to millennia, in UTC. */
export const dateScale: Scale<Width> = {
  floor: (value, width) => startOf(indexOf(value, width), width),
  next: (start, width) => startOf(indexOf(start, width) + 1, width),
  wider: (width) => (width === undefined ? HOUR : (NESTED[NESTED.indexOf(width) + 1] ?? LONGEST)),
  shown(entries, width) {
    const [first = 0, last = 0] = [entries[0], entries.at(-1)];
    const isOfDays = entries.every((entry) => entry % DAY_MS === 0);
    // A week is a union of days, but not of months.
    const possible = SHOWN.slice(width === undefined ? (isOfDays ? 1 : 0) : SHOWN.indexOf(width));
    return possible.find((one) => indexOf(last, one) - indexOf(first, one) < MAX_RANGES) ?? LONGEST;
  },
  bound(value, width) {
    if (value <= FIRST_TIME || value > END_OF_TIME) return undefined;
    const text = new Date(value).toISOString();
    return width === HOUR ? text : text.slice(0, 10);
  },
};

/** The number of the range that holds the time. */
function indexOf(time: number, { milliseconds, origin = 0, months }: Width): number {
  if (milliseconds !== undefined) return Math.floor((time - origin) / milliseconds);
  const date = new Date(time);
  return Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / (months ?? 1));
}

function startOf(index: number, { milliseconds, origin = 0, months = 1 }: Width): number {
  if (milliseconds !== undefined) return index * milliseconds + origin;
  const month = index * months;
  const date = new Date(0);
  // `Date.UTC` reads the years before 100 as those of the 20th century.
  date.setUTCFullYear(Math.floor(month / 12), month - Math.floor(month / 12) * 12);
  return date.getTime();
}
