import type { RangeCount, ValueTally } from './tally.ts';

/** The most entries of a tally before its ranges become wider. */
const MAX_ENTRIES = 2_000;

/**
 * A way to divide an order into ranges. The ranges of each width after the first are unions of
 * ranges of the one before, so counts stay exact when ranges become wider.
 */
export interface Scale<Width> {
  /** The start of the range of this width that holds the value. */
  floor(value: number, width: Width): number;
  /** The start of the range after the one that begins at `start`. */
  next(start: number, width: Width): number;
  /** The width to use when `width` has too many ranges; undefined stands for single values. */
  wider(width: Width | undefined, values: Iterable<number>): Width;
  /** The width for an answer about the entries, whose ranges are unions of ranges of `width`. */
  shown(entries: readonly number[], width: Width | undefined): Width;
  /** A bound of a range in an answer; undefined when no query can name it. */
  bound(value: number, width: Width): number | string | undefined;
}

/**
 * Counts how many values lie in ranges of equal width. Keeps single values until there are too many
 * of them, then counts of ranges.
 *
 * @param read returns undefined for a value of another kind
 */
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
      return { ranges: rangesOf(merged(counts, scale, shown), scale, shown), other };
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

/** All ranges from the first to the last one that has values, also those between without any. */
function rangesOf<Width>(counts: ReadonlyMap<number, number>, scale: Scale<Width>, width: Width): RangeCount[] {
  const starts = [...counts.keys()];
  const last = Math.max(...starts);
  const ranges: RangeCount[] = [];
  for (let start = Math.min(...starts); start <= last; ) {
    const next = scale.next(start, width);
    const [from, to] = [scale.bound(start, width), scale.bound(next, width)];
    ranges.push({
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      count: counts.get(start) ?? 0,
    });
    if (next <= start) break;
    start = next;
  }
  return ranges;
}
