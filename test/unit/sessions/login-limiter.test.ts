import { describe, expect, it } from 'vitest';
import { TooManyRequests } from '../../../src/core/errors.ts';
import { createLoginLimiter } from '../../../src/sessions/login-limiter.ts';

const FAILURES = 3;

describe('the limit of failed log-ins', () => {
  it('is for one app and network', () => {
    const limiter = createLoginLimiter(FAILURES);
    for (let failed = 0; failed < FAILURES; failed += 1) limiter.attempt('shop', 'here');
    expect(() => limiter.attempt('shop', 'here')).toThrow(TooManyRequests);
    limiter.attempt('other', 'here');
    limiter.attempt('shop', 'elsewhere');
  });

  // Item 11: made-up app ids were never limited.
  it('is also for one network over all apps, whatever ids are made up', () => {
    const limiter = createLoginLimiter(FAILURES);
    for (let failed = 0; failed < 3 * FAILURES; failed += 1) limiter.attempt(`made-up-${failed}`, 'here');
    for (let more = 0; more < 100; more += 1) {
      expect(() => limiter.attempt(`more-${more}`, 'here')).toThrow(TooManyRequests);
    }
    limiter.attempt('shop', 'elsewhere');
  });

  it('does not count for the network what it refuses for one app', () => {
    const limiter = createLoginLimiter(FAILURES);
    for (let failed = 0; failed < FAILURES; failed += 1) limiter.attempt('shop', 'here');
    for (let more = 0; more < 100; more += 1) {
      expect(() => limiter.attempt('shop', 'here')).toThrow(TooManyRequests);
    }
    limiter.attempt('other', 'here');
  });

  it('does not count what is forgiven', () => {
    const limiter = createLoginLimiter(FAILURES);
    for (let right = 0; right < 100; right += 1) limiter.attempt(`app-${right % 2}`, 'here')();
    for (let failed = 0; failed < FAILURES; failed += 1) limiter.attempt('shop', 'here');
    expect(() => limiter.attempt('shop', 'here')).toThrow(TooManyRequests);
  });

  it('says when to try again, within 15 minutes', () => {
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

  it('is off at 0', () => {
    const limiter = createLoginLimiter(0);
    for (let count = 0; count < 1_000; count += 1) limiter.attempt('shop', 'here');
  });
});
