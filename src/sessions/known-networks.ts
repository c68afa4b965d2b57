import { LRUCache } from 'lru-cache';

const MAX_NETWORKS = 10_000;
const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1000;

/** The networks that logged in lately: see `HashingQueue` for what they are preferred in. */
export interface KnownNetworks {
  has(network: string): boolean;
  remember(network: string): void;
}

/** Remembers 10,000 networks for 30 days after their last log-in, in memory. */
export function createKnownNetworks(): KnownNetworks {
  const networks = new LRUCache<string, true>({ max: MAX_NETWORKS, ttl: REMEMBERED_MS });
  return {
    has: (network) => networks.has(network),
    remember: (network) => void networks.set(network, true),
  };
}
