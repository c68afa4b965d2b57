import { setTimeout as sleep } from 'node:timers/promises';
import type { AppConsumers } from '../apps/app-consumers.ts';
import type { Job, StepContext } from '../jobs/job-runner.ts';
import type { OutboxSignal } from '../users/outbox/outbox-signal.ts';
import type { Dispatcher } from './deliveries/dispatcher.ts';
import { createPauses, type Pauses } from './pauses.ts';

/** The least time between two looks into the outboxes, so that one look finds several events. */
const BETWEEN_LOOKS_MS = 15;
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
 * an event is delivered as soon as it is relayed. It ends while nobody listens to any app and no
 * erasure waits.
 *
 * It looks for events with growing pauses while there are none. An event that this server stores
 * ends the pause.
 */
export function createEventJob(deps: {
  consumers: Pick<AppConsumers, 'existAny'>;
  /** Erasures are announced for apps that nobody listens to any more, too. */
  erasures: { existAny(): Promise<boolean> };
  relay: () => Promise<number>;
  dispatcher: Pick<Dispatcher, 'listen' | 'step'>;
  stored: Pick<OutboxSignal, 'listen'>;
}): Job {
  const { consumers, erasures, relay, dispatcher, stored } = deps;
  const relayPauses = createPauses(BETWEEN_LOOKS_MS);
  const dispatcherPauses = createPauses();
  let isBusy = false;
  stored.listen(relayPauses.wake);
  dispatcher.listen(dispatcherPauses.wake);

  /** Repeats `work` until the step ends, with a pause while there is none. */
  async function repeat(
    work: () => Promise<number>,
    pauses: Pauses,
    { signal, stillOwner }: StepContext,
  ): Promise<void> {
    const until = performance.now() + STEP_MS;
    while (!signal.aborted && stillOwner() && performance.now() < until) {
      const begun = performance.now();
      const done = await work();
      if (done === 0) {
        await pauses.rest(until - performance.now(), signal);
        continue;
      }
      pauses.reset();
      if (isBusy) {
        const ms = Math.min((performance.now() - begun) * BUSY_PAUSE, MAX_BUSY_PAUSE_MS);
        await sleep(ms, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  return {
    name: 'events',
    everyMs: STEP_MS,
    onWake() {
      relayPauses.wake();
      dispatcherPauses.wake();
    },
    async run(context) {
      if (!(await consumers.existAny()) && !(await erasures.existAny())) return false;
      const before = performance.eventLoopUtilization();
      await Promise.all([repeat(relay, relayPauses, context), repeat(dispatcher.step, dispatcherPauses, context)]);
      isBusy = performance.eventLoopUtilization(before).utilization > BUSY_UTILIZATION;
      return true;
    },
  };
}
