import { LRUCache } from 'lru-cache';

const MAX_NETWORKS = 10_000;
/** Wrong passwords after which a network counts as unknown, until its next login. */
const MAX_FAILURES = 5;
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

/** The networks with a recent login. `HashingQueue` gives them priority. */
export interface KnownNetworks {
  /** Whether a network logged in and sent few wrong passwords since. */
  has(network: string): boolean;
  /** Notes a login of a network, which ends its count of wrong passwords. */
  remember(network: string): void;
  /** Notes a session of a network, which keeps that count. */
  noteSession(network: string): void;
  /** Notes a wrong password. A flood from a network with a login thus loses the priority. */
  noteFailure(network: string): void;
}

/** Keeps at most 10,000 networks in memory, each for 30 days after its last login. */
export function createKnownNetworks(): KnownNetworks {
  const networks = new LRUCache<string, { failures: number }>({ max: MAX_NETWORKS, ttl: KEEP_MS });
  return {
    has: (network) => (networks.get(network)?.failures ?? MAX_FAILURES) < MAX_FAILURES,
    remember: (network) => void networks.set(network, { failures: 0 }),
    noteSession(network) {
      if (!networks.has(network)) networks.set(network, { failures: 0 });
    },
    noteFailure(network) {
      const known = networks.peek(network);
      if (known) known.failures += 1;
    },
  };
}
