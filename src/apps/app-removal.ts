import type { Types } from 'mongoose';
import { InvalidInput, NotFound } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { AppChanges } from './app-changes.ts';
import type { AppOwned } from './app-owned.ts';
import type { AppCollection, DeletedAppCollection } from './apps.model.ts';

const SWEEP_EVERY_MS = 60_000;
/** A deletion that another server works on is left to it for this long. */
const ABANDONED_AFTER_MS = 60_000;

export type AppRemoval = ReturnType<typeof createAppRemoval>;

/**
 * Deletes apps so that nothing in flight outlives them (DESIGN section 3, invariant 5): mark the app as going, wait until no server can still hold
 * a lease on it, remove what it owns, and only then the app. A deletion cut short is finished by the next sweep or start.
 */
export function createAppRemoval(deps: {
  apps: AppCollection;
  deletedApps: DeletedAppCollection;
  users: AppOwned;
  others: readonly AppOwned[];
  changes: AppChanges;
  logger: Logger;
}) {
  const { apps, deletedApps, users, others, changes, logger } = deps;
  let timer: NodeJS.Timeout | undefined;

  async function removeOwned(appId: Types.ObjectId): Promise<number> {
    const deletedUsers = await users.removeAll(appId);
    for (const part of others) await part.removeAll(appId);
    return deletedUsers;
  }

  async function finish(appId: Types.ObjectId): Promise<number> {
    const deletedUsers = await removeOwned(appId);
    await deletedApps.updateOne({ _id: appId }, { $set: { deletedAt: new Date() } }, { upsert: true });
    await apps.deleteOne({ _id: appId });
    // A submission whose write came after the first removal, and saw the app still going, left its record to this one.
    return deletedUsers + (await removeOwned(appId));
  }

  /** Finishes deletions begun before `before`, and removes what was written for apps that are gone. */
  async function sweep(before: Date): Promise<void> {
    const going = await apps.find({ deletingSince: { $lte: before } }, { projection: { _id: 1 } }).toArray();
    // Whoever began the deletion may not have come this far.
    if (going.length > 0) await changes.takeEffect();
    for (const app of going) {
      const deletedUsers = await finish(app._id);
      logger.warn({ deletedUsers }, 'finished the deletion of an app that had been interrupted');
    }
    for (const gone of await deletedApps.find().toArray()) {
      const stragglers = await removeOwned(gone._id);
      if (stragglers > 0) logger.warn({ stragglers }, 'removed records written late for a deleted app');
    }
  }

  return {
    /**
     * Deletes an app with its users, schema versions and sessions; returns how many users that were (SPEC 4.4).
     * @throws {NotFound} when there is no such app @throws {InvalidInput} when it is an admin app
     */
    async remove(sourceAppId: string): Promise<number> {
      const app = await apps.findOne({ sourceAppId });
      if (!app) throw new NotFound('App not found');
      if (app.role === 'admin') throw new InvalidInput('Admin apps cannot be deleted');
      // A deletion that failed half-way is taken up again by asking once more, so one that is going is no error.
      await apps.updateOne({ _id: app._id }, { $set: { deletingSince: new Date() } });
      await changes.takeEffect();
      return finish(app._id);
    },

    /** Finishes what a crash interrupted and begins to look again every minute. Called once, before listening. */
    async start(): Promise<void> {
      await sweep(new Date());
      timer = setInterval(() => {
        sweep(new Date(Date.now() - ABANDONED_AFTER_MS)).catch((error: unknown) => {
          logger.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'could not sweep; will try again');
        });
      }, SWEEP_EVERY_MS);
      timer.unref();
    },

    stop(): void {
      clearInterval(timer);
    },
  };
}
