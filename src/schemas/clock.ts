/**
 * Two clocks, in milliseconds. The monotonic one does not jump, but on most systems it stops while the
 * machine is suspended. The wall clock counts that time, but can be set.
 */
export interface Clock {
  monotonic(): number;
  wall(): number;
}

/** A moment on both clocks. */
export interface Moment {
  monotonic: number;
  wall: number;
}

export const systemClock: Clock = { monotonic: () => performance.now(), wall: () => Date.now() };

export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.wall() };
}

/**
 * Whether less than `ms` passed from one moment to another by both clocks. A wall clock that was set, in
 * either direction, by `ms` or more makes it false.
 */
export function isWithin(ms: number, from: Moment, to: Moment): boolean {
  return to.monotonic - from.monotonic < ms && Math.abs(to.wall - from.wall) < ms;
}
