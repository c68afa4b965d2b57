import type { AppService } from '../apps/apps.service.ts';
import { type AppIndexes, isSameIndexes } from '../apps/index-slots.ts';
import { Unavailable } from '../core/errors.ts';
import type { Lease, SchemaLeases } from '../schemas/schema-leases.ts';
import { UnknownApp } from '../schemas/schemas.service.ts';
import type { UserCollection } from './record.ts';
import type { RepairRenames } from './record-moves.ts';
import type { LateWrite, RepairSlots } from './slot-records.ts';
import type { Submission } from './submission.ts';

/** The time in which a failed write may still take effect. */
const SETTLES_WITHIN_MS = 5_000;

/** A write that was checked against a lease. */
export interface CheckedWrite extends LateWrite {
  schemaVersion: number;
  /** The creation time of the record that it may have created; absent when it creates none. */
  now?: Date;
}

export type Revalidation = ReturnType<typeof createRevalidation>;

/** Checks and repairs after writes that their leases did not cover. */
export function createRevalidation(deps: {
  apps: Pick<AppService, 'stateOf'>;
  leases: Pick<SchemaLeases, 'hold'>;
  users: UserCollection;
  repairSlots: RepairSlots;
  repairRenames: RepairRenames;
}) {
  const { apps, leases, users, repairSlots, repairRenames } = deps;

  return {
    /**
     * For a submission that ended after its lease: if the app was deleted, the record may have been
     * written after the removal of its records, and is removed (invariant 5). While the app is only
     * marked as deleting, its last removal is still to come. Without a tombstone, as after a manual
     * edit, nothing is removed, and the submission is not acknowledged.
     * @param withdraw removes what the submission stored, by default the record that it created
     */
    async revalidate(
      lease: Lease,
      submission: Submission,
      withdraw: (submission: Submission) => Promise<unknown> = withdrawRecord,
    ): Promise<void> {
      if (await repairInApp(lease, submission)) return;
      const state = await apps.stateOf(submission.appId);
      if (state === 'deleted') await withdraw(submission);
      if (state === 'missing' || (state === 'live' && lease.isRevoked())) throw new Unavailable();
      if (state !== 'live') throw new UnknownApp();
    },

    /** For an edit that ended after its lease. The deletion of the app removes what it wrote. */
    async revalidateEdit(lease: Lease, edit: CheckedWrite): Promise<void> {
      if (!(await repairInApp(lease, edit)) && lease.isRevoked()) throw new Unavailable();
    },

    /**
     * For a failed write that may take effect after the deletion of the app, or after a build of an
     * index or a move of renamed fields has passed the record. Repairs that five seconds later.
     */
    settleLater({ appId, sourceAppId, email, now, slots, words, schemaVersion }: CheckedWrite, lease: Lease): void {
      if (lease.isCurrent()) return;
      // Only the necessary members, because a database failure causes many of these.
      const write = { appId, sourceAppId, email, slots, words, schemaVersion, ...(now && { now }) };
      const before = { slots: lease.app.slots, words: lease.app.words };
      setTimeout(() => void settle(write, before).catch(() => undefined), SETTLES_WITHIN_MS).unref();
    },
  };

  /**
   * Repairs the record if the app exists. A new lease of the app proves that its records were not
   * removed, because that waits for the end of every earlier lease; so all slow writes share one
   * read. A revoked lease, from a former primary, may have shown an old schema, although the write
   * reached the new one; then the write is not acknowledged (invariant 4).
   */
  async function repairInApp({ app, schemaId, isRevoked }: Lease, write: CheckedWrite): Promise<boolean> {
    const current = await leases.hold(app.sourceAppId);
    if (!current?.app.id.equals(app.id)) return false;
    if (isRevoked() && current.schemaId !== schemaId) throw new Unavailable();
    // The jobs for renamed fields and for slots may have passed the record before.
    if (current.schemaId !== schemaId) await repairRenames(write, write.schemaVersion);
    if (!isSameIndexes(current.app, app)) await repairSlots(write, app);
    return true;
  }

  async function withdrawRecord({ appId, email, now }: CheckedWrite): Promise<void> {
    if (now) await users.deleteOne({ appId, email, createdAt: now });
  }

  async function settle(write: CheckedWrite, before: AppIndexes): Promise<void> {
    const current = await leases.hold(write.sourceAppId);
    if (current?.app.id.equals(write.appId)) {
      if (current.schema.version !== write.schemaVersion) await repairRenames(write, write.schemaVersion);
      return repairSlots(write, before);
    }
    if ((await apps.stateOf(write.appId)) === 'deleted') await withdrawRecord(write);
  }
}
