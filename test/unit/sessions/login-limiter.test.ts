import { describe, expect, it } from 'vitest';
import { TooManyRequests } from '../../../src/core/errors.ts';
import { createLoginLimiter } from '../../../src/sessions/login-limiter.ts';

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
