import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { TooManyRequests } from '../core/errors.ts';
import type { SharedLimit, SharedLimits } from '../database/shared-limits.ts';

const WINDOW_MS = 15 * 60 * 1000;
/** The limit of one network over all names, as a multiple of its limit for one. */
const NETWORK_FACTOR = 3;

export type LoginLimiter = ReturnType<typeof createLoginLimiter>;

/**
 * Limits failed log-ins per network and name, and per network over all names. The
 * limit over all names bounds attempts with invented ones, each of which costs a hash, and the
 * number of keys that one network adds to the limit per name.
 *
 * @param failures the failures allowed in 15 minutes per name and network; 0 disables both limits
 */
export function createLoginLimiter(failures: number, limits: SharedLimits) {
  const ofNetwork = limits.create('log-ins of a network', failures * NETWORK_FACTOR, WINDOW_MS);
  const ofName = limits.create('log-ins', failures, WINDOW_MS);

  /** The limits that apply, each with its key. */
  const applied = (name: string, network: string): [SharedLimit, string][] =>
    failures === 0
      ? []
      : [
          [ofNetwork, network],
          [ofName, `${name} ${network}`],
        ];

  const requireNone = (waitMs: number): void => {
    if (waitMs === 0) return;
    throw new TooManyRequests('tooManyFailedLogIns', Math.ceil(waitMs / 1000));
  };

  return {
    /** Takes no time. @throws {TooManyRequests} when this process knows that a limit is reached */
    refuse(name: string, network: string): void {
      requireNone(Math.max(0, ...applied(name, network).map(([limit, key]) => limit.waitMs(key))));
    },

    /**
     * Counts an attempt before its password check, so that concurrent attempts on all servers stay
     * in the limit. Resolves with a function that undoes the count; call it at most once, after an
     * attempt that succeeded or could not be checked. Rejects when the database is away.
     * @throws {TooManyRequests} when a limit is reached; the attempt is not counted
     */
    async attempt(name: string, network: string): Promise<() => Promise<void>> {
      const undos: (() => Promise<void>)[] = [];
      const undoAll = async (): Promise<void> => void (await Promise.all(undos.map((undo) => undo())));
      try {
        for (const [limit, key] of applied(name, network)) {
          const { undo, waitMs } = await limit.take(key);
          requireNone(waitMs);
          if (undo) undos.push(undo);
        }
      } catch (error) {
        await undoAll().catch(() => undefined);
        throw error;
      }
      return undoAll;
    },
  };
}

const REFUSAL_DELAY_MS = 1_000;
/** Time that the response of a refusal needs. */
const RESPONSE_MARGIN_MS = 200;
/** Refusals that wait at the same time; a request holds about 11 kB meanwhile. */
const MAX_DELAYED = 500;

/**
 * Returns a function that waits a second before a refusal without a password check, or less when
 * the request has less time. Without it, clients that send one password after the other would keep
 * the event loop busy. At most 500 refusals are delayed at the same time, others are not.
 */
export function createRefusalDelay(wait: (ms: number) => Promise<unknown> = sleep) {
  let delayed = 0;
  return async (leftMs: number): Promise<void> => {
    const delayMs = Math.min(REFUSAL_DELAY_MS, leftMs - RESPONSE_MARGIN_MS);
    if (delayed >= MAX_DELAYED || delayMs <= 0) return;
    delayed += 1;
    await wait(delayMs);
    delayed -= 1;
  };
}

const MAX_NETWORKS = 10_000;
/** Wrong passwords after which a network counts as unknown, until its next login. */
const MAX_FAILURES = 5;
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

/** Keeps the networks with a recent login in memory. `HashingQueue` gives them priority. */
export function createKnownNetworks() {
  const networks = new LRUCache<string, { failures: number }>({ max: MAX_NETWORKS, ttl: KEEP_MS });
  return {
    /** Whether a network logged in and sent few wrong passwords since. */
    has: (network: string): boolean => (networks.get(network)?.failures ?? MAX_FAILURES) < MAX_FAILURES,
    /** Notes a login of a network, which ends its count of wrong passwords. */
    remember: (network: string): void => void networks.set(network, { failures: 0 }),
    /** Notes a session of a network, which keeps that count. */
    noteSession(network: string): void {
      if (!networks.has(network)) networks.set(network, { failures: 0 });
    },
    /** Notes a wrong password. Several end the priority. */
    noteFailure(network: string): void {
      const known = networks.peek(network);
      if (known) known.failures += 1;
    },
  };
}
