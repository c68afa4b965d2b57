import type { mongo, Types } from 'mongoose';
import { AppNotFound, InvalidInput, Unavailable } from '../../core/errors.ts';
import type { Logger } from '../../core/logger.ts';
import type { DatabaseClock } from '../../database/database-clock.ts';
import { beginsBefore } from '../../database/fence.ts';
import type { Job } from '../../jobs/job-runner.ts';
import type { AppOwned } from '../app-owned.ts';
import type { AppCollection, AppDocument, DeletedAppCollection } from '../apps.model.ts';
import type { AppRevision } from '../revision.ts';
import type { LateSweep } from './app-tombstones.ts';
import { KEEP_TOMBSTONE_MS } from './app-tombstones.ts';
import type { GuardOf } from './removal-guard.ts';

/** The interval between two sweeps. */
export const SWEEP_EVERY_MS = 60_000;
/** A deletion or creation of this age counts as interrupted; a younger one may be in progress. */
const ABANDONED_AFTER_MS = 60_000;

/** A deletion that is not marked this soon after its app was found is not made. */
const MARK_WITHIN_MS = 10_000;

export type AppRemoval = ReturnType<typeof createAppRemoval>;

/**
 * Deletes apps so that no write in flight survives the deletion (invariant 5). A deletion marks the
 * app, waits until no server can still hold a lease on it, removes the app's data, and removes the
 * app last. The next sweep or start finishes an interrupted deletion.
 */
export function createAppRemoval(deps: {
  apps: AppCollection;
  deletedApps: DeletedAppCollection;
  users: AppOwned;
  others: readonly AppOwned[];
  revision: AppRevision;
  sweepLate: LateSweep;
  guardOf: GuardOf;
  clock: Pick<DatabaseClock, 'read'>;
  logger: Logger;
  sweepEveryMs?: number;
}) {
  const { apps, deletedApps, users, others, revision, sweepLate, guardOf, clock, logger } = deps;
  const { sweepEveryMs = SWEEP_EVERY_MS } = deps;

  /** Resolves with the number of removed users. */
  async function removeOwned(appId: Types.ObjectId): Promise<number> {
    const guard = guardOf(appId);
    const deletedUsers = await users.removeAll(appId, undefined, guard);
    for (const part of others) {
      await guard();
      await part.removeAll(appId);
    }
    return deletedUsers;
  }

  /**
   * Removes a marked app and its data. Resolves with the number of removed users. Idempotent.
   * @param begunAt when the app was marked
   */
  async function finish(_id: Types.ObjectId, begunAt: Date): Promise<number> {
    const deletedUsers = await removeOwned(_id);
    const forgetAt = { $add: ['$$NOW', KEEP_TOMBSTONE_MS] };
    const tombstone = [{ $set: { deletedAt: '$$NOW', begunAt, forgetAt } }, { $unset: 'lateSince' }];
    // Before the app is removed: a server that was suspended then finds the app or the tombstone.
    await deletedApps.updateOne({ _id }, tombstone, { upsert: true });
    await apps.deleteOne({ _id, deletingSince: { $exists: true } });
    // A submission that wrote after the first removal and saw the app marked relies on this one.
    return deletedUsers + (await removeOwned(_id));
  }

  /**
   * Turns an interrupted creation into a deletion, after which it can be neither confirmed nor
   * taken over (app-creation.ts). Resolves with false when one of the two happened first.
   */
  async function claimCreation({ _id, credentialId }: AppDocument): Promise<boolean> {
    const claimed = await apps.updateOne({ _id, credentialId, creating: true }, { $unset: { creating: 1 } });
    return claimed.matchedCount === 1;
  }

  /** Finishes interrupted deletions and removes interrupted creations, by MongoDB's clock. */
  async function finishInterrupted(isStart: boolean): Promise<void> {
    const isAbandoned = { $lte: ['$deletingSince', { $subtract: ['$$NOW', ABANDONED_AFTER_MS] }] };
    const interrupted: mongo.Filter<AppDocument>[] = [
      { creating: { $exists: false }, ...(!isStart && { $expr: isAbandoned }) },
      { creating: true, $expr: isAbandoned },
    ];
    const found = await apps.find({ deletingSince: { $exists: true }, $or: interrupted }).toArray();
    // The server that began the deletion may have stopped before it published a revision.
    if (found.length > 0) await revision.publish();
    for (const app of found) {
      if (app.creating && !(await claimCreation(app))) continue;
      const deletedUsers = await finish(app._id, app.deletingSince ?? app._id.getTimestamp());
      const action = app.creating ? 'removed the remains of the creation' : 'finished the deletion';
      logger.warn({ deletedUsers }, `${action} of an app after an interruption`);
    }
  }

  async function sweep(isStart = false): Promise<void> {
    await finishInterrupted(isStart);
    await sweepLate();
  }

  return {
    /**
     * Deletes an app with its users, schema versions and sessions (spec 4.4). Resolves with the
     * number of deleted users. A call after a failed deletion resumes it.
     * @throws {NotFound} when there is no such app @throws {InvalidInput} when it is an admin app
     */
    async remove(sourceAppId: string): Promise<number> {
      const now = await clock.read();
      const app = await apps.findOne({ sourceAppId, creating: { $exists: false } });
      if (!app) throw new AppNotFound();
      if (app.role === 'admin') throw new InvalidInput('Admin apps cannot be deleted');
      // Not an app that was deleted and restored while this server was suspended.
      const inTime = beginsBefore(new Date(now.getTime() + MARK_WITHIN_MS));
      const mark = { $currentDate: { deletingSince: true } } as const;
      const marked = await apps.findOneAndUpdate({ _id: app._id, ...inTime }, mark, { returnDocument: 'after' });
      if (!marked?.deletingSince) throw new Unavailable();
      await revision.publish();
      return finish(app._id, marked.deletingSince);
    },

    /**
     * Runs one sweep: finishes interrupted deletions and creations, and removes late writes for
     * deleted apps.
     */
    sweep: (): Promise<void> => sweep(),

    /** Runs one sweep that treats every deletion as interrupted. Call once, before listening. */
    start: (): Promise<void> => sweep(true),

    /** The job that sweeps. A sweep that is repeated, or cut off, does no harm. */
    job: {
      name: 'deletions',
      everyMs: sweepEveryMs,
      async run() {
        await sweep();
        return false;
      },
    } satisfies Job,
  };
}
