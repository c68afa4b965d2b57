import { setTimeout as sleep } from 'node:timers/promises';
import type { AppConsumers } from '../apps/app-consumers.ts';
import type { Job, StepContext } from '../jobs/job-runner.ts';
import type { Dispatcher } from './deliveries/dispatcher.ts';

/** The pause between two looks for events while there is nothing to do. */
const POLL_MS = 15;
const STEP_MS = 1_000;
/**
 * Submissions come first: after a step in which the event loop was busy for more than this part of
 * the time, each batch is followed by a pause of a multiple of its own time.
 */
const BUSY_UTILIZATION = 0.95;
const BUSY_PAUSE = 5;
const MAX_BUSY_PAUSE_MS = 300;

/**
 * The job that takes events out of records and delivers them. Both run on the same server, so that
 * an event is delivered as soon as it is relayed. It ends while nobody listens to any app.
 */
export function createEventJob(deps: {
  consumers: Pick<AppConsumers, 'existAny'>;
  relay: () => Promise<number>;
  dispatcher: Dispatcher;
}): Job {
  const { consumers, relay, dispatcher } = deps;
  let isBusy = false;

  /** Repeats `work` until the step ends, with a pause while there is none. */
  async function repeat(
    work: () => Promise<number>,
    rest: (signal: AbortSignal) => Promise<void>,
    { signal, stillOwner }: StepContext,
  ): Promise<void> {
    const until = performance.now() + STEP_MS;
    while (!signal.aborted && stillOwner() && performance.now() < until) {
      const begun = performance.now();
      const done = await work();
      if (done === 0) await rest(signal);
      if (done > 0 && isBusy) {
        const ms = Math.min((performance.now() - begun) * BUSY_PAUSE, MAX_BUSY_PAUSE_MS);
        await sleep(ms, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async function pause(signal: AbortSignal): Promise<void> {
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }

  /** Resolves after a pause, or as soon as there may be work. */
  async function untilWork(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    dispatcher.onceWork(() => woken.abort());
    await pause(AbortSignal.any([signal, woken.signal]));
  }

  return {
    name: 'events',
    everyMs: STEP_MS,
    async run(context) {
      if (!(await consumers.existAny())) return false;
      const before = performance.eventLoopUtilization();
      await Promise.all([repeat(relay, pause, context), repeat(dispatcher.step, untilWork, context)]);
      isBusy = performance.eventLoopUtilization(before).utilization > BUSY_UTILIZATION;
      return true;
    },
  };
}
