import { describe, expect, it } from 'vitest';
import { TooManyRequests } from '../../../src/core/errors.ts';
import { createLoginLimiter, createRefusalDelay } from '../../../src/sessions/sessions.service.ts';

const FAILURES = 3;

describe('the limit of failed log-ins (spec 8)', () => {
  it('applies to one app and network', () => {
    const limiter = createLoginLimiter(FAILURES);
    for (let failed = 0; failed < FAILURES; failed += 1) limiter.attempt('shop', 'here');
    expect(() => limiter.attempt('shop', 'here')).toThrow(TooManyRequests);
    limiter.attempt('other', 'here');
    limiter.attempt('shop', 'elsewhere');
  });

  it('applies to one network over all apps, also for ids of apps that do not exist', () => {
    const limiter = createLoginLimiter(FAILURES);
    for (let failed = 0; failed < 3 * FAILURES; failed += 1) limiter.attempt(`made-up-${failed}`, 'here');
    for (let more = 0; more < 100; more += 1) {
      expect(() => limiter.attempt(`more-${more}`, 'here')).toThrow(TooManyRequests);
    }
    limiter.attempt('shop', 'elsewhere');
  });

  it('does not count attempts that it refuses for one app against the network', () => {
    const limiter = createLoginLimiter(FAILURES);
    for (let failed = 0; failed < FAILURES; failed += 1) limiter.attempt('shop', 'here');
    for (let more = 0; more < 100; more += 1) {
      expect(() => limiter.attempt('shop', 'here')).toThrow(TooManyRequests);
    }
    limiter.attempt('other', 'here');
  });

  it('does not count successful attempts', () => {
    const limiter = createLoginLimiter(FAILURES);
    for (let count = 0; count < 100; count += 1) limiter.attempt(`app-${count % 2}`, 'here')();
    for (let failed = 0; failed < FAILURES; failed += 1) limiter.attempt('shop', 'here');
    expect(() => limiter.attempt('shop', 'here')).toThrow(TooManyRequests);
  });

  it('reports the time until the next attempt, at most 15 minutes', () => {
    const limiter = createLoginLimiter(1);
    limiter.attempt('shop', 'here');
    try {
      limiter.attempt('shop', 'here');
      expect.unreachable();
    } catch (error) {
      expect((error as TooManyRequests).retryAfter).toBeGreaterThan(0);
      expect((error as TooManyRequests).retryAfter).toBeLessThanOrEqual(15 * 60);
    }
  });

  it('is disabled by 0', () => {
    const limiter = createLoginLimiter(0);
    for (let count = 0; count < 1_000; count += 1) limiter.attempt('shop', 'here');
  });
});

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
