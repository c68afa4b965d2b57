import { clientNetwork } from '../core/client-network.ts';
import { TooManyRequests } from '../core/errors.ts';
import { createWindowLimit } from '../core/window-limit.ts';

const WINDOW_MS = 60_000;

/**
 * Counts one submission from an address to an app.
 *
 * @param ofApp the app's own limit per minute, if it has one
 * @throws {TooManyRequests} when it exceeds the limit
 */
export type SubmitLimiter = (sourceAppId: string, address: string, ofApp?: number) => void;

/**
 * Limits submissions per app and client network: one IPv4 address, or one IPv6 /64.
 *
 * @param perMinute the limit of apps without their own, in a window of one minute; 0 means none
 */
export function createSubmitLimiter(perMinute: number): SubmitLimiter {
  const limit = createWindowLimit(perMinute, WINDOW_MS);
  return (sourceAppId, address, ofApp = perMinute) => {
    if (ofApp === 0) return;
    const key = `${sourceAppId} ${clientNetwork(address)}`;
    const waitMs = limit.waitMs(key, ofApp);
    if (waitMs > 0) throw new TooManyRequests('Too many submissions; try again later', Math.ceil(waitMs / 1000));
    limit.count(key);
  };
}
