import { LRUCache } from 'lru-cache';

const MAX_NETWORKS = 10_000;
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

/** The networks with a recent login. `HashingQueue` gives them priority. */
export interface KnownNetworks {
  has(network: string): boolean;
  remember(network: string): void;
}

/** Keeps at most 10,000 networks in memory, each for 30 days after its last login. */
export function createKnownNetworks(): KnownNetworks {
  const networks = new LRUCache<string, true>({ max: MAX_NETWORKS, ttl: KEEP_MS });
  return {
    has: (network) => networks.has(network),
    remember: (network) => void networks.set(network, true),
  };
}
