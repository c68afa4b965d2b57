/** How often a value occurs. */
export interface ValueCount {
  value: string | boolean;
  count: number;
}

/**
 * How many values lie at `from` or above and below `to`. Absent: no bound that a query can name.
 */
export interface RangeCount {
  from?: number | string;
  to?: number | string;
  count: number;
}

/** The part of a breakdown that comes from the values of the field (spec 4.3). */
export interface TallyResult {
  values?: ValueCount[];
  ranges?: RangeCount[];
  /** Values that are in no entry. */
  other: number;
  /** There are too many different values to find the most frequent ones with certainty. */
  limited?: true;
}

/** Counts values as they are read, in bounded memory. */
export interface ValueTally {
  /** @param value any stored value that is not empty */
  add(value: unknown, times: number): void;
  result(): TallyResult;
}
