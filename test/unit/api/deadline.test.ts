import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Unavailable } from '../../../src/platform/core/errors.ts';
import { Deadline } from '../../../src/platform/http/deadline.ts';
import { endSharedServer } from '../../support/server/shared.ts';

beforeAll(endSharedServer);

const LIMIT_MS = 100;
const never = (): Promise<never> => new Promise(() => undefined);
/** Work that ends in `ms`. */
const work = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const outcome = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => error);
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

let deadline: Deadline;
beforeEach(() => {
  vi.useFakeTimers();
  deadline = new Deadline(LIMIT_MS);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a deadline', () => {
  it('settles like work that ends in time', async () => {
    expect(await deadline.run(Promise.resolve('done'))).toBe('done');
    await expect(deadline.run(Promise.reject(new Error('of the work')))).rejects.toThrow('of the work');
  });

  it('rejects with Unavailable (503) when work takes too long', async () => {
    const result = outcome(deadline.run(never()));
    await pass(LIMIT_MS - 1);
    expect(deadline.isOver).toBe(false);
    await pass(1);
    expect(await result).toBeInstanceOf(Unavailable);
  });

  it('adds up the durations of all work of one request', async () => {
    const first = deadline.run(work(70));
    await pass(70);
    await first;
    const second = outcome(deadline.run(work(70)));
    await pass(30);
    expect(await second).toBeInstanceOf(Unavailable);
  });

  it('does not count the time between two runs, for example while the client sends its body', async () => {
    await pass(2 * LIMIT_MS);
    const result = outcome(deadline.run(work(90)));
    await pass(90);
    expect(await result).toBeUndefined();
  });

  it('does not count the time in which a run waits for others', async () => {
    const waits = Promise.resolve().then(() => deadline.suspend(work(2 * LIMIT_MS)));
    const result = outcome(deadline.run(waits.then(() => work(90))));
    await pass(2 * LIMIT_MS);
    await pass(90);
    expect(await result).toBeUndefined();
    expect(deadline.leftMs).toBe(10);
  });

  it('counts the time in which the machine was suspended, and the monotonic clock stood', async () => {
    const result = outcome(deadline.run(never()));
    vi.setSystemTime(Date.now() + 60);
    expect(deadline.leftMs).toBe(40);
    await pass(LIMIT_MS);
    expect(await result).toBeInstanceOf(Unavailable);
  });

  it('reports the remaining time while work runs, and 0 once it has expired', async () => {
    expect(deadline.leftMs).toBe(LIMIT_MS);
    const expired = outcome(deadline.run(never()));
    await pass(50);
    expect(deadline.leftMs).toBe(50);
    await pass(50);
    await expired;
    expect(deadline.leftMs).toBe(0);
  });

  it('ignores the outcome of late work, rejections included', async () => {
    const late = work(LIMIT_MS + 10).then(() => Promise.reject(new Error('too late to matter')));
    const result = outcome(deadline.run(late));
    await pass(LIMIT_MS);
    expect(await result).toBeInstanceOf(Unavailable);
    // An unhandled rejection would fail the run.
    await pass(10);
  });
});
