import type { Scale } from './range-tally.ts';

/** The most ranges of numbers in a breakdown (spec 8). */
const MAX_RANGES = 20;
/** Fewer digits than a double has, so that the bounds of two ranges differ. */
const DIGITS = 1e14;

/** Narrower ranges would have subnormal widths, by which a division is inexact. */
const MIN_EXPONENT = -290;

/** `digit` times a power of ten. */
interface Width {
  digit: 1 | 2 | 5;
  exponent: number;
}

/** Ranges of 1, 2 or 5 times a power of ten. Their bounds are short decimal numbers. */
export const numberScale: Scale<Width> = {
  floor,
  next: (start, width) => decimal(indexOf(start, width) + 1, width) ?? Number.POSITIVE_INFINITY,
  wider(width, values) {
    // Of 1 and 5 times a power of ten, each is a multiple of all before.
    if (width) return width.digit === 1 ? { ...width, digit: 5 } : { digit: 1, exponent: width.exponent + 1 };
    const all = [...values];
    const [first, last] = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
    const size = Math.max(last / all.length - first / all.length, magnitude(all) / DIGITS);
    return { digit: 1, exponent: least(size).exponent };
  },
  shown(entries, width) {
    const [first = 0, last = 0] = [entries[0], entries.at(-1)];
    let shown = least(Math.max(last / MAX_RANGES - first / MAX_RANGES, magnitude(entries) / DIGITS));
    if (width && sizeOf(width) > sizeOf(shown)) shown = width;
    if (entries.every(Number.isInteger) && shown.exponent < 0) shown = { digit: 1, exponent: 0 };
    while (indexOf(last, shown) - indexOf(first, shown) >= MAX_RANGES) shown = wider(shown);
    return shown;
  },
  bound: (value) => (Number.isFinite(value) ? value : undefined),
};

const sizeOf = ({ digit, exponent }: Width): number => Number(`${digit}e${exponent}`);

/** The least width that is not below a size; 1 for 0. */
function least(size: number): Width {
  if (size <= 0) return { digit: 1, exponent: 0 };
  let width: Width = { digit: 1, exponent: Math.max(MIN_EXPONENT, Math.floor(Math.log10(size))) };
  while (sizeOf(width) < size) width = wider(width);
  return width;
}

function wider({ digit, exponent }: Width): Width {
  if (digit === 5) return { digit: 1, exponent: exponent + 1 };
  return { digit: digit === 1 ? 2 : 5, exponent };
}

const magnitude = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

function floor(value: number, width: Width): number {
  return decimal(indexOf(value, width), width) ?? value;
}

/** The number of the range that holds the value. A division may be off by its rounding. */
function indexOf(value: number, width: Width): number {
  const index = Math.floor(value / sizeOf(width));
  const [start, next] = [decimal(index, width), decimal(index + 1, width)];
  if (next !== undefined && value >= next) return index + 1;
  return start !== undefined && value < start ? index - 1 : index;
}

/**
 * The start of a range, correctly rounded; undefined when a double does not tell it from others.
 */
function decimal(index: number, { digit, exponent }: Width): number | undefined {
  const multiple = index * digit;
  return Number.isSafeInteger(multiple) ? Number(`${multiple}e${exponent}`) : undefined;
}
