import { LRUCache } from 'lru-cache';
import type { ConsentState } from '../../users/users.model.ts';
import { type SentConsents, stateAfter } from './consents.ts';
import type { Submission, Written } from './submission.ts';

/** The number of persons whose record id is cached, the most recent ones: a few megabytes. */
const MAX_CACHED = 20_000;

/** The most consent fields of a submission whose state is cached with the person: bounds memory. */
const MAX_CACHED_CONSENTS = 4;

/** What this server knows of a person's record from the last submission that it stored. */
export interface CachedPerson extends Written {
  keyEpoch: number;
  /** The consents that the last submission sent. */
  consents: ConsentState | undefined;
}

/**
 * Caches the persons of the latest submissions, so that the upsert of the next one can name the
 * record. What is cached may be outdated: the filter of the upsert verifies it.
 */
export function createPersonCache() {
  const cache = new LRUCache<string, CachedPerson>({ max: MAX_CACHED });
  return {
    has: (person: string): boolean => cache.has(person),

    get: (person: string): CachedPerson | undefined => cache.get(person),

    set(person: string, { id, createdAt }: Written, sent: SentConsents | undefined, keyEpoch: number): void {
      const consents = sent && sent.entries.length <= MAX_CACHED_CONSENTS ? stateAfter(sent.entries) : undefined;
      cache.set(person, { id, createdAt, keyEpoch, consents });
    },

    delete(person: string): void {
      cache.delete(person);
    },
  };
}

/**
 * The key of a submission's person in the cache. It has the name of the app, because the app's id
 * as text costs more. The cached id of an earlier incarnation of the app matches no record.
 */
export function personOf({ sourceAppId, email }: Submission): string {
  return `${sourceAppId} ${email}`;
}
