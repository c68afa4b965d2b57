import { dayIn, type Moment } from './iso-date.ts';
import { MAX_PATTERN_STEPS, type PatternBudget } from './regex.ts';

/** What the values of one submission share while they are checked. */
interface CheckContext extends PatternBudget {
  /** When the values were sent. Absent: `today` is no bound, as in the definition of a field. */
  moment?: Moment;
}

let current: CheckContext | undefined;

/**
 * Runs a synchronous check in a context. A check of a schema gets the value only; the variable is
 * set during this call, which nothing else can interrupt.
 */
export function checkIn<Result>(context: CheckContext, run: () => Result): Result {
  const outer = current;
  current = context;
  try {
    return run();
  } finally {
    current = outer;
  }
}

/** The steps for the patterns of a check: those of {@link checkIn}, else a full budget. */
export const stepsLeft = (): PatternBudget => current ?? { steps: MAX_PATTERN_STEPS };

/** The day of the moment of a check; undefined without one. */
export const today = (): string | undefined => current?.moment && dayIn(current.moment);
