import { describe, expect, it } from 'vitest';
import { createChallengeLimiter } from '../../../../src/submissions/challenges.endpoints.ts';

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
