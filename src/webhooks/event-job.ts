import { setTimeout as sleep } from 'node:timers/promises';
import type { AppConsumers } from '../apps/app-consumers.ts';
import type { Job, StepContext } from '../jobs/job-runner.ts';
import type { Dispatcher } from './deliveries/dispatcher.ts';

/** The pause between two looks for events while there is nothing to do. */
const POLL_MS = 15;
const STEP_MS = 1_000;

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

  /** Repeats `work` until the step ends, with a pause while there is none. */
  async function repeat(
    work: () => Promise<number>,
    rest: (signal: AbortSignal) => Promise<void>,
    { signal, stillOwner }: StepContext,
  ): Promise<void> {
    const until = performance.now() + STEP_MS;
    while (!signal.aborted && stillOwner() && performance.now() < until) {
      if ((await work()) === 0) await rest(signal);
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
      await Promise.all([repeat(relay, pause, context), repeat(dispatcher.step, untilWork, context)]);
      return true;
    },
  };
}
