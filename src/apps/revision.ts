import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import type { RevisionCollection } from './apps.model.ts';

/**
 * How long a server may rely on what it read of an app and its schema, in milliseconds from before
 * the read began. A writer commits its change, waits until every lease on the previous state has
 * expired, and only then responds. So no server uses the previous state after the response, without
 * messages between servers or a shared clock (decision 4).
 */
export const LEASE_MS = 100;

/** Timers may fire slightly early, and clocks of two machines run at slightly different rates. */
const MARGIN_MS = 20;

/** One revision covers all apps, because changes are rare. */
const REVISION_ID = 'apps';

export type AppRevision = ReturnType<typeof createAppRevision>;

/**
 * The revision: an opaque value that every change of an app or a schema replaces. While it is
 * unchanged, everything that a server read of all apps is still valid, so one small read renews all
 * of its leases (decision 12).
 */
export function createAppRevision(revisions: RevisionCollection) {
  /**
   * Replaces the revision. Resolves when the new one is committed. Values are unique instead of
   * counted: a count that a crash rolled back would be issued again and stand for two states.
   */
  async function bump(): Promise<void> {
    await revisions.updateOne({ _id: REVISION_ID }, { $set: { stamp: new ObjectId() } }, { upsert: true });
  }

  return {
    /** Resolves with the revision. No change took effect between two reads of the same value. */
    async read(): Promise<string> {
      const found = await revisions.findOne({ _id: REVISION_ID });
      return found?.stamp.toHexString() ?? 'none';
    },

    bump,

    /**
     * Bumps the revision and resolves when no server can still hold a lease on the previous state
     * ({@link LEASE_MS} and a margin later). Await it after a change is committed and before
     * responding (invariants 4 and 5).
     */
    async publish(): Promise<void> {
      await bump();
      await sleep(LEASE_MS + MARGIN_MS);
    },
  };
}
