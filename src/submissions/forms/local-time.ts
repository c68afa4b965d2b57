import { parseDateTime, toZoned } from '@internationalized/date';
import { canonicalTimeZone } from '../../core/time-zone.ts';

/**
 * Returns a function that converts a local time of a time zone, such as `2026-01-31T08:30:00`, to
 * an RFC 3339 date-time with its offset (spec 2.7, rule 6). Returns undefined when `timeZone` is
 * not an IANA name. The text must be valid in the calendar.
 *
 * A time that occurs twice, because clocks are set back, is the earlier of the two. A time that
 * does not occur, because clocks are set forward, moves forward by the length of the gap. An offset
 * that is not a whole number of minutes, as in zones before about 1900, becomes UTC.
 */
export function toInstantIn(timeZone: string): ((localText: string) => string) | undefined {
  // The library keeps a formatter for each name that it is given. There are a few hundred canonical
  // ones, but any number of ways to write them in upper and lower case.
  const zone = canonicalTimeZone(timeZone);
  if (zone === undefined) return undefined;
  return (localText) => {
    const instant = toZoned(parseDateTime(localText), zone, 'compatible');
    if (instant.offset % 60_000 !== 0) return instant.toAbsoluteString();
    return instant.toString().replace(/\[.*$/, '');
  };
}
