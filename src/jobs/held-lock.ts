import type { Types } from 'mongoose';
import type { StepContext } from './job.ts';
import { type JobLocks, LOCK_MS } from './job-locks.ts';

const RENEW_EVERY_MS = 1_000;
/** A lock counts as lost this long before it ends, because clocks run at different rates. */
const MARGIN_MS = 500;

/** A lock of this server. */
export interface HeldLock extends StepContext {
  /** Aborts the signal. */
  abort(): void;
  /** Ends the renewals. Resolves when none is in flight, which could take a released lock again. */
  end(): Promise<void>;
}

/**
 * Renews a lock until `end` is called.
 *
 * @param turn the turn that took it
 * @param takenAt when the call began that took it
 */
export function keepLock(locks: JobLocks, name: string, turn: Types.ObjectId, takenAt: number): HeldLock {
  const ending = new AbortController();
  let isLost = false;
  let heldSince = takenAt;
  let renewal = Promise.resolve();

  async function renew(): Promise<void> {
    const begun = performance.now();
    try {
      if (await locks.hold(name, false, turn)) heldSince = begun;
      else isLost = true;
      if (isLost) ending.abort();
    } catch {
      // The next renewal may succeed, and `stillOwner` knows the time.
    }
  }

  const timer = setInterval(() => {
    renewal = renewal.then(renew);
  }, RENEW_EVERY_MS);
  timer.unref();
  return {
    signal: ending.signal,
    stillOwner: () => !isLost && performance.now() - heldSince < LOCK_MS - MARGIN_MS,
    abort: () => ending.abort(),
    async end() {
      clearInterval(timer);
      await renewal;
    },
  };
}
