import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { type Lookup, lookup } from '../../platform/database/lookups.ts';
import type { RevisionModel } from './apps.model.ts';

/**
 * How long a server may use what it read of an app and its schema, in milliseconds from before the
 * read. A writer commits, waits until every lease on the previous state has expired, and then
 * responds: without messages between servers or a shared clock (decision 4).
 */
export const LEASE_MS = 100;

/** A part of the lease: timers may fire early, and the rates of clocks differ slightly. */
const MARGIN = 0.2;

/** One revision covers all apps, because changes are rare. */
const REVISION_ID = 'apps';
/** What is read before the first change. */
const NONE = 'none';

export type AppRevision = ReturnType<typeof createAppRevision>;

/**
 * The revision: an opaque value that every change of an app or a schema replaces. While it is
 * unchanged, one small read renews all leases of a server (decision 4).
 * @param leaseMs that of every server on the database; shorter in tests only
 */
export function createAppRevision(revisions: RevisionModel, leaseMs = LEASE_MS) {
  /** Replaces the revision. A count, unlike a unique value, could be repeated after a rollback. */
  async function bump(): Promise<void> {
    await revisions.updateOne({ _id: REVISION_ID }, { $set: { value: new ObjectId() } }, { upsert: true });
  }

  return {
    /** Resolves with the revision. Between two equal values no change took effect. */
    async read(): Promise<string> {
      // By the collection: on the path of a submission.
      const found = await revisions.collection.findOne({ _id: REVISION_ID });
      return found?.value.toHexString() ?? NONE;
    },

    /** Looks for a revision that is not the one that was read. */
    changedSince: (read: string): Lookup =>
      lookup(revisions.collection, { _id: REVISION_ID, ...(read !== NONE && { value: { $ne: new ObjectId(read) } }) }),

    bump,

    /**
     * Await it after a change is committed and before the response (invariants 4 and 5): then no
     * server can hold a lease on the previous state.
     */
    async publish(): Promise<void> {
      // The change is committed, so every server has to notice it.
      await bump().catch(bump);
      await sleep(leaseMs * (1 + MARGIN));
    },
  };
}
