import { describe, expect, it } from 'vitest';
import { Endpoint, evaluateAnswer } from '../../../src/features/webhooks/attempts.ts';
import type { DeliveryDocument } from '../../../src/features/webhooks/webhooks.model.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

describe('an endpoint that pauses', () => {
  const now = Date.now();

  it.each<[string, (endpoint: Endpoint) => void]>([
    ['because its receiver asked for it', (endpoint) => endpoint.note(false, now + 10 * MINUTE_MS, now)],
    [
      'because it failed',
      (endpoint) => {
        for (let n = 0; n < 20; n += 1) endpoint.note(false, undefined, now);
      },
    ],
  ])('%s gets attempts again after the clock was set back by an hour', (_, pause) => {
    const endpoint = new Endpoint();
    pause(endpoint);
    expect(endpoint.free(now + MINUTE_MS)).toBe(0);
    expect(endpoint.free(now - HOUR_MS)).toBe(1);
  });
});

describe('the answer of a receiver', () => {
  const now = Date.now();
  const delivery = (hoursAgo: number, attempts: number) =>
    ({ at: new Date(now - hoursAgo * HOUR_MS), attempts }) as DeliveryDocument;
  const answer = (status: number, retryAfterMs = 0) => ({ isSuccess: false, ms: 1, status, retryAfterMs });

  it('postpones a delivery for 24 hours after its event, and is a failure later', () => {
    const postponing = answer(429, 10 * MINUTE_MS);
    const within = evaluateAnswer(postponing, delivery(23, 0), now);
    expect(within).toMatchObject({ isPostponed: true, nextAt: now + 10 * MINUTE_MS });
    expect(evaluateAnswer(postponing, delivery(25, 0), now)).toMatchObject({ isPostponed: false });
    expect(evaluateAnswer(postponing, delivery(25, 9), now).nextAt).toBeUndefined();
  });

  it('is the last one after the tenth failure, and when the receiver is gone', () => {
    expect(evaluateAnswer(answer(500), delivery(0, 8), now).nextAt).toBeGreaterThan(now + 21 * HOUR_MS);
    expect(evaluateAnswer(answer(500), delivery(0, 9), now).nextAt).toBeUndefined();
    expect(evaluateAnswer(answer(410), delivery(0, 0), now)).toMatchObject({ isGone: true, nextAt: undefined });
  });
});
