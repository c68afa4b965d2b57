import { describe, expect, it } from 'vitest';
import { createSubmitLimiter } from '../../../../src/core/users/submit-limiter.ts';
import { createChallengeLimiter } from '../../../../src/features/bots/challenges.routes.ts';

/** Requests challenges of different apps from one address; returns how many are granted. */
function granted(limit: ReturnType<typeof createChallengeLimiter>, apps: number, address = '192.0.2.1'): number {
  return Array.from({ length: apps }, (_, index) => `app-${index}`).filter((app) => {
    try {
      limit(app, address);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ status: 429, retryAfter: expect.any(Number) });
      return false;
    }
  }).length;
}

describe('limits that workers share', () => {
  it('allow each worker its share, rounded up', () => {
    expect(granted(createChallengeLimiter(10, 4), 100)).toBe(8);
    const limit = createSubmitLimiter(10, 4);
    for (let count = 0; count < 3; count += 1) limit('shop', '192.0.2.1');
    expect(() => limit('shop', '192.0.2.1')).toThrow('Too many submissions');
    limit('raised', '192.0.2.1', 8);
    limit('raised', '192.0.2.1', 8);
    expect(() => limit('raised', '192.0.2.1', 8)).toThrow('Too many submissions');
    for (let count = 0; count < 100; count += 1) createSubmitLimiter(0, 4)('shop', '192.0.2.1');
  });
});

describe('the limit of challenges (spec 8)', () => {
  it('is, for one network over all apps, three times that for one app', () => {
    const limit = createChallengeLimiter(10);
    expect(granted(limit, 100)).toBe(30);
    expect(granted(limit, 100, '192.0.2.2')).toBe(30);
  });

  it('lets an app raise it for its own challenges, and no other app', () => {
    const limit = createChallengeLimiter(10);
    for (let count = 0; count < 50; count += 1) limit('raised', '192.0.2.1', 50);
    expect(() => limit('raised', '192.0.2.1', 50)).toThrow('Too many challenges');
    expect(granted(limit, 100)).toBe(30);
  });
});
