import { clientNetwork } from '../../core/client-network.ts';
import { TooManyRequests } from '../../core/errors.ts';
import { createWindowLimit } from '../../core/window-limit.ts';

const WINDOW_MS = 60_000;

/** Challenges per minute, app and client network: one for each submission of the usual limit. */
export const CHALLENGES_PER_MINUTE = 600;

/** The limit of one network over all apps, as a multiple of its limit for one app. */
const NETWORK_FACTOR = 3;

/**
 * Counts one challenge for an address and an app.
 *
 * @param submitPerMinute the app's own limit of submissions; a higher one raises this limit
 * @throws {TooManyRequests} when it exceeds the limit
 */
export type ChallengeLimiter = (sourceAppId: string, address: string, submitPerMinute?: number) => void;

/**
 * Limits challenges per app and client network, and per network over all apps, in every
 * environment. Without the second limit one network that knows the ids of 40 apps could request as
 * many as the service can make. An app with a higher limit of its own is outside of it.
 */
export function createChallengeLimiter(perMinute = CHALLENGES_PER_MINUTE): ChallengeLimiter {
  const ofApp = createWindowLimit(perMinute, WINDOW_MS);
  const ofNetwork = createWindowLimit(perMinute * NETWORK_FACTOR, WINDOW_MS);
  return (sourceAppId, address, submitPerMinute = 0) => {
    const network = clientNetwork(address);
    const key = `${sourceAppId} ${network}`;
    const isRaised = submitPerMinute > perMinute;
    const ownMs = ofApp.waitMs(key, isRaised ? submitPerMinute : perMinute);
    const waitMs = isRaised ? ownMs : Math.max(ownMs, ofNetwork.waitMs(network));
    if (waitMs > 0) throw new TooManyRequests('Too many challenges; try again later', Math.ceil(waitMs / 1000));
    ofApp.count(key);
    if (!isRaised) ofNetwork.count(network);
  };
}
