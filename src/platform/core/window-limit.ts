import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Longer keys are replaced by their hash. */
const MAX_KEY_LENGTH = 200;

/**
 * Counts events by key in fixed windows, in bounded memory: a limit of `max` events in `windowMs`
 * milliseconds for each key. A window begins with its first event. At most `maxKeys` keys are kept;
 * the least recently used one is evicted first.
 */
export function createWindowLimit(max: number, windowMs: number, maxKeys = 50_000) {
  const windows = new LRUCache<string, { events: number }>({
    // With `max`, the cache would allocate its arrays for all keys at once: 2 MB for each limit.
    maxSize: maxKeys,
    sizeCalculation: () => 1,
    ttl: windowMs,
    ttlResolution: 0,
  });
  return {
    /** Milliseconds until `key` may be counted again; 0 below its limit. `ofKey`: its own limit */
    waitMs(key: string, ofKey = max): number {
      const short = bounded(key);
      const events = windows.get(short)?.events ?? 0;
      return events < ofKey ? 0 : Math.max(1, windows.getRemainingTTL(short));
    },

    /** Counts one event of `key`. Call the result at most once to take the event back. */
    count(key: string): () => void {
      const short = bounded(key);
      const window = windows.get(short) ?? { events: 0 };
      if (window.events === 0) windows.set(short, window);
      window.events += 1;
      return () => {
        window.events -= 1;
        if (window.events === 0 && windows.peek(short) === window) windows.delete(short);
      };
    },

    /** The number of keys in memory. */
    get size(): number {
      return windows.size;
    },
  };
}

/** With a trusted proxy an address comes from a header, so its length is not bounded elsewhere. */
function bounded(key: string): string {
  return key.length <= MAX_KEY_LENGTH ? key : createHash('sha256').update(key).digest('base64url');
}
