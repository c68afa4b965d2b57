import { Unavailable } from '../../core/errors.ts';

/** Memory for all bodies that are being received, in bytes. */
const BODY_MEMORY = 128 * 1024 * 1024;
const MAX_PLACES = 1_024;
const MIN_PLACES = 8;
/** Share of the places that one client network may hold: 256 of 1,024. */
const NETWORK_SHARE = 1 / 4;
/** Shorter than the request deadline, so that the error message names the reason. */
const MAX_WAIT_MS = 1_000;

interface Waiting {
  network: string;
  resolve(): void;
}

/**
 * Limits the number of request bodies that are received at the same time. Each takes up to the body
 * limit in memory until it is complete. A body that arrived together with its headers needs no
 * place.
 */
export interface BodyPlaces {
  /**
   * Takes a place for a client network. Returns undefined if one is free, otherwise a promise that
   * resolves when this caller has one.
   * @throws {Unavailable} after one second without a place, or at once when too many requests wait
   */
  enter(network: string): Promise<void> | undefined;
  /** Releases a place. */
  leave(network: string): void;
}

/**
 * @param bodyLimit maximum size of one body in bytes
 * @param maxWaitMs how long a request may wait for a place
 */
export function createBodyPlaces(bodyLimit: number, maxWaitMs = MAX_WAIT_MS): BodyPlaces {
  const places = Math.min(MAX_PLACES, Math.max(MIN_PLACES, Math.floor(BODY_MEMORY / bodyLimit)));
  const perNetwork = places * NETWORK_SHARE;
  const held = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let total = 0;

  const heldBy = (network: string): number => held.get(network) ?? 0;
  const hasRoom = (network: string): boolean => total < places && heldBy(network) < perNetwork;
  const waitingOf = (network: string): number => {
    let count = 0;
    for (const other of waiting) if (other.network === network) count += 1;
    return count;
  };

  function take(network: string): void {
    total += 1;
    held.set(network, heldBy(network) + 1);
  }

  /**
   * A waiting request holds the bytes that arrived with its headers, so the same limits apply to
   * waiting requests.
   */
  async function wait(network: string): Promise<void> {
    if (waiting.size >= places || waitingOf(network) >= perNetwork) throw tooMany();
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      const entry: Waiting = { network, resolve };
      waiting.add(entry);
      timer = setTimeout(() => {
        // If the place was given in the same turn, the entry is no longer waiting.
        if (waiting.delete(entry)) reject(tooMany());
      }, maxWaitMs);
    }).finally(() => clearTimeout(timer));
  }

  return {
    enter(network) {
      if (!hasRoom(network)) return wait(network);
      take(network);
      return undefined;
    },

    leave(network) {
      total -= 1;
      const left = heldBy(network) - 1;
      if (left > 0) held.set(network, left);
      else held.delete(network);
      for (const entry of waiting) {
        if (total >= places) return;
        if (!hasRoom(entry.network)) continue;
        waiting.delete(entry);
        take(entry.network);
        entry.resolve();
      }
    },
  };
}

function tooMany(): Unavailable {
  return new Unavailable('Too many requests are being received; try again shortly', 1);
}
