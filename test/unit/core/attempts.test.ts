import { expect, it } from 'vitest';
import { limitAttempts } from '../../../src/platform/core/attempts.ts';

it('attempts a write 24 times, and then refuses with the reason that was given', () => {
  const again = limitAttempts('viewChanging', 7);
  let attempts = 0;
  const write = () => {
    for (;;) {
      attempts += 1;
      expect(again()).toBe(attempts);
    }
  };
  expect(write).toThrow(expect.objectContaining({ status: 503, code: 'viewChanging', retryAfter: 7 }));
  expect(attempts).toBe(24);
});
