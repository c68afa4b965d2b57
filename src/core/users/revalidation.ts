import { Unavailable } from '../../platform/core/errors.ts';
import { STATEMENT_ENDS_MS } from '../../platform/database/lateness.ts';
import type { AppService } from '../apps/apps.service.ts';
import type { Lease, SchemaLeases } from '../schemas/schema-leases.ts';
import { UnknownApp } from '../schemas/schemas.service.ts';
import type { RecordParts } from './record-part.ts';
import type { Submission } from './submission.ts';
import type { UserCollection } from './users.model.ts';
import type { CheckedWrite } from './write-part.ts';

export type Revalidation = ReturnType<typeof createRevalidation>;

/** Checks and repairs after writes that their leases did not cover. */
export function createRevalidation(deps: {
  apps: Pick<AppService, 'stateOf'>;
  leases: Pick<SchemaLeases, 'hold'>;
  users: UserCollection;
  parts: Pick<RecordParts, 'correct'>;
}) {
  const { apps, leases, users, parts } = deps;

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
     * For a failed write that may take effect after the deletion of the app, or after the job of a
     * part has passed the record. Repairs that five seconds later.
     */
    scheduleRepair({ appId, sourceAppId, email, now, schemaVersion }: CheckedWrite, lease: Lease): void {
      if (lease.isCurrent()) return;
      // Only the necessary members, because a database failure causes many of these.
      const write = { appId, sourceAppId, email, schemaVersion, ...(now && { now }) };
      setTimeout(() => void settle(write, lease.app).catch(() => undefined), STATEMENT_ENDS_MS).unref();
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
    await parts.correct(write, app, current);
    return true;
  }

  async function withdrawRecord({ appId, email, now }: CheckedWrite): Promise<void> {
    if (now) await users.deleteOne({ appId, email, createdAt: now });
  }

  async function settle(write: CheckedWrite, before: Lease['app']): Promise<void> {
    const current = await leases.hold(write.sourceAppId);
    if (current?.app.id.equals(write.appId)) return parts.correct(write, before, current);
    if ((await apps.stateOf(write.appId)) === 'deleted') await withdrawRecord(write);
  }
}
