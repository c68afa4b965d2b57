const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses before the second and each further attempt, in milliseconds (spec 4.11). */
export const RETRY_AFTER_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** Pauses differ by this part, so that the deliveries of an outage do not all come back at once. */
const JITTER = 0.1;
/** The longest pause that a `Retry-After` header may ask for. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/**
 * The pause after a failed attempt, in milliseconds; undefined after the last one.
 *
 * @param attempts the attempts so far, including the failed one
 * @param retryAfterMs what the endpoint asked for
 * @param random from 0 to 1
 */
export function pauseAfter(attempts: number, retryAfterMs = 0, random = Math.random()): number | undefined {
  const pause = RETRY_AFTER_MS[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.max(pause * (1 - JITTER + 2 * JITTER * random), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/** Reads a `Retry-After` header: seconds or a date; 0 for anything else. */
export function parseRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now;
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
