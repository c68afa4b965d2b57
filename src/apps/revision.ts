import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import type { RevisionCollection } from './apps.model.ts';

/**
 * For how long a server may rely on what it read of an app and its schema, in milliseconds from before the read began. Whoever changes either
 * commits, waits until every lease on the old state has run out, and only then answers: so no server can hold it any more,
 * without a message between servers or a shared clock (decision 4).
 */
export const LEASE_MS = 100;

/** Timers may fire a little early, and clocks of two machines run a little apart. */
const MARGIN_MS = 20;

/** There is one stamp for all apps: changes are rare. */
const OF_ALL_APPS = 'apps';

export type AppRevision = ReturnType<typeof createAppRevision>;

/**
 * The stamp that every change of an app or a schema renews. While a server finds it unchanged, all that it read of apps is still true; so one small read renews its leases on all of them
 * (docs/decisions/0012-change-stamp.md).
 */
export function createAppRevision(revisions: RevisionCollection) {
  /** Each stamp is a new one, and no counter: a count that a crash took back would come again, and then stand for two states. */
  async function bump(): Promise<void> {
    await revisions.updateOne({ _id: OF_ALL_APPS }, { $set: { stamp: new Types.ObjectId() } }, { upsert: true });
  }

  return {
    /** The stamp now. Equal ones mean that between the two reads no change took effect. */
    async read(): Promise<string> {
      const found = await revisions.findOne({ _id: OF_ALL_APPS });
      return found?.stamp.toHexString() ?? 'never changed';
    },

    bump,

    /** To be awaited after a change was committed and before it is answered: resolves when no server can still hold a lease on what was before. */
    async publish(): Promise<void> {
      await bump();
      await sleep(LEASE_MS + MARGIN_MS);
    },
  };
}
