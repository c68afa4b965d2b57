import type { AppService } from '../../apps/apps.service.ts';
import { type AppIndexes, isSameIndexes, isWritten, keepsWords } from '../../apps/index-slots.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import type { RenameStore } from '../../schemas/pending-renames.ts';
import type { Lease, SchemaLeases } from '../../schemas/schema-leases.ts';
import { UnknownApp } from '../../schemas/schemas.service.ts';
import type { SlotRecords } from '../indexes/slot-records.ts';
import type { WordRecords } from '../indexes/word-records.ts';
import type { UserCollection, UserDocument } from '../stored/record.ts';
import type { RecordMoves } from '../stored/record-moves.ts';
import type { Submission } from './submission.ts';

/** The time in which a failed write may still take effect. */
const SETTLES_WITHIN_MS = 5_000;
const MAX_ATTEMPTS = 24;

/** A write that was checked against a lease, and may have ended after it. */
export interface CheckedWrite extends Pick<UserDocument, 'appId' | 'sourceAppId' | 'email' | 'schemaVersion'> {
  /** The creation time of the record that it may have created; absent when it creates none. */
  now?: Date;
}

export type Revalidation = ReturnType<typeof createRevalidation>;

/** Checks and repairs after writes that their leases did not cover. */
export function createRevalidation(deps: {
  apps: Pick<AppService, 'stateOf'>;
  leases: Pick<SchemaLeases, 'hold'>;
  users: UserCollection;
  renamesSince: RenameStore['since'];
  moves: Pick<RecordMoves, 'one'>;
  slotRecords: Pick<SlotRecords, 'correct'>;
  words: Pick<WordRecords, 'complete' | 'clear'>;
}) {
  const { apps, leases, users, renamesSince, moves, slotRecords, words } = deps;

  /** Moves the record, if the job passed it before. Versions store finished renames too. */
  async function repairRenames({ appId, email, schemaVersion }: CheckedWrite): Promise<void> {
    for (const renames of await renamesSince(appId, schemaVersion)) await moves.one({ appId, email }, renames);
  }

  /**
   * Corrects the slots and the words of the record, because a build may have passed it.
   * @param before the indexes of the write's lease @throws {Unavailable} when they keep changing
   */
  async function repairIndexes(write: CheckedWrite, before: AppIndexes): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const lease = await leases.hold(write.sourceAppId);
      // Another incarnation has other records; those of this one are being removed.
      if (!lease?.app.id.equals(write.appId)) return;
      if (isSameIndexes(lease.app, before)) return;
      const current = (lease.app.slots ?? []).filter(isWritten);
      const unused = (before.slots ?? [])
        .filter((use) => isWritten(use) && !current.some(({ slot }) => slot === use.slot))
        .map(({ slot }) => slot);
      const { slotEpoch = 0 } = lease.app;
      const isIndexed = keepsWords(lease.app);
      const isRepaired =
        (await slotRecords.correct(write, current, unused, slotEpoch)) &&
        (isIndexed
          ? await words.complete(write, slotEpoch)
          : !keepsWords(before) || (await words.clear(write, slotEpoch)));
      if (isRepaired && lease.isCurrent()) return;
    }
    throw new Unavailable();
  }

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
    scheduleRepair({ appId, sourceAppId, email, now, schemaVersion }: CheckedWrite, lease: Lease): void {
      if (lease.isCurrent()) return;
      // Only the necessary members, because a database failure causes many of these.
      const write = { appId, sourceAppId, email, schemaVersion, ...(now && { now }) };
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
    if (current.schemaId !== schemaId) await repairRenames(write);
    if (!isSameIndexes(current.app, app)) await repairIndexes(write, app);
    return true;
  }

  async function withdrawRecord({ appId, email, now }: CheckedWrite): Promise<void> {
    if (now) await users.deleteOne({ appId, email, createdAt: now });
  }

  async function settle(write: CheckedWrite, before: AppIndexes): Promise<void> {
    const current = await leases.hold(write.sourceAppId);
    if (current?.app.id.equals(write.appId)) {
      if (current.schema.version !== write.schemaVersion) await repairRenames(write);
      return repairIndexes(write, before);
    }
    if ((await apps.stateOf(write.appId)) === 'deleted') await withdrawRecord(write);
  }
}
