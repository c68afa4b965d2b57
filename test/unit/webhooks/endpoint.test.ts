import { describe, expect, it } from 'vitest';
import { Endpoint } from '../../../src/outbound/webhooks/attempts.ts';

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
