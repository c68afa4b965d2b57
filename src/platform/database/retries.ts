import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../core/errors.ts';
import { withTimeout } from '../core/timeouts.ts';
import { databaseRefusal } from './failures.ts';

/** Time limit of one attempt, because its connection may never answer. */
export const ATTEMPT_MS = 1_000;
export const PAUSE_MS = 50;

/** Retries an idempotent step until `deadline` (of `performance.now()`). @throws its last error */
export async function retry<T>(attempt: () => Promise<T>, deadline: number): Promise<T> {
  for (;;) {
    try {
      return await withTimeout(attempt(), ATTEMPT_MS, () => new Unavailable());
    } catch (error) {
      const isTransient = error instanceof Unavailable || databaseRefusal(error) instanceof Unavailable;
      if (!isTransient || performance.now() >= deadline) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
