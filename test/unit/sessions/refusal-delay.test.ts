import { describe, expect, it } from 'vitest';
import { createRefusalDelay } from '../../../src/platform/log-ins/log-in-limits.ts';

describe('the delay of refusals', () => {
  /** A delay whose waits end with `end`; `waits` has their milliseconds. */
  function start() {
    const waits: number[] = [];
    const ends: (() => void)[] = [];
    const delay = createRefusalDelay((ms) => {
      waits.push(ms);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
    return { delay, waits, end: () => ends.shift()?.() };
  }

  it('is a second, and ends before the deadline of the request', async () => {
    const { delay, waits, end } = start();
    const delays = [2_500, 1_200, 700, 201].map(delay);
    expect(waits).toEqual([1_000, 1_000, 500, 1]);
    for (const _ of delays) end();
    await Promise.all(delays);
    await delay(200);
    await delay(0);
    expect(waits).toHaveLength(delays.length);
  });

  it('applies to 500 refusals at the same time', async () => {
    const { delay, waits, end } = start();
    const [first] = Array.from({ length: 500 }, () => delay(2_500));
    await delay(2_500);
    expect(waits).toHaveLength(500);
    end();
    await first;
    void delay(2_500);
    expect(waits).toHaveLength(501);
  });
});
