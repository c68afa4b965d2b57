import { type TimeZone, UTC } from './time-zone.ts';

/** From `from`, inclusive, to `to`, exclusive. Absent: no bound that a query can name. */
interface RangeCount {
  from?: number | string;
  to?: number | string;
  count: number;
}

interface TallyResult {
  values?: { value: string | boolean; count: number }[];
  ranges?: RangeCount[];
  other: number;
  /** There are too many different values to find the most frequent ones with certainty. */
  limited?: true;
}

/** Counts values in bounded memory. */
export interface ValueTally {
  add(value: unknown, times: number): void;
  result(): TallyResult;
}

/** Spec 8. */
const MAX_SHOWN = 20;
/** A longer text is counted in `other` (spec 8). */
export const MAX_TEXT = 200;
/** The most different values that are counted, and their characters in total: about 4 MB. */
const MAX_DISTINCT = 10_000;
const MAX_CHARACTERS = 1_000_000;

/** Counts how often each value occurs; after `MAX_DISTINCT` values, new ones are in `other`. */
export function createValueTally(type: 'string' | 'boolean'): ValueTally {
  const counts = new Map<string | boolean, number>();
  let characters = 0;
  let other = 0;
  let isLimited = false;

  return {
    add(value, times) {
      if (typeof value !== type || (typeof value === 'string' && value.length > MAX_TEXT)) {
        other += times;
        return;
      }
      const known = value as string | boolean;
      const before = counts.get(known);
      if (before !== undefined) counts.set(known, before + times);
      else if (counts.size < MAX_DISTINCT && characters < MAX_CHARACTERS) {
        counts.set(known, times);
        characters += String(known).length;
      } else {
        isLimited = true;
        other += times;
      }
    },

    result() {
      const frequent = [...counts].sort(([one, ofOne], [another, ofAnother]) => {
        return ofAnother - ofOne || (String(one) < String(another) ? -1 : 1);
      });
      const rest = frequent.slice(MAX_SHOWN).reduce((sum, [, count]) => sum + count, 0);
      const values = frequent.slice(0, MAX_SHOWN).map(([value, count]) => ({ value, count }));
      return { values, other: other + rest, ...(isLimited && { limited: true as const }) };
    },
  };
}

/** With more entries the ranges become wider. */
const MAX_ENTRIES = 2_000;

/** Each width has unions of ranges of the previous one, so counts stay exact. */
interface Scale<Width> {
  /** The start of the range of this width with the value. */
  floor(value: number, width: Width): number;
  next(start: number, width: Width): number;
  /** The width to use when `width` has too many ranges; undefined represents single values. */
  wider(width: Width | undefined, values: Iterable<number>): Width;
  /** The width for an answer about the entries, whose ranges are unions of ranges of `width`. */
  shown(entries: readonly number[], width: Width | undefined): Width;
  /** A bound of a range in an answer; undefined when no query can name it. */
  bound(value: number, width: Width): number | string | undefined;
}

/** Counts single values until there are too many, then ranges of equal width. */
export function createRangeTally<Width>(scale: Scale<Width>, read: (value: unknown) => number | undefined): ValueTally {
  let counts = new Map<number, number>();
  let width: Width | undefined;
  let other = 0;

  function widen(): void {
    while (counts.size > MAX_ENTRIES) {
      width = scale.wider(width, counts.keys());
      counts = merged(counts, scale, width);
    }
  }

  return {
    add(value, times) {
      const number = read(value);
      if (number === undefined) {
        other += times;
        return;
      }
      const entry = width === undefined ? number : scale.floor(number, width);
      counts.set(entry, (counts.get(entry) ?? 0) + times);
      if (counts.size > MAX_ENTRIES) widen();
    },

    result() {
      if (counts.size === 0) return { ranges: [], other };
      const entries = [...counts.keys()].sort((one, another) => one - another);
      const shown = scale.shown(entries, width);
      return { ranges: listRanges(merged(counts, scale, shown), scale, shown), other };
    },
  };
}

function merged<Width>(counts: ReadonlyMap<number, number>, scale: Scale<Width>, width: Width): Map<number, number> {
  const wider = new Map<number, number>();
  for (const [value, count] of counts) {
    const start = scale.floor(value, width);
    wider.set(start, (wider.get(start) ?? 0) + count);
  }
  return wider;
}

/** All ranges from the first to the last one with values. */
function listRanges<Width>(counts: ReadonlyMap<number, number>, scale: Scale<Width>, width: Width): RangeCount[] {
  const starts = [...counts.keys()];
  const last = Math.max(...starts);
  const ranges: RangeCount[] = [];
  for (let start = Math.min(...starts); start <= last; ) {
    const next = scale.next(start, width);
    const [from, to] = [scale.bound(start, width), scale.bound(next, width)];
    // An hour that the clocks skip has equal bounds.
    if (from === undefined || from !== to) {
      ranges.push({
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        count: counts.get(start) ?? 0,
      });
    }
    if (next <= start) break;
    start = next;
  }
  return ranges;
}

/** Spec 8: the days of a month. */
const MAX_DATE_RANGES = 31;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1970 began on a Thursday; weeks begin on Mondays. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z');
const END_OF_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** Either a number of milliseconds or a number of months, of local times. */
interface DateWidth {
  milliseconds?: number;
  origin?: number;
  months?: number;
}

const HOUR: DateWidth = { milliseconds: HOUR_MS };
const DAY: DateWidth = { milliseconds: DAY_MS };
const WEEK: DateWidth = { milliseconds: 7 * DAY_MS, origin: FIRST_MONDAY_MS };
const MONTHS: readonly DateWidth[] = [1, 3, 12, 60, 120, 1_200, 12_000].map((months) => ({ months }));
/** Each range of a width is a union of ranges of the previous widths. */
const NESTED: readonly DateWidth[] = [HOUR, DAY, ...MONTHS];
const SHOWN: readonly DateWidth[] = [HOUR, DAY, WEEK, ...MONTHS];
const LONGEST = MONTHS.at(-1) as DateWidth;

/** Returns the first or the last time that a query can name for times outside. */
export function withinDates(time: number | undefined): number | undefined {
  return time === undefined ? undefined : Math.min(Math.max(time, FIRST_TIME), END_OF_TIME);
}

/** Ranges of local times from hours to millennia. */
export const dateScaleIn = (zone: TimeZone): Scale<DateWidth> => ({
  floor: (value, width) => rangeStart(dateRangeIndex(value, width), width),
  next: (start, width) => rangeStart(dateRangeIndex(start, width) + 1, width),
  wider: (width) => (width === undefined ? HOUR : (NESTED[NESTED.indexOf(width) + 1] ?? LONGEST)),
  shown(entries, width) {
    const [first = 0, last = 0] = [entries[0], entries.at(-1)];
    const isOfDays = entries.every((entry) => entry % DAY_MS === 0);
    // A week is a union of days, but not of months.
    const possible = SHOWN.slice(width === undefined ? (isOfDays ? 1 : 0) : SHOWN.indexOf(width));
    return possible.find((one) => dateRangeIndex(last, one) - dateRangeIndex(first, one) < MAX_DATE_RANGES) ?? LONGEST;
  },
  bound(value, width) {
    if (value <= FIRST_TIME || value > END_OF_TIME) return undefined;
    // A condition reads a date as a day in UTC.
    const text = zone.textOf(value);
    return width === HOUR || zone !== UTC ? text : text.slice(0, 10);
  },
});

function dateRangeIndex(time: number, { milliseconds, origin = 0, months }: DateWidth): number {
  if (milliseconds !== undefined) return Math.floor((time - origin) / milliseconds);
  const date = new Date(time);
  return Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / (months ?? 1));
}

function rangeStart(index: number, { milliseconds, origin = 0, months = 1 }: DateWidth): number {
  if (milliseconds !== undefined) return index * milliseconds + origin;
  const month = index * months;
  const date = new Date(0);
  // `Date.UTC` reads the years before 100 as those of the 20th century.
  date.setUTCFullYear(Math.floor(month / 12), month - Math.floor(month / 12) * 12);
  return date.getTime();
}

/** Spec 8. */
const MAX_NUMBER_RANGES = 20;
/** Fewer digits than those of a double, so that the bounds of two ranges differ. */
const DIGITS = 1e14;

/** Narrower ranges have subnormal widths, by which a division is inexact. */
const MIN_EXPONENT = -290;

/** `digit` times a power of ten. */
interface NumberWidth {
  digit: 1 | 2 | 5;
  exponent: number;
}

/** Ranges of 1, 2 or 5 times a power of ten: their bounds are short decimal numbers. */
export const numberScale: Scale<NumberWidth> = {
  floor,
  next: (start, width) => decimal(numberRangeIndex(start, width) + 1, width) ?? Number.POSITIVE_INFINITY,
  wider(width, values) {
    // Each width of 1 or 5 times a power of ten is a multiple of all previous ones.
    if (width) return width.digit === 1 ? { ...width, digit: 5 } : { digit: 1, exponent: width.exponent + 1 };
    const all = [...values];
    const [first, last] = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
    const size = Math.max(last / all.length - first / all.length, magnitude(all) / DIGITS);
    return { digit: 1, exponent: least(size).exponent };
  },
  shown(entries, width) {
    const [first = 0, last = 0] = [entries[0], entries.at(-1)];
    let shown = least(Math.max(last / MAX_NUMBER_RANGES - first / MAX_NUMBER_RANGES, magnitude(entries) / DIGITS));
    if (width && widthSize(width) > widthSize(shown)) shown = width;
    if (entries.every(Number.isInteger) && shown.exponent < 0) shown = { digit: 1, exponent: 0 };
    while (numberRangeIndex(last, shown) - numberRangeIndex(first, shown) >= MAX_NUMBER_RANGES) shown = wider(shown);
    return shown;
  },
  bound: (value) => (Number.isFinite(value) ? value : undefined),
};

const widthSize = ({ digit, exponent }: NumberWidth): number => Number(`${digit}e${exponent}`);

/** The least width that is not below a size; 1 for 0. */
function least(size: number): NumberWidth {
  if (size <= 0) return { digit: 1, exponent: 0 };
  let width: NumberWidth = { digit: 1, exponent: Math.max(MIN_EXPONENT, Math.floor(Math.log10(size))) };
  while (widthSize(width) < size) width = wider(width);
  return width;
}

function wider({ digit, exponent }: NumberWidth): NumberWidth {
  if (digit === 5) return { digit: 1, exponent: exponent + 1 };
  return { digit: digit === 1 ? 2 : 5, exponent };
}

const magnitude = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

function floor(value: number, width: NumberWidth): number {
  return decimal(numberRangeIndex(value, width), width) ?? value;
}

/** The index of the range with the value. The division may be off by its rounding. */
function numberRangeIndex(value: number, width: NumberWidth): number {
  const index = Math.floor(value / widthSize(width));
  const [start, next] = [decimal(index, width), decimal(index + 1, width)];
  if (next !== undefined && value >= next) return index + 1;
  return start !== undefined && value < start ? index - 1 : index;
}

/** The start of a range, correctly rounded; undefined when doubles cannot represent it. */
function decimal(index: number, { digit, exponent }: NumberWidth): number | undefined {
  const multiple = index * digit;
  return Number.isSafeInteger(multiple) ? Number(`${multiple}e${exponent}`) : undefined;
}
