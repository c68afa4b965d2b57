/**
 * A point in time on a monotonic clock and on a wall clock, in milliseconds. Most monotonic clocks
 * stop while the machine is suspended; a wall clock does not, but can be set.
 */
export interface ClockReading {
  monotonic: number;
  wall: number;
}

export type Clock = () => ClockReading;

export const systemClock: Clock = () => ({ monotonic: performance.now(), wall: Date.now() });

/**
 * Returns whether less than `ms` milliseconds passed between two moments on both clocks. True when
 * the second moment is before the first one, however long.
 */
export function isWithin(ms: number, from: ClockReading, to: ClockReading): boolean {
  if (to.monotonic < from.monotonic) return true;
  return to.monotonic - from.monotonic < ms && Math.abs(to.wall - from.wall) < ms;
}
