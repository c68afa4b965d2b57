import { canonicalTimeZone } from '../../platform/core/identifiers.ts';

/**
 * The clock of a time zone. A local time is the number of milliseconds from 1970 at which UTC shows
 * the same date and time.
 */
export interface TimeZone {
  name: string;
  localTime(instant: number): number;
  /** Of a time that occurs twice, the earlier one; a time that clocks skip moves forward. */
  instantOf(localTime: number): number;
  /**
   * The RFC 3339 text of the instant of a local time. Its first 10 characters are the local day.
   */
  textOf(localTime: number): string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The days whose offsets are kept, for each request. */
const MAX_KNOWN = 10_000;
const OFFSET = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/;

export const UTC: TimeZone = {
  name: 'UTC',
  localTime: (instant) => instant,
  instantOf: (localTime) => localTime,
  textOf: (localTime) => new Date(localTime).toISOString(),
};

/**
 * Returns the clock of an IANA time zone. It keeps nothing for other requests: the formatters of
 * all zones would take megabytes.
 */
export function timeZoneOf(name: string): TimeZone {
  const zone = canonicalTimeZone(name) ?? 'UTC';
  if (zone === 'UTC') return UTC;
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  /** By the day in UTC; undefined on a day on which the offset changes. */
  const known = new Map<number, number | undefined>();

  const offsetAt = (instant: number): number => {
    const [, sign, hours, minutes, seconds = 0] = OFFSET.exec(format.format(instant)) ?? [];
    if (sign === undefined) return 0;
    const size = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS + Number(seconds) * 1_000;
    return sign === '-' ? -size : size;
  };

  const knownOffsetAt = (instant: number): number => {
    const day = Math.floor(instant / DAY_MS);
    if (!known.has(day)) {
      if (known.size >= MAX_KNOWN) known.clear();
      const [first, last] = [offsetAt(day * DAY_MS), offsetAt((day + 1) * DAY_MS)];
      known.set(day, first === last ? first : undefined);
    }
    return known.get(day) ?? offsetAt(instant);
  };

  const instantOf = (localTime: number): number => {
    const [before, after] = [knownOffsetAt(localTime - DAY_MS), knownOffsetAt(localTime + DAY_MS)];
    const fitting = [before, after].filter((offset) => knownOffsetAt(localTime - offset) === offset);
    return localTime - (fitting.length > 0 ? Math.max(...fitting) : before);
  };

  return {
    name: zone,
    localTime: (instant) => instant + knownOffsetAt(instant),
    instantOf,
    textOf(localTime) {
      const instant = instantOf(localTime);
      const offset = knownOffsetAt(instant);
      // RFC 3339 has no seconds in offsets, which zones had before about 1900.
      if (offset % MINUTE_MS !== 0) return new Date(instant).toISOString();
      const minutes = Math.abs(offset) / MINUTE_MS;
      const parts = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
      return `${new Date(instant + offset).toISOString().slice(0, 19)}${offset < 0 ? '-' : '+'}${parts.join(':')}`;
    },
  };
}
