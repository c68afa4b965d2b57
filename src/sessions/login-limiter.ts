import { setTimeout as sleep } from 'node:timers/promises';
import { TooManyRequests } from '../core/errors.ts';
import { createWindowLimit } from '../core/window-limit.ts';

const WINDOW_MS = 15 * 60 * 1000;
/** The limit of one network over all apps, as a multiple of its limit for one app. */
const NETWORK_FACTOR = 3;

/** Limits failed logins per network and app, and per network over all apps. */
export interface LoginLimiter {
  /**
   * Counts an attempt before its password check, so that concurrent attempts stay in the limit.
   *
   * @param network the client's network, as `clientNetwork` returns it
   * @returns a function that undoes the count; call it at most once, after an attempt that
   * succeeded or could not be checked
   * @throws {TooManyRequests} when a limit is reached; the attempt is not counted
   */
  attempt(sourceAppId: string, network: string): () => void;
}

/**
 * Creates the limiter. Without the limit over all apps, a client could make any number of attempts
 * with invented app ids, and each attempt costs a hash. That limit also bounds the number of keys
 * that one network adds to the limit per app.
 *
 * @param failures the failures allowed in 15 minutes per app and network; 0 disables both limits
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
      const undoCounts = [ofNetwork.count(network), ofApp.count(key)];
      return () => {
        for (const undo of undoCounts) undo();
      };
    },
  };
}

/** How long a log-in waits before its refusal. */
const REFUSAL_DELAY_MS = 1_000;
/** Time that the response of a refusal needs. */
const RESPONSE_MARGIN_MS = 200;
/** Refusals that wait at the same time; a request holds about 11 kB meanwhile. */
const MAX_DELAYED = 500;

/**
 * Resolves when a log-in may be refused: a second later, or earlier when the request has less time.
 * @param leftMs milliseconds until the request's deadline
 */
export type DelayRefusal = (leftMs: number) => Promise<void>;

/**
 * Creates the delay of refusals without a password check. Clients that send the next password when
 * the one before is refused would otherwise use the event loop fully, because such a refusal takes
 * less than a millisecond. At most 500 refusals are delayed at the same time, others are not.
 *
 * @param wait waits for some milliseconds
 */
export function createRefusalDelay(wait: (ms: number) => Promise<unknown> = sleep): DelayRefusal {
  let delayed = 0;
  return async (leftMs) => {
    const delayMs = Math.min(REFUSAL_DELAY_MS, leftMs - RESPONSE_MARGIN_MS);
    if (delayed >= MAX_DELAYED || delayMs <= 0) return;
    delayed += 1;
    await wait(delayMs);
    delayed -= 1;
  };
}
