import type { mongo, Types } from 'mongoose';
import { Unavailable } from '../../core/errors.ts';
import type { Logger } from '../../core/logger.ts';
import type { AppOwned } from '../app-owned.ts';
import type { AppCollection, DeletedAppCollection, DeletedAppDocument } from '../apps.model.ts';
import type { GuardOf } from './removal-guard.ts';

const MINUTE_MS = 60_000;

/** How long a tombstone is kept: longer than a server may be suspended and then resume. */
export const KEEP_TOMBSTONE_MS = 90 * 24 * 60 * MINUTE_MS;
/** How long after a deletion sweeps search for late writes. No write stays in flight longer. */
const SWEEP_FOR_MS = 60 * MINUTE_MS;
/** A late document was accepted at most this long before the deletion began. */
const LATE_BY_MS = 10 * MINUTE_MS;
/** A late document is removed once it has existed for this fraction of the sweep interval. */
const CONFIRM_AFTER_INTERVALS = 0.9;

/** MongoDB's error codes NamespaceNotFound and IndexNotFound. */
const NOT_FOUND_CODES = new Set<unknown>([26, 27]);

/** Removes late writes for deleted apps once; rejects with the driver's error. */
export type LateSweep = () => Promise<void>;

/**
 * Returns a sweep that removes what a stalled database or server wrote for an app after its
 * deletion (invariants 5 and 8, decision 14). It keeps what a restore writes, which may restore an
 * app's records before the app itself. So it removes documents of an app only when
 * - a tombstone names the app, and a read just before the removal finds no such app;
 * - no document is older than {@link LATE_BY_MS} before the deletion: only a restore writes those;
 * - a sweep about one interval ago found late documents too.
 *
 * A tombstone whose app exists again is removed.
 *
 * @param sweepEveryMs the interval between two sweeps of one server, in milliseconds
 */
export function createLateSweep(deps: {
  apps: AppCollection;
  deletedApps: DeletedAppCollection;
  owned: readonly AppOwned[];
  guardOf: GuardOf;
  logger: Logger;
  sweepEveryMs: number;
}): LateSweep {
  const { apps, deletedApps, owned, guardOf, logger, sweepEveryMs } = deps;

  const findApp = (_id: Types.ObjectId) => apps.findOne({ _id }, { projection: { deletingSince: 1 } });

  async function has(appId: Types.ObjectId, made: 'before' | 'since', time: Date): Promise<boolean> {
    for (const part of owned) if (await part.has(appId, made, time)) return true;
    return false;
  }

  async function removeTombstone({ _id, deletedAt }: DeletedAppDocument): Promise<void> {
    // By `deletedAt` too: the app may have been deleted again meanwhile.
    const { deletedCount } = await deletedApps.deleteOne({ _id, deletedAt });
    if (deletedCount > 0) logger.warn({ appId: _id }, 'a deleted app exists again; removed its tombstone');
  }

  /** Records that late documents exist. Resolves with whether they existed one interval ago too. */
  async function confirmLate(_id: Types.ObjectId): Promise<boolean> {
    // By MongoDB's clock, because several servers sweep.
    await deletedApps.updateOne({ _id, lateSince: { $exists: false } }, { $currentDate: { lateSince: true } });
    const latest = { $subtract: ['$$NOW', sweepEveryMs * CONFIRM_AFTER_INTERVALS] };
    return (await deletedApps.findOne({ _id, $expr: { $lte: ['$lateSince', latest] } })) !== null;
  }

  async function sweepOne(tombstone: DeletedAppDocument): Promise<void> {
    const { _id, deletedAt, begunAt = deletedAt } = tombstone;
    const app = await findApp(_id);
    if (app?.deletingSince) return; // a deletion is in progress
    if (app) return removeTombstone(tombstone);
    const since = new Date(begunAt.getTime() - LATE_BY_MS);
    if (await has(_id, 'before', since)) return; // a restore is in progress
    if (!(await has(_id, 'since', since))) {
      if (tombstone.lateSince) await deletedApps.updateOne({ _id }, { $unset: { lateSince: 1 } });
      return;
    }
    if (!(await confirmLate(_id)) || (await findApp(_id))) return;
    const isDeleted = guardOf(_id);
    const guard = async (): Promise<Date> => {
      const until = await isDeleted();
      if (await has(_id, 'before', since)) throw new Unavailable('The app is being restored');
      return until;
    };
    let removed = 0;
    for (const part of owned) {
      await guard();
      removed += await part.removeAll(_id, since, guard);
    }
    logger.warn({ removed }, 'removed late writes for a deleted app');
  }

  return async () => {
    const newest = { $add: ['$$NOW', KEEP_TOMBSTONE_MS - SWEEP_FOR_MS] };
    const due: mongo.Filter<DeletedAppDocument> = {
      $or: [{ $expr: { $gte: ['$forgetAt', newest] } }, { lateSince: { $exists: true } }],
    };
    for await (const tombstone of deletedApps.find(due)) await sweepOne(tombstone);
  };
}

/**
 * Migrates tombstones of earlier releases, which expired one hour after `deletedAt` by an index on
 * that field: drops the index and sets `forgetAt`. Idempotent.
 */
export async function upgradeTombstones(deletedApps: DeletedAppCollection): Promise<void> {
  try {
    await deletedApps.dropIndex('deletedAt_1');
  } catch (error) {
    if (!NOT_FOUND_CODES.has((error as { code?: unknown }).code)) throw error;
  }
  const forgetAt = { $add: ['$deletedAt', KEEP_TOMBSTONE_MS] };
  await deletedApps.updateMany({ forgetAt: { $exists: false } }, [{ $set: { forgetAt } }]);
}
