import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DEADLINE_MS, Deadline } from '../../../src/api/deadline.ts';
import { Unavailable } from '../../../src/platform/core/errors.ts';

const never = (): Promise<never> => new Promise(() => undefined);

describe.concurrent('a deadline', () => {
  it('settles like work that ends in time', async () => {
    const deadline = new Deadline();
    expect(await deadline.run(Promise.resolve('done'))).toBe('done');
    await expect(deadline.run(Promise.reject(new Error('of the work')))).rejects.toThrow('of the work');
  });

  it('rejects with Unavailable (503) when work takes too long', async () => {
    await expect(new Deadline().run(never())).rejects.toBeInstanceOf(Unavailable);
  });

  it('adds up the durations of all work of one request', async () => {
    const deadline = new Deadline();
    await deadline.run(sleep(DEADLINE_MS * 0.7));
    await expect(deadline.run(sleep(DEADLINE_MS * 0.7))).rejects.toBeInstanceOf(Unavailable);
  });

  it('does not count the time between two runs, for example while the client sends its body', async () => {
    const deadline = new Deadline();
    await sleep(DEADLINE_MS + 50);
    await deadline.run(sleep(1));
  });

  it('reports the remaining time while work runs, and 0 once it has expired', async () => {
    const deadline = new Deadline();
    expect(deadline.leftMs).toBe(DEADLINE_MS);
    const expired = deadline.run(never()).catch(() => 'over');
    await sleep(500);
    expect(deadline.leftMs).toBeLessThan(DEADLINE_MS - 400);
    expect(await expired).toBe('over');
    expect(deadline.leftMs).toBe(0);
  });

  it('ignores the outcome of late work, rejections included', async () => {
    const late = sleep(DEADLINE_MS + 100).then(() => Promise.reject(new Error('too late to matter')));
    await expect(new Deadline().run(late)).rejects.toBeInstanceOf(Unavailable);
    // An unhandled rejection would fail the run.
    await sleep(300);
  });
});
