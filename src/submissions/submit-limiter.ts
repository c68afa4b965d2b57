import { clientNetwork } from '../core/client-network.ts';
import { TooManyRequests } from '../core/errors.ts';
import { createWindowLimit } from '../core/window-limit.ts';

const WINDOW_MS = 60_000;

/** Counts one submission of an address for an app. @throws {TooManyRequests} */
export type SubmitLimiter = (sourceAppId: string, address: string) => void;

/** @param perMinute submissions of one address (of IPv6, one /64) for one app; 0 is no limit */
export function createSubmitLimiter(perMinute: number): SubmitLimiter | undefined {
  if (perMinute === 0) return undefined;
  const limit = createWindowLimit(perMinute, WINDOW_MS);
  return (sourceAppId, address) => {
    const key = `${sourceAppId} ${clientNetwork(address)}`;
    const waitMs = limit.waitMs(key);
    if (waitMs > 0) throw new TooManyRequests('Too many submissions; try again later', Math.ceil(waitMs / 1000));
    limit.count(key);
  };
}
