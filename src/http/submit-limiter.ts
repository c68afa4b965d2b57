import { RateLimiterMemory } from 'rate-limiter-flexible';
import { TooManyRequests } from '../errors.ts';
import { clientNetwork } from '../sessions/client-network.ts';

/** Counts one submission of an address for an app. @throws {TooManyRequests} */
export type SubmitLimiter = (sourceAppId: string, address: string) => Promise<void>;

/** @param perMinute submissions of one address (of IPv6, one /64) for one app; 0 is no limit */
export function createSubmitLimiter(perMinute: number): SubmitLimiter | undefined {
  if (perMinute === 0) return undefined;
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return async (sourceAppId, address) => {
    try {
      await limiter.consume(`${sourceAppId} ${clientNetwork(address)}`);
    } catch (refused) {
      const waitMs = (refused as { msBeforeNext?: number }).msBeforeNext ?? 60_000;
      throw new TooManyRequests('Too many submissions; try again later', Math.max(1, Math.ceil(waitMs / 1000)));
    }
  };
}
