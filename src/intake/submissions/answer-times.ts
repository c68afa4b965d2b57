import { setTimeout as sleep } from 'node:timers/promises';

/** Answers leave after a multiple of this time, in ms. */
const STEP_MS = 250;
/** The longest step. It and the work before it end before the deadline of a request. */
const MAX_STEP_MS = 1_000;
/** No answer waits longer: at the deadline it would be a failure (api/deadline.ts). */
const LATEST_MS = 2_000;
/** A submission of a known person has up to this many times the statements of one of a new person. */
const LONGEST_WAY = 4;
/** How long the slowest submission counts, at least. */
const WINDOW_MS = 60_000;

export type AnswerTimes = ReturnType<typeof createAnswerTimes>;
export type AnswerTime = ReturnType<AnswerTimes['begin']>;

/**
 * Decides when the answers leave that must not tell whether an email is known (spec 4.5.5): after a
 * multiple of a step that the slowest of the ways stays within. The step follows the slowest
 * submission of the last minute, whichever way it took, times what the longest way takes more: so
 * a load that only one way would show moves the answers of all. It doubles, so that it does not
 * show which way was measured.
 *
 * @param now in ms, monotonic
 */
export function createAnswerTimes(
  now: () => number = () => performance.now(),
  wait: (ms: number) => Promise<unknown> = sleep,
) {
  let slowest = 0;
  let slowestBefore = 0;
  let windowEndsAt = now() + WINDOW_MS;

  function turnWindow(at: number): void {
    if (at < windowEndsAt) return;
    slowestBefore = at < windowEndsAt + WINDOW_MS ? slowest : 0;
    slowest = 0;
    windowEndsAt = at + WINDOW_MS;
  }

  function step(): number {
    const longest = Math.max(slowest, slowestBefore) * LONGEST_WAY;
    let ms = STEP_MS;
    while (ms < longest && ms < MAX_STEP_MS) ms *= 2;
    return ms;
  }

  return {
    begin() {
      const begunAt = now();
      let outsideMs = 0;
      return {
        /** Settles like `work`, whose time is the same for every email, and does not count. */
        async outside<T>(work: T | Promise<T>): Promise<T> {
          const from = now();
          try {
            return await work;
          } finally {
            outsideMs += now() - from;
          }
        },

        /** Resolves when the answer may leave. */
        async end(): Promise<void> {
          const at = now();
          const spent = at - begunAt - outsideMs;
          turnWindow(at);
          const every = step();
          // Afterwards: the own time of a submission moves the answers of later ones. One that no step
          // hides, as when the database is away, moves none.
          if (spent < LATEST_MS) slowest = Math.max(slowest, spent);
          const leaves = Math.min((Math.floor(spent / every) + 1) * every, LATEST_MS);
          await wait(Math.max(0, leaves - spent));
        },
      };
    },
  };
}
