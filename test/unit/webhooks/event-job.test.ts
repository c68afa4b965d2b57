import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createOutboxSignal } from '../../../src/features/outbox/outbox.ts';
import { createEventJob } from '../../../src/features/webhooks/event-job.ts';
import { lookup } from '../../../src/platform/database/lookups.ts';
import { endSharedServer } from '../../support/server/shared.ts';

beforeAll(endSharedServer);

let stopping: AbortController;
beforeEach(() => {
  stopping = new AbortController();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now());
  // With these timers the event loop is always busy, and the job would rest in real time.
  vi.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ idle: 1, active: 0, utilization: 0 });
});
afterEach(async () => {
  stopping.abort();
  await vi.advanceTimersByTimeAsync(1_000);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Work that is always there. */
const SOME = lookup({ aggregate: () => ({ toArray: async () => [{ index: 0 }] }) } as never, {});

/** Runs the job step after step; `looks` and `steps` have the times of what it did. */
function startJob(relay: () => Promise<number> = async () => 0) {
  const looks: number[] = [];
  const steps: number[] = [];
  const stored = createOutboxSignal();
  let wakeDispatcher = (): void => undefined;
  const job = createEventJob({
    consumers: { any: SOME },
    erasures: { any: SOME },
    relay: () => {
      looks.push(Date.now());
      return relay();
    },
    dispatcher: {
      listen: (listener) => {
        wakeDispatcher = listener;
      },
      step: async () => {
        steps.push(Date.now());
        return 0;
      },
    },
    stored,
  });
  const running = (async () => {
    while (!stopping.signal.aborted) await job.run({ signal: stopping.signal, stillOwner: () => true });
  })();
  return { job, looks, steps, stored, running, wakeDispatcher: () => wakeDispatcher() };
}

/** Lets the pauses grow, and ends in the middle of one. */
const untilIdle = () => vi.advanceTimersByTimeAsync(5_200);

const gapsOf = (times: readonly number[]) => times.slice(1).map((time, index) => time - (times[index] as number));

it('looks for events and deliveries twice a second when it finds none', async () => {
  const { looks, steps } = startJob();
  await untilIdle();
  for (const times of [looks, steps]) {
    expect(gapsOf(times).slice(0, 5)).toEqual([15, 30, 60, 120, 240]);
    expect(gapsOf(times).slice(-4)).toEqual([500, 500, 500, 500]);
  }
});

it('reads at once after an event that this server stored, and then often', async () => {
  const { looks, stored } = startJob();
  await untilIdle();
  const before = looks.length;
  stored.notify();
  await vi.advanceTimersByTimeAsync(45);
  expect(gapsOf(looks.slice(before - 1))).toEqual([200, 15, 30]);
});

it('finds the events that this server stores within 15 ms with one look', async () => {
  const { looks, stored } = startJob();
  await untilIdle();
  const before = looks.length;
  for (let ms = 0; ms < 59; ms += 1) {
    stored.notify();
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(gapsOf(looks.slice(before))).toEqual([15, 15, 15]);
});

it('reads again after an event that is stored during a read', async () => {
  let end = (_found: number): void => undefined;
  const { looks, stored } = startJob(() => new Promise((resolve) => (end = resolve)));
  for (let look = 0; look < 12; look += 1) {
    end(0);
    await vi.advanceTimersByTimeAsync(500);
  }
  const before = looks.length;
  stored.notify();
  end(0);
  await vi.advanceTimersByTimeAsync(15);
  expect(looks.length).toBe(before + 1);
  end(0);
});

it('looks often after it found an event of another server', async () => {
  let waiting = 0;
  const { looks } = startJob(async () => {
    const found = waiting;
    waiting = 0;
    return found;
  });
  await untilIdle();
  const before = looks.length;
  waiting = 1;
  await vi.advanceTimersByTimeAsync(300 + 45);
  expect(gapsOf(looks.slice(before))).toEqual([0, 15, 30]);
});

it('rests five times the duration of a read that found a single event', async () => {
  const { looks } = startJob(async () => {
    await turn();
    vi.setSystemTime(Date.now() + 10);
    return 1;
  });
  // The rests are in real time. Without them there are thousands of reads.
  await sleep(500);
  expect(looks.length).toBeGreaterThan(1);
  expect(looks.length).toBeLessThan(20);
});

it('attempts a delivery at once when one is added', async () => {
  const { steps, wakeDispatcher } = startJob();
  await untilIdle();
  const before = steps.length;
  wakeDispatcher();
  await vi.advanceTimersByTimeAsync(0);
  expect(gapsOf(steps.slice(before - 1))).toEqual([200]);
});

it('reads at once when it is woken, and ends at once when it is stopped', async () => {
  const { job, looks, steps, running } = startJob();
  await untilIdle();
  const before = [looks.length, steps.length];
  job.onWake?.();
  await vi.advanceTimersByTimeAsync(0);
  expect([looks.length, steps.length]).toEqual(before.map((count) => count + 1));
  await vi.advanceTimersByTimeAsync(10_000);
  stopping.abort();
  await running;
});
