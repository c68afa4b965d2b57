import type { mongo, Types } from 'mongoose';
import { InvalidInput, NotFound } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { AppOwned } from './app-owned.ts';
import type { LateSweep } from './app-tombstones.ts';
import { KEEP_TOMBSTONE_MS } from './app-tombstones.ts';
import type { AppCollection, AppDocument, DeletedAppCollection } from './apps.model.ts';
import type { AppRevision } from './revision.ts';

/** How often a server sweeps. */
export const SWEEP_EVERY_MS = 60_000;
/** A deletion that another server works on is left to it for this long, and so is a creation. */
const ABANDONED_AFTER_MS = 60_000;

export type AppRemoval = ReturnType<typeof createAppRemoval>;

/**
 * Deletes apps so that nothing in flight outlives them (invariant 5): mark the app as going, wait until no server can still hold
 * a lease on it, remove what it owns, and only then the app. A deletion cut short is finished by the next sweep or start.
 */
export function createAppRemoval(deps: {
  apps: AppCollection;
  deletedApps: DeletedAppCollection;
  users: AppOwned;
  others: readonly AppOwned[];
  revision: AppRevision;
  sweepLate: LateSweep;
  logger: Logger;
  sweepEveryMs?: number;
}) {
  const { apps, deletedApps, users, others, revision, sweepLate, logger, sweepEveryMs = SWEEP_EVERY_MS } = deps;
  let timer: NodeJS.Timeout | undefined;

  async function removeOwned(appId: Types.ObjectId): Promise<number> {
    const deletedUsers = await users.removeAll(appId);
    for (const part of others) await part.removeAll(appId);
    return deletedUsers;
  }

  /** @param begunAt when the app was marked */
  async function finish(_id: Types.ObjectId, begunAt: Date): Promise<number> {
    const deletedUsers = await removeOwned(_id);
    const deletedAt = new Date();
    const tombstone = { deletedAt, begunAt, forgetAt: new Date(deletedAt.getTime() + KEEP_TOMBSTONE_MS) };
    // Before the app goes: a server that was stopped meanwhile finds the one or the other.
    await deletedApps.updateOne({ _id }, { $set: tombstone, $unset: { lateSince: 1 } }, { upsert: true });
    await apps.deleteOne({ _id, deletingSince: { $exists: true } });
    // A submission whose write came after the first removal, and saw the app still going, left its record to this one.
    return deletedUsers + (await removeOwned(_id));
  }

  /**
   * Makes a creation that was cut short a deletion, so that it can neither be confirmed nor taken over
   * any more (app-creation.ts), unless one of the two was quicker.
   */
  async function claimCreation({ _id, credentialId }: AppDocument): Promise<boolean> {
    const claimed = await apps.updateOne({ _id, credentialId, creating: true }, { $unset: { creating: 1 } });
    return claimed.matchedCount === 1;
  }

  /** Finishes deletions begun before `before`, and creations that were cut short. */
  async function finishInterrupted(before: Date): Promise<void> {
    const abandoned = new Date(Date.now() - ABANDONED_AFTER_MS);
    const interrupted: mongo.Filter<AppDocument>[] = [
      { creating: { $exists: false }, deletingSince: { $lte: before } },
      { creating: true, deletingSince: { $lte: abandoned } },
    ];
    const going = await apps.find({ $or: interrupted }).toArray();
    // Whoever began the deletion may not have come this far.
    if (going.length > 0) await revision.publish();
    for (const app of going) {
      if (app.creating && !(await claimCreation(app))) continue;
      const deletedUsers = await finish(app._id, app.deletingSince ?? new Date());
      const what = app.creating ? 'removed what a creation left' : 'finished the deletion';
      logger.warn({ deletedUsers }, `${what} of an app that had been interrupted`);
    }
  }

  async function sweep(before = new Date(Date.now() - ABANDONED_AFTER_MS)): Promise<void> {
    await finishInterrupted(before);
    await sweepLate();
  }

  return {
    /**
     * Deletes an app with its users, schema versions and sessions; returns how many users that were (spec 4.4).
     * @throws {NotFound} when there is no such app @throws {InvalidInput} when it is an admin app
     */
    async remove(sourceAppId: string): Promise<number> {
      const app = await apps.findOne({ sourceAppId, creating: { $exists: false } });
      if (!app) throw new NotFound('App not found');
      if (app.role === 'admin') throw new InvalidInput('Admin apps cannot be deleted');
      // A deletion that failed half-way is taken up again by asking once more, so one that is going is no error.
      const begunAt = new Date();
      await apps.updateOne({ _id: app._id }, { $set: { deletingSince: begunAt } });
      await revision.publish();
      return finish(app._id, begunAt);
    },

    /** Looks once for what crashes interrupted and for what was written late for deleted apps. */
    sweep,

    /** Finishes what a crash interrupted and begins to look again every minute. Called once, before listening. */
    async start(): Promise<void> {
      await sweep(new Date());
      timer = setInterval(() => {
        sweep().catch((error: unknown) => {
          logger.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'could not sweep; will try again');
        });
      }, sweepEveryMs);
      timer.unref();
    },

    stop(): void {
      clearInterval(timer);
    },
  };
}
