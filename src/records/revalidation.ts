import type { AppService, AppState } from '../apps/apps.service.ts';
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

/** What is kept of a failed write until it has settled. */
type SettledWrite = LateWrite & Pick<Submission, 'now' | 'schemaVersion'>;

/** Removes what a submission stored. */
type Withdraw = (submission: Submission) => Promise<unknown>;

export type Revalidation = ReturnType<typeof createRevalidation>;

/** What follows a write that its lease did not cover, because the app may have been deleted. */
export function createRevalidation(deps: {
  apps: Pick<AppService, 'stateOf'>;
  leases: SchemaLeases;
  users: Pick<UserStore, 'withdraw'>;
  repairSlots: RepairSlots;
  repairRenames: RepairRenames;
}) {
  const { apps, leases, users, repairSlots, repairRenames } = deps;

  return {
    revalidate,

    /**
     * For a failed write that may still take effect, after the app was deleted or after a build of
     * an index, or the move of renamed fields, has passed the record: corrects that five seconds
     * later.
     */
    settleLater({ appId, sourceAppId, email, now, slots, schemaVersion }: SettledWrite, lease: Lease): void {
      if (lease.isCurrent()) return;
      // Only what is needed, because a database that is away makes many of them.
      const write = { appId, sourceAppId, email, now, slots, schemaVersion };
      const before = lease.app.slots;
      setTimeout(() => void settle(write, before).catch(() => undefined), SETTLES_WITHIN_MS).unref();
    },
  };

  /**
   * For a write that ended after its lease. The app may have been deleted meanwhile, and the record
   * written after the removal of its records; then the record is removed (invariant 5).
   *
   * A new lease of the same app proves that this did not happen: records are removed only when
   * every lease from before the deletion mark has ended. So all slow writes share one read. While
   * an app is only marked as deleting, the last removal is still to come and also counts this
   * record.
   *
   * An app without a lease is looked up by its `_id`. Only a tombstone causes a removal. If the app
   * is missing without a tombstone (renamed or restored by a manual edit), nothing is removed, and
   * the submission is not acknowledged.
   *
   * A revoked lease came from a former primary and may have shown an old schema, although the write
   * went to the new primary. If the schema differs, the submission is not acknowledged (invariant
   * 4).
   */
  async function revalidate(
    { app, schemaId, isRevoked }: Lease,
    submission: Submission,
    withdraw: Withdraw = withdrawRecord,
  ): Promise<void> {
    const current = await leases.hold(app.sourceAppId);
    if (current?.app.id.equals(app.id)) {
      if (isRevoked() && current.schemaId !== schemaId) throw new Unavailable();
      // The job that moves renamed fields, or a build of an index, may have passed the record
      // before this write.
      if (current.schemaId !== schemaId) await repairRenames(submission, submission.schemaVersion);
      if (!isSameSlots(current.app.slots, app.slots)) await repairSlots(submission, app.slots);
      return;
    }
    const state = await withdrawFromDeleted(submission, withdraw);
    if (state === 'missing' || (state === 'live' && isRevoked())) throw new Unavailable();
    if (state !== 'live') throw new UnknownApp();
  }

  /** Removes what a submission stored, if a tombstone names its app. */
  async function withdrawFromDeleted(submission: Submission, withdraw: Withdraw): Promise<AppState> {
    const state = await apps.stateOf(submission.appId);
    if (state === 'deleted') await withdraw(submission);
    return state;
  }

  /**
   * Removes the record that a submission created. A record that the submission only changed is
   * removed by the deletion itself.
   */
  function withdrawRecord({ appId, email, now }: Submission): Promise<void> {
    return users.withdraw({ appId, email, createdAt: now });
  }

  async function settle(write: SettledWrite, before: Lease['app']['slots']): Promise<void> {
    const current = await leases.hold(write.sourceAppId);
    if (current?.app.id.equals(write.appId)) {
      if (current.schema.version !== write.schemaVersion) await repairRenames(write, write.schemaVersion);
      return repairSlots(write, before);
    }
    const state = await apps.stateOf(write.appId);
    if (state === 'deleted') await users.withdraw({ ...write, createdAt: write.now });
  }
}
