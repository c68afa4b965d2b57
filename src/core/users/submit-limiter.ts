import { clientNetwork } from '../../platform/core/client-network.ts';
import { TooManyRequests } from '../../platform/core/errors.ts';
import { createWindowLimit } from '../../platform/core/window-limit.ts';

const WINDOW_MS = 60_000;

/** Counts one submission. `ofApp`: the app's own limit per minute. @throws {TooManyRequests} */
export type SubmitLimiter = (sourceAppId: string, address: string, ofApp?: number) => void;

/**
 * Limits submissions per app and client network. A submission waits for no other process, so each
 * process counts its own.
 *
 * @param perMinute the default limit; 0: none @param workers the processes that share each limit
 */
export function createSubmitLimiter(perMinute: number, workers = 1): SubmitLimiter {
  const limit = createWindowLimit(perMinute, WINDOW_MS);
  return (sourceAppId, address, ofApp = perMinute) => {
    if (ofApp === 0) return;
    const key = `${sourceAppId} ${clientNetwork(address)}`;
    const waitMs = limit.waitMs(key, Math.ceil(ofApp / workers));
    if (waitMs > 0) throw new TooManyRequests('tooManySubmissions', Math.ceil(waitMs / 1000));
    limit.count(key);
  };
}
