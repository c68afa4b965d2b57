import { setTimeout as sleep } from 'node:timers/promises';

/** Answers leave after a multiple of this time, in ms. */
const STEP_MS = 250;
/**
 * The longest step, in these times: the work before it and it end before the deadline of a request.
 */
const MAX_STEPS = 4;
/**
 * No answer waits longer, in the same: at the deadline it would be a failure
 * (platform/http/deadline.ts).
 */
const LATEST_STEPS = 8;
/**
 * How much longer a submission of a known person may take than one of a new person: it has several
 * times as many statements, and the slowest submission may be one of a new person.
 */
const LONGEST_WAY = 4;
/** How long the slowest submission counts, at least. */
const WINDOW_MS = 60_000;

export type AnswerTimes = ReturnType<typeof createAnswerTimes>;
export type AnswerTime = ReturnType<AnswerTimes['begin']>;

/**
 * Decides when the answers leave that must not tell whether an email is known (spec 4.5.5): after a
 * multiple of a step that is longer than the work for any email. The step depends on the slowest
 * submission of the last minute of this process, so that load delays the answers for all emails
 * alike. It doubles, so that it tells little about the submissions that were measured.
 *
 * @param deps.stepMs shorter in tests only
 * @param deps.now in ms, monotonic
 */
export function createAnswerTimes(
  deps: { stepMs?: number | undefined; now?: () => number; wait?: (ms: number) => Promise<unknown> } = {},
) {
  const { stepMs = STEP_MS, now = () => performance.now(), wait = sleep } = deps;
  const latest = LATEST_STEPS * stepMs;
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
    let steps = 1;
    while (steps * stepMs < longest && steps < MAX_STEPS) steps *= 2;
    return steps * stepMs;
  }

  return {
    begin() {
      const begunAt = now();
      let outsideMs = 0;
      return {
        /** Settles like `work`, whose time is the same for every email, and does not count. */
        async outside<T>(work: Promise<T>): Promise<T> {
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
          // Afterwards: the own time of a submission moves the answers of later ones. One that no
          // step hides, as when the database is away, moves none.
          if (spent < latest) slowest = Math.max(slowest, spent);
          const leaves = Math.min((Math.floor(spent / every) + 1) * every, latest);
          await wait(Math.max(0, leaves - spent));
        },
      };
    },
  };
}
