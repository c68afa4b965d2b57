import { parseDateTime, toZoned } from '@internationalized/date';
import { canonicalTimeZone } from '../../platform/core/identifiers.ts';

/**
 * Returns a function that converts a valid local time of an IANA time zone to an RFC 3339 date-time
 * with its offset (spec 2.7, rule 6); undefined for an unknown zone. Of a time that occurs twice,
 * the earlier one; a time that clocks skip moves forward by the length of the gap. An offset that
 * is not a whole number of minutes, as before about 1900, becomes UTC.
 */
export function toInstantIn(timeZone: string): ((localText: string) => string) | undefined {
  // The library keeps a formatter for each name, and only canonical names are few.
  const zone = canonicalTimeZone(timeZone);
  if (zone === undefined) return undefined;
  return (localText) => {
    const instant = toZoned(parseDateTime(localText), zone, 'compatible');
    if (instant.offset % 60_000 !== 0) return instant.toAbsoluteString();
    return instant.toString().replace(/\[.*/, '');
  };
}
