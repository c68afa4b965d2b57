import type { Job, StepContext } from './job-runner.ts';

/** How long a step works. */
const STEP_MS = 500;

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
      const { signal, stillOwner } = context;
      const until = performance.now() + STEP_MS;
      pass ??= await begin();
      const current = pass;
      try {
        while (!signal.aborted && stillOwner() && performance.now() < until) {
          const begun = performance.now();
          if (await advance(current, context)) {
            await rest(begun, signal);
            continue;
          }
          end?.(current);
          pass = undefined;
          return false;
        }
      } catch (error) {
        pass = undefined;
        throw error;
      }
      // Another server may have worked meanwhile if the lock was lost: begin again then.
      if (!stillOwner()) pass = undefined;
      return true;
    },
  };
}
