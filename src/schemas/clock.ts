/**
 * A monotonic clock and a wall clock, in milliseconds. The monotonic clock does not jump, but on
 * most systems it stops while the machine is suspended. The wall clock includes that time, but can
 * be set.
 */
export interface Clock {
  monotonic(): number;
  wall(): number;
}

/** A point in time on both clocks. */
export interface Moment {
  monotonic: number;
  wall: number;
}

export const systemClock: Clock = { monotonic: () => performance.now(), wall: () => Date.now() };

export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.wall() };
}

/**
 * Returns whether less than `ms` milliseconds passed from one moment to another one, on both
 * clocks. A wall clock that was set by `ms` or more meanwhile makes it false. It is true when the
 * second moment is before the first one, however long.
 */
export function isWithin(ms: number, from: Moment, to: Moment): boolean {
  if (to.monotonic < from.monotonic) return true;
  return to.monotonic - from.monotonic < ms && Math.abs(to.wall - from.wall) < ms;
}
