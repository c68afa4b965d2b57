import { TooManyRequests } from '../core/errors.ts';
import { createWindowLimit } from '../core/window-limit.ts';

const WINDOW_MS = 15 * 60 * 1000;
/** What one network may fail over all apps, as a multiple of what it may fail for one. */
const NETWORK_FACTOR = 3;

/**
 * Limits the failed log-ins of one network for one app, and over all apps. Other networks are not
 * affected.
 */
export interface LoginLimiter {
  /**
   * Counts an attempt before it is checked, so that attempts sent at once cannot exceed the limit.
   *
   * @param network as `clientNetwork` gives it
   * @returns takes the attempt back, once: it was right, or it could not be checked
   * @throws {TooManyRequests} and counts nothing
   */
  attempt(sourceAppId: string, network: string): () => void;
}

/**
 * Without the limit over all apps, made-up app ids would give a client any number of attempts, each
 * of which costs a hash. It also bounds the keys that one network adds to the limit for each app.
 *
 * @param failures allowed in 15 minutes for one app and network; 0 is no limit
 */
export function createLoginLimiter(failures: number): LoginLimiter {
  if (failures === 0) return { attempt: () => () => undefined };
  const ofNetwork = createWindowLimit(failures * NETWORK_FACTOR, WINDOW_MS);
  const ofApp = createWindowLimit(failures, WINDOW_MS);
  return {
    attempt(sourceAppId, network) {
      const key = `${sourceAppId} ${network}`;
      const waitMs = Math.max(ofNetwork.waitMs(network), ofApp.waitMs(key));
      if (waitMs > 0) {
        throw new TooManyRequests('Too many failed log-ins; try again later', Math.ceil(waitMs / 1000));
      }
      const forgive = [ofNetwork.count(network), ofApp.count(key)];
      return () => {
        for (const takeBack of forgive) takeBack();
      };
    },
  };
}
