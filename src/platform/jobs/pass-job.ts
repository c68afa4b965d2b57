import type { Job, StepContext } from './job-runner.ts';

export const STEP_MS = 500;

/**
 * Works in batches until none is left, the time is over, the runner stops or the lock is lost.
 * Resolves with whether none is left.
 * @param throttle called between batches with the time when the last one began
 */
export async function workInBatches(
  { signal, stillOwner }: StepContext,
  forMs: number,
  batch: () => Promise<boolean>,
  throttle: (begun: number, signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const until = performance.now() + forMs;
  while (!signal.aborted && stillOwner() && performance.now() < until) {
    const begun = performance.now();
    if (!(await batch())) return true;
    await throttle(begun, signal);
  }
  return false;
}

/**
 * Creates a job that processes a pass in batches. The pass is in memory: after an error, a lost
 * lock, or on another server a new one begins, which must do no harm, and find what is left.
 * @param deps.everyMs the time from the end of a pass to the next one, in milliseconds
 * @param deps.throttle called between batches with the time when the last one began
 * @param deps.advance processes a batch; resolves with whether the pass continues
 */
export function createPassJob<Pass>(deps: {
  name: string;
  everyMs: number;
  throttle(begun: number, signal: AbortSignal): Promise<void>;
  begin(): Promise<Pass>;
  advance(pass: Pass, context: StepContext): Promise<boolean>;
  end?(pass: Pass): void;
}): Job {
  const { name, everyMs, throttle, begin, advance, end } = deps;
  let pass: Pass | undefined;
  return {
    name,
    everyMs,
    async run(context) {
      const current = pass ?? (await begin());
      // After an error the next step begins a new pass.
      pass = undefined;
      const isOver = await workInBatches(context, STEP_MS, () => advance(current, context), throttle);
      if (isOver) end?.(current);
      // If the lock was lost, another server may have worked: the next step begins a new pass.
      else if (context.stillOwner()) pass = current;
      return !isOver;
    },
  };
}
