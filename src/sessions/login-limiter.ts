import { RateLimiterMemory } from 'rate-limiter-flexible';
import { TooManyRequests } from '../errors.ts';
import { clientNetwork } from './client-network.ts';

const WINDOW_SECONDS = 15 * 60;

/** Limits the failed log-ins of one address (of IPv6, one /64) on one app; other apps and other addresses are not affected. */
export interface LoginLimiter {
  /** Counts an attempt before it is checked, so that attempts sent at once cannot slip past. @throws {TooManyRequests} */
  attempt(sourceAppId: string, address: string): Promise<void>;
  /** The attempt was right, or could not be checked: it does not count. */
  forgive(sourceAppId: string, address: string): Promise<void>;
}

/** @param failures allowed in 15 minutes; 0 is no limit */
export function createLoginLimiter(failures: number): LoginLimiter {
  if (failures === 0) return { attempt: async () => undefined, forgive: async () => undefined };
  const limiter = new RateLimiterMemory({ points: failures, duration: WINDOW_SECONDS });
  const keyOf = (sourceAppId: string, address: string): string => `${sourceAppId} ${clientNetwork(address)}`;
  return {
    async attempt(sourceAppId, address) {
      try {
        await limiter.consume(keyOf(sourceAppId, address));
      } catch (refused) {
        const waitMs = (refused as { msBeforeNext?: number }).msBeforeNext ?? WINDOW_SECONDS * 1000;
        throw new TooManyRequests('Too many failed log-ins; try again later', Math.max(1, Math.ceil(waitMs / 1000)));
      }
    },
    async forgive(sourceAppId, address) {
      await limiter.reward(keyOf(sourceAppId, address));
    },
  };
}
