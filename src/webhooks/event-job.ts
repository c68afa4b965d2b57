import { setTimeout as sleep } from 'node:timers/promises';
import type { AppConsumers } from '../apps/app-consumers.ts';
import type { Job } from '../jobs/job-runner.ts';
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

  /** Resolves after a pause, or as soon as an attempt has ended. */
  async function rest(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    dispatcher.onceFree(() => ended.abort());
    await sleep(POLL_MS, undefined, { signal: AbortSignal.any([signal, ended.signal]) }).catch(() => undefined);
  }

  return {
    name: 'events',
    everyMs: STEP_MS,
    async run({ signal, stillOwner }) {
      if (!(await consumers.existAny())) return false;
      const until = performance.now() + STEP_MS;
      while (!signal.aborted && stillOwner() && performance.now() < until) {
        const done = (await relay()) + (await dispatcher.step());
        if (done === 0) await rest(signal);
      }
      return true;
    },
  };
}
