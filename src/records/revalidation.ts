import type { AppService } from '../apps/apps.service.ts';
import { isSameSlots } from '../apps/index-slots.ts';
import { Unavailable } from '../core/errors.ts';
import type { Lease, SchemaLeases } from '../schemas/schema-leases.ts';
import { UnknownApp } from '../schemas/schemas.service.ts';
import type { RepairRenames } from './record-moves.ts';
import type { LateWrite, RepairSlots } from './slot-records.ts';
import type { Submission } from './submission.ts';
import type { UserStore } from './user-store.ts';

/** How long a failed write may still take effect, in milliseconds after its failure. */
const SETTLES_WITHIN_MS = 5_000;

/** A write of a record that was checked against a version of the schema. */
interface CheckedWrite extends LateWrite {
  schemaVersion: number;
  /** The time of creation of the record that it may have created; absent: it creates none. */
  now?: Date;
}

export type Revalidation = ReturnType<typeof createRevalidation>;

/** What follows a write that its lease did not cover, because the app may have been deleted. */
export function createRevalidation(deps: {
  apps: Pick<AppService, 'stateOf'>;
  leases: Pick<SchemaLeases, 'hold'>;
  users: Pick<UserStore, 'withdraw'>;
  repairSlots: RepairSlots;
  repairRenames: RepairRenames;
}) {
  const { apps, leases, users, repairSlots, repairRenames } = deps;

  return {
    /**
     * For a submission that ended after its lease. The app may have been deleted meanwhile, and the
     * record written after the removal of its records; then the record is removed (invariant 5).
     *
     * While an app is only marked as deleting, the last removal is still to come and also counts
     * this record. An app without a lease is looked up by its `_id`. Only a tombstone causes a
     * removal. If the app is missing without a tombstone (renamed or restored by a manual edit),
     * nothing is removed, and the submission is not acknowledged.
     *
     * @param withdraw removes what the submission stored, by default the record that it created.
     *   One that it only changed is removed by the deletion itself
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

    /**
     * For an edit that ended after its lease. It creates no record, so the deletion of the app
     * removes what it wrote.
     */
    async revalidateEdit(lease: Lease, edit: CheckedWrite): Promise<void> {
      if (!(await repairInApp(lease, edit)) && lease.isRevoked()) throw new Unavailable();
    },

    /**
     * For a failed write that may still take effect, after the app was deleted or after a build of
     * an index, or the move of renamed fields, has passed the record: corrects that five seconds
     * later.
     */
    settleLater({ appId, sourceAppId, email, now, slots, schemaVersion }: CheckedWrite, lease: Lease): void {
      if (lease.isCurrent()) return;
      // Only what is needed, because a database that is away makes many of them.
      const write = { appId, sourceAppId, email, slots, schemaVersion, ...(now && { now }) };
      const before = lease.app.slots;
      setTimeout(() => void settle(write, before).catch(() => undefined), SETTLES_WITHIN_MS).unref();
    },
  };

  /**
   * Repairs the record if the app of the lease still exists. A new lease of the same app proves
   * that its records were not removed meanwhile: that happens only when every lease from before the
   * deletion mark has ended. So all slow writes share one read.
   *
   * A revoked lease came from a former primary and may have shown an old schema, although the write
   * went to the new primary. If the schema differs, the write is not acknowledged (invariant 4).
   */
  async function repairInApp({ app, schemaId, isRevoked }: Lease, write: CheckedWrite): Promise<boolean> {
    const current = await leases.hold(app.sourceAppId);
    if (!current?.app.id.equals(app.id)) return false;
    if (isRevoked() && current.schemaId !== schemaId) throw new Unavailable();
    // The job that moves renamed fields, or a build of an index, may have passed the record before
    // this write.
    if (current.schemaId !== schemaId) await repairRenames(write, write.schemaVersion);
    if (!isSameSlots(current.app.slots, app.slots)) await repairSlots(write, app.slots);
    return true;
  }

  async function withdrawRecord({ appId, email, now }: CheckedWrite): Promise<void> {
    if (now) await users.withdraw({ appId, email, createdAt: now });
  }

  async function settle(write: CheckedWrite, before: Lease['app']['slots']): Promise<void> {
    const current = await leases.hold(write.sourceAppId);
    if (current?.app.id.equals(write.appId)) {
      if (current.schema.version !== write.schemaVersion) await repairRenames(write, write.schemaVersion);
      return repairSlots(write, before);
    }
    if ((await apps.stateOf(write.appId)) === 'deleted') await withdrawRecord(write);
  }
}
