import type { mongo, Types } from 'mongoose';
import type { Logger } from '../core/logger.ts';
import type { AppOwned } from './app-owned.ts';
import type { AppCollection, DeletedAppCollection, DeletedAppDocument } from './apps.model.ts';

const MINUTE_MS = 60_000;

/** For how long a deleted app is known: longer than any server is stopped and then goes on. */
export const KEEP_TOMBSTONE_MS = 90 * 24 * 60 * MINUTE_MS;
/** For how long sweeps look for documents written late. No write stays on its way for longer. */
const SWEPT_FOR_MS = 60 * MINUTE_MS;
/** A document written late was accepted at most this long before the deletion began. */
const LATE_BY_MS = 10 * MINUTE_MS;
/** Of the interval between sweeps, the part for which a late document must have been there. */
const SIGHTED_FOR = 0.9;

/** What the server answers when an index or its collection does not exist. */
const NOTHING_TO_DROP = new Set<unknown>([26, 27]);

/** Looks once for documents that were written late for deleted apps. */
export type LateSweep = () => Promise<void>;

/**
 * Removes what a stalled database or server wrote for an app after its deletion
 * (invariant 5), and never what a restore brings back: that may put an app's records in place before the
 * app itself. So it removes documents of an app only when
 * - the tombstone names the app and the app does not exist, as read just before;
 * - nothing older than {@link LATE_BY_MS} before the deletion is there, which only a restore can bring;
 * - a sweep found such documents about one interval ago as well.
 * A tombstone whose app exists again is removed.
 *
 * @param sweepEveryMs the interval between two sweeps of one server
 */
export function createLateSweep(deps: {
  apps: AppCollection;
  deletedApps: DeletedAppCollection;
  owned: readonly AppOwned[];
  logger: Logger;
  sweepEveryMs: number;
}): LateSweep {
  const { apps, deletedApps, owned, logger, sweepEveryMs } = deps;

  const findApp = (_id: Types.ObjectId) => apps.findOne({ _id }, { projection: { deletingSince: 1 } });

  async function has(appId: Types.ObjectId, made: 'before' | 'since', time: Date): Promise<boolean> {
    for (const part of owned) if (await part.has(appId, made, time)) return true;
    return false;
  }

  async function forget({ _id, deletedAt }: DeletedAppDocument): Promise<void> {
    // Only this tombstone: the app may have been deleted again meanwhile.
    const { deletedCount } = await deletedApps.deleteOne({ _id, deletedAt });
    if (deletedCount > 0)
      logger.warn({ appId: _id }, 'an app that was deleted exists again; its deletion is forgotten');
  }

  /** Notes that there are late documents; says whether they were there about one interval ago too. */
  async function sighted(_id: Types.ObjectId): Promise<boolean> {
    // By MongoDB's clock: several servers sweep.
    await deletedApps.updateOne({ _id, lateSince: { $exists: false } }, { $currentDate: { lateSince: true } });
    const seenBefore = { $subtract: ['$$NOW', sweepEveryMs * SIGHTED_FOR] };
    return (await deletedApps.findOne({ _id, $expr: { $lte: ['$lateSince', seenBefore] } })) !== null;
  }

  async function sweepOne(tombstone: DeletedAppDocument): Promise<void> {
    const { _id, deletedAt, begunAt = deletedAt } = tombstone;
    const app = await findApp(_id);
    if (app?.deletingSince) return; // its deletion is under way
    if (app) return forget(tombstone);
    const since = new Date(begunAt.getTime() - LATE_BY_MS);
    if (await has(_id, 'before', since)) return; // a restore is under way
    if (!(await has(_id, 'since', since))) {
      if (tombstone.lateSince) await deletedApps.updateOne({ _id }, { $unset: { lateSince: 1 } });
      return;
    }
    if (!(await sighted(_id)) || (await findApp(_id))) return;
    let stragglers = 0;
    for (const part of owned) stragglers += await part.removeAll(_id, since);
    logger.warn({ stragglers }, 'removed what was written late for a deleted app');
  }

  return async () => {
    const newest = new Date(Date.now() + KEEP_TOMBSTONE_MS - SWEPT_FOR_MS);
    const due: mongo.Filter<DeletedAppDocument> = {
      $or: [{ forgetAt: { $gte: newest } }, { lateSince: { $exists: true } }],
    };
    for await (const tombstone of deletedApps.find(due)) await sweepOne(tombstone);
  };
}

/**
 * Earlier releases forgot a tombstone one hour after `deletedAt`, by an index on that field. Drops the
 * index and gives their tombstones a `forgetAt`. Can be repeated.
 */
export async function upgradeTombstones(deletedApps: DeletedAppCollection): Promise<void> {
  try {
    await deletedApps.dropIndex('deletedAt_1');
  } catch (error) {
    if (!NOTHING_TO_DROP.has((error as { code?: unknown }).code)) throw error;
  }
  const forgetAt = { $add: ['$deletedAt', KEEP_TOMBSTONE_MS] };
  await deletedApps.updateMany({ forgetAt: { $exists: false } }, [{ $set: { forgetAt } }]);
}
