import type { Job, StepContext } from './job-runner.ts';

/** How long a step works. */
export const STEP_MS = 500;

/**
 * The loop of a step: works in batches until nothing is left, the time is over, the runner stops or
 * the lock is lost. Resolves with whether nothing is left.
 *
 * @param batch resolves with whether more is left
 * @param rest called between batches with the time when the last one began
 */
export async function workInBatches(
  { signal, stillOwner }: StepContext,
  forMs: number,
  batch: () => Promise<boolean>,
  rest: (begun: number, signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const until = performance.now() + forMs;
  while (!signal.aborted && stillOwner() && performance.now() < until) {
    const begun = performance.now();
    if (!(await batch())) return true;
    await rest(begun, signal);
  }
  return false;
}

/**
 * Creates a job that works through a pass in batches. The pass is held in memory: a server that
 * takes over begins a new one, and so does this server after an error or when it lost the lock. So
 * a pass that is begun again must do no harm, and must find what is left.
 *
 * @param deps.everyMs the time from the end of a pass to the next one, in milliseconds
 * @param deps.rest called between batches with the time when the last one began
 * @param deps.advance works on a batch; resolves with whether the pass goes on
 * @param deps.end called at the end of each pass
 */
export function createPassJob<Pass>(deps: {
  name: string;
  everyMs: number;
  rest(begun: number, signal: AbortSignal): Promise<void>;
  begin(): Promise<Pass>;
  advance(pass: Pass, context: StepContext): Promise<boolean>;
  end?(pass: Pass): void;
}): Job {
  const { name, everyMs, rest, begin, advance, end } = deps;
  let pass: Pass | undefined;
  return {
    name,
    everyMs,
    async run(context) {
      const current = pass ?? (await begin());
      // After an error the next step begins a new pass.
      pass = undefined;
      const isOver = await workInBatches(context, STEP_MS, () => advance(current, context), rest);
      if (isOver) end?.(current);
      // Another server may have worked meanwhile if the lock was lost: begin again then.
      else if (context.stillOwner()) pass = current;
      return !isOver;
    },
  };
}
