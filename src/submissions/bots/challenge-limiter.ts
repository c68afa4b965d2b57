import { clientNetwork } from '../../core/client-network.ts';
import { TooManyRequests } from '../../core/errors.ts';
import { createWindowLimit } from '../../core/window-limit.ts';

const WINDOW_MS = 60_000;

/** Challenges per minute, app and client network: one for each submission of the usual limit. */
export const CHALLENGES_PER_MINUTE = 600;

/**
 * Counts one challenge for an address and an app.
 *
 * @param submitPerMinute the app's own limit of submissions; a higher one raises this limit
 * @throws {TooManyRequests} when it exceeds the limit
 */
export type ChallengeLimiter = (sourceAppId: string, address: string, submitPerMinute?: number) => void;

/** Limits challenges per app and client network, in every environment. */
export function createChallengeLimiter(perMinute = CHALLENGES_PER_MINUTE): ChallengeLimiter {
  const limit = createWindowLimit(perMinute, WINDOW_MS);
  return (sourceAppId, address, submitPerMinute = 0) => {
    const key = `${sourceAppId} ${clientNetwork(address)}`;
    const waitMs = limit.waitMs(key, Math.max(perMinute, submitPerMinute));
    if (waitMs > 0) throw new TooManyRequests('Too many challenges; try again later', Math.ceil(waitMs / 1000));
    limit.count(key);
  };
}
