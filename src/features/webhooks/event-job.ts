import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { findAny, type Lookup } from '../../platform/database/lookups.ts';
import type { Job, StepContext } from '../../platform/jobs/job-runner.ts';
import { workInBatches } from '../../platform/jobs/pass-job.ts';
import type { AppConsumers } from '../outbox/app-consumers.ts';
import type { OutboxSignal } from '../outbox/outbox.ts';
import type { Dispatcher } from './dispatcher.ts';

const SHORTEST_MS = 15;
/** The longest wait of an event of another server. A due job also waits up to a second. */
const LONGEST_MS = 500;

type Pauses = ReturnType<typeof createPauses>;

/** Creates growing pauses between reads; a wake ends none before `leastMs`, to collect events. */
function createPauses(leastMs = 0) {
  let nextMs = SHORTEST_MS;
  let isWoken = false;
  let shorten = (): void => undefined;

  return {
    /** Ends the pause in progress, otherwise the next one: there may be work. */
    wake(): void {
      if (isWoken) return;
      isWoken = true;
      shorten();
    },

    /** Work was found: the next pause is the shortest one. */
    reset(): void {
      nextMs = SHORTEST_MS;
    },

    /** Resolves after the next pause, of at most `mostMs`, or when `signal` aborts. */
    rest(mostMs: number, signal: AbortSignal): Promise<void> {
      const ms = Math.min(nextMs, mostMs);
      const begunAt = performance.now();
      nextMs = Math.min(nextMs * 2, LONGEST_MS);
      return new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          shorten = () => undefined;
          if (isWoken) nextMs = SHORTEST_MS;
          isWoken = false;
          resolve();
        };
        const endAfter = (wantedMs: number): void => {
          clearTimeout(timer);
          const leftMs = begunAt + Math.min(wantedMs, ms) - performance.now();
          if (leftMs <= 0 || signal.aborted) end();
          else timer = setTimeout(end, leftMs);
        };
        signal.addEventListener('abort', end);
        shorten = () => endAfter(leastMs);
        endAfter(isWoken ? leastMs : ms);
      });
    },
  };
}

/** The least time between two reads of outboxes, so that one read finds several events. */
const BETWEEN_READS_MS = 15;
const STEP_MS = 1_000;
/**
 * After a batch of events the relay rests REST times its duration, so that a batch holds several:
 * the statements of a batch delay submissions. After a step in which this process was busy, the
 * dispatcher rests too, and both rest for longer.
 */
const REST = 5;
const MAX_REST_MS = 100;
const MAX_BUSY_REST_MS = 300;
const BUSY_UTILIZATION = 0.95;

export const EVENT_JOB = 'events';

/**
 * The job that relays events from records and delivers them, on one server, so that a relayed event
 * is delivered at once. It ends while no app has a consumer and no erasure waits.
 */
export function createEventJob(deps: {
  consumers: Pick<AppConsumers, 'any'>;
  /** Erasures are also announced for apps without consumers. */
  erasures: { any: Lookup };
  relay: () => Promise<number>;
  dispatcher: Pick<Dispatcher, 'listen' | 'step'>;
  stored: Pick<OutboxSignal, 'listen'>;
}): Job {
  const { consumers, erasures, relay, dispatcher, stored } = deps;
  const relayPauses = createPauses(BETWEEN_READS_MS);
  const dispatcherPauses = createPauses();
  let isBusy = false;
  stored.listen(relayPauses.wake);
  dispatcher.listen(dispatcherPauses.wake);

  const work = [consumers.any, erasures.any];

  /** Repeats `work` until the step ends, with pauses while there is none. */
  async function repeat(work: () => Promise<number>, pauses: Pauses, context: StepContext): Promise<void> {
    const until = performance.now() + STEP_MS;
    let done = 0;
    const batch = async (): Promise<boolean> => {
      done = await work();
      return true; // the next step continues
    };
    await workInBatches(context, STEP_MS, batch, async (begun, signal) => {
      if (done === 0) return pauses.rest(until - performance.now(), signal);
      pauses.reset();
      const most = isBusy ? MAX_BUSY_REST_MS : work === relay ? MAX_REST_MS : 0;
      const ms = Math.min((performance.now() - begun) * REST, most);
      if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
    });
  }

  return {
    name: EVENT_JOB,
    everyMs: STEP_MS,
    hasWork: (hasAny) => hasAny(work),
    onWake() {
      relayPauses.wake();
      dispatcherPauses.wake();
    },
    async run(context) {
      if (!(await findAny(work))) return false;
      const before = performance.eventLoopUtilization();
      await Promise.all([repeat(relay, relayPauses, context), repeat(dispatcher.step, dispatcherPauses, context)]);
      isBusy = performance.eventLoopUtilization(before).utilization > BUSY_UTILIZATION;
      return true;
    },
  };
}
