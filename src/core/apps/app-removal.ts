import type { Filter, ObjectId } from 'mongodb';
import { AppNotFound, InvalidInput, Unavailable } from '../../platform/core/errors.ts';
import type { Logger } from '../../platform/core/logger.ts';
import { beginsBefore, type DatabaseClock, type Until } from '../../platform/database/clock.ts';
import { READ_HOLDS_MS } from '../../platform/database/lateness.ts';
import type { RemovalGuard } from '../../platform/database/removal.ts';
import type { Job } from '../../platform/jobs/job-runner.ts';
import type { AppOwned } from '../feature.ts';
import type { AppDocument } from './app.ts';
import type { AppModel, DeletedAppDocument, DeletedAppModel } from './apps.model.ts';
import type { AppRevision } from './revision.ts';

interface RemovalDeps {
  apps: AppModel;
  deletedApps: DeletedAppModel;
  users: AppOwned;
  others(): readonly AppOwned[];
  revision: AppRevision;
  clock: Pick<DatabaseClock, 'read'>;
  logger: Logger;
  sweepEveryMs?: number | undefined;
}

type GuardOf = (appId: ObjectId) => RemovalGuard;

/**
 * Creates the guards of removals. While a server that removes an app is suspended, another one may
 * finish the deletion, and an operator may restore the app with its `_id`. The guard then rejects,
 * and earlier statements begin too late to remove anything (invariant 8).
 */
function createRemovalGuard({ apps, deletedApps, clock }: RemovalDeps): GuardOf {
  return (_id) => async () => {
    const now = await clock.read();
    const app = await apps.findOne({ _id }, { projection: { deletingSince: 1 } });
    // The tombstone is written before the app is removed.
    const mayBeRemoved = app ? app.deletingSince !== undefined : (await deletedApps.findOne({ _id })) !== null;
    if (!mayBeRemoved) throw new Unavailable('appIsBack');
    return new Date(now.getTime() + READ_HOLDS_MS);
  };
}

const SWEEP_EVERY_MS = 60_000;
/** A deletion or creation of this age is interrupted; a younger one may be in progress. */
const ABANDONED_AFTER_MS = 60_000;

export type AppRemoval = ReturnType<typeof createAppRemoval>;

/**
 * Deletes apps so that no write in flight survives (invariant 5): marks the app, waits until no
 * server can hold a lease on it, removes its data, and removes the app last. The next sweep or
 * start finishes an interrupted deletion.
 */
export function createAppRemoval(deps: RemovalDeps) {
  const { apps, deletedApps, users, others, revision, logger, sweepEveryMs = SWEEP_EVERY_MS } = deps;
  const guardOf = createRemovalGuard(deps);
  const sweepLate = createLateSweep(deps, sweepEveryMs, guardOf);

  async function removeOwned(appId: ObjectId): Promise<number> {
    const guard = guardOf(appId);
    await guard();
    const deletedUsers = await users.removeAll(appId, undefined, guard);
    for (const part of others()) await part.removeAll(appId, undefined, guard);
    return deletedUsers;
  }

  /** Removes a marked app and its data; resolves with the number of users. Idempotent. */
  async function finish(_id: ObjectId, begunAt: Date): Promise<number> {
    const deletedUsers = await removeOwned(_id);
    const marked = { _id, deletingSince: { $exists: true } };
    const forgetAt = { $add: ['$$NOW', KEEP_TOMBSTONE_MS] };
    // Before the app is removed: a server that was suspended finds one of the two. MongoDB reads
    // the mark in the same statement: the app may be restored meanwhile. By the collection: a
    // cursor.
    await apps.collection
      .aggregate([
        { $match: marked },
        { $project: { deletedAt: '$$NOW', begunAt: { $literal: begunAt }, forgetAt } },
        { $merge: { into: deletedApps.collection.collectionName, whenMatched: 'replace' } },
      ])
      .toArray();
    await apps.deleteOne(marked);
    // For a submission that wrote after the first removal and saw the mark.
    return deletedUsers + (await removeOwned(_id));
  }

  /** Makes an interrupted creation a deletion; false when it was confirmed or taken over first. */
  async function claimCreation({ _id, credentialId }: AppDocument): Promise<boolean> {
    const claimed = await apps.updateOne({ _id, credentialId, creating: true }, { $unset: { creating: 1 } });
    return claimed.matchedCount === 1;
  }

  async function finishInterrupted(isStart: boolean): Promise<void> {
    const isAbandoned = { $lte: ['$deletingSince', { $subtract: ['$$NOW', ABANDONED_AFTER_MS] }] };
    const interrupted: Filter<AppDocument>[] = [
      { creating: { $exists: false }, ...(!isStart && { $expr: isAbandoned }) },
      { creating: true, $expr: isAbandoned },
    ];
    const found = await apps.find({ deletingSince: { $exists: true }, $or: interrupted });
    // The server that began the deletion may have stopped before it published a revision.
    if (found.length > 0) await revision.publish();
    for (const app of found) {
      if (app.creating && !(await claimCreation(app))) continue;
      const deletedUsers = await finish(app._id, app.deletingSince ?? app._id.getTimestamp());
      const action = app.creating ? 'removed the remains of the creation' : 'finished the deletion';
      logger.warn({ deletedUsers }, `${action} of an app after an interruption`);
    }
  }

  /** Finishes interrupted deletions and creations, and removes late writes for deleted apps. */
  async function sweep(isStart: boolean): Promise<void> {
    await finishInterrupted(isStart);
    await sweepLate();
  }

  return {
    /**
     * Deletes an app with all its data (spec 4.4), or resumes that; resolves with its user count.
     * @throws {NotFound} @throws {InvalidInput} when it is an admin app
     */
    async remove(sourceAppId: string, until: Until): Promise<number> {
      const app = await apps.findOne({ sourceAppId, creating: { $exists: false } });
      if (!app) throw new AppNotFound();
      if (app.role === 'admin') throw new InvalidInput('adminAppStays');
      // Not an app that was deleted and restored while this server was suspended.
      const inTime = beginsBefore(await until());
      const mark = { $currentDate: { deletingSince: true } } as const;
      const marked = await apps.findOneAndUpdate({ _id: app._id, ...inTime }, mark, { returnDocument: 'after' });
      if (!marked?.deletingSince) throw new Unavailable();
      await revision.publish();
      return finish(app._id, marked.deletingSince);
    },

    /** Runs a sweep that treats every deletion as interrupted. Call once, before listening. */
    start: (): Promise<void> => sweep(true),

    /** The job that sweeps. A repeated or aborted sweep does no harm. */
    job: {
      name: 'deletions',
      everyMs: sweepEveryMs,
      async run() {
        await sweep(false);
        return false;
      },
    } satisfies Job,
  };
}

const MINUTE_MS = 60_000;

/** How long a tombstone is kept: longer than a server may be suspended. */
const KEEP_TOMBSTONE_MS = 90 * 24 * 60 * MINUTE_MS;
/** How long after a deletion late writes are searched for: longer than one stays in flight. */
const SWEEP_FOR_MS = 60 * MINUTE_MS;
/** The most time from the acceptance of a late document to the start of the deletion. */
const LATE_BY_MS = 10 * MINUTE_MS;
/** A late document is removed after this fraction of the sweep interval. */
const CONFIRM_AFTER_INTERVALS = 0.9;

/**
 * Returns a sweep that removes what a stalled database or server wrote for an app after its
 * deletion (invariants 5 and 8, decision 14). A restore may write records before their app, so it
 * removes documents of an app only when
 * - a tombstone names the app, and a read just before the removal finds no such app;
 * - no document is older than {@link LATE_BY_MS} before the deletion: only a restore writes those;
 * - a sweep about one interval ago found late documents too.
 * It removes a tombstone whose app exists again.
 */
function createLateSweep(
  { apps, deletedApps, users, others, logger }: RemovalDeps,
  sweepEveryMs: number,
  guardOf: GuardOf,
): () => Promise<void> {
  const owned = (): readonly AppOwned[] => [users, ...others()];

  const findApp = (_id: ObjectId) => apps.findOne({ _id }, { projection: { deletingSince: 1 } });

  async function has(appId: ObjectId, made: 'before' | 'since', time: Date): Promise<boolean> {
    for (const part of owned()) if (await part.has(appId, made, time)) return true;
    return false;
  }

  async function removeTombstone({ _id, deletedAt }: DeletedAppDocument): Promise<void> {
    // By `deletedAt` too: the app may have been deleted again meanwhile.
    const { deletedCount } = await deletedApps.deleteOne({ _id, deletedAt });
    if (deletedCount > 0) logger.warn({ appId: _id }, 'a deleted app exists again; removed its tombstone');
  }

  /** Records that late documents exist; resolves with whether they did one interval ago. */
  async function confirmLate(_id: ObjectId): Promise<boolean> {
    // By MongoDB's clock, because several servers sweep.
    await deletedApps.updateOne({ _id, lateSince: { $exists: false } }, { $currentDate: { lateSince: true } });
    const latest = { $subtract: ['$$NOW', sweepEveryMs * CONFIRM_AFTER_INTERVALS] };
    return (await deletedApps.findOne({ _id, $expr: { $lte: ['$lateSince', latest] } })) !== null;
  }

  async function sweepOne(tombstone: DeletedAppDocument): Promise<void> {
    const { _id, begunAt } = tombstone;
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
      if (await has(_id, 'before', since)) throw new Unavailable('appIsReturning');
      return until;
    };
    let removed = 0;
    for (const part of owned()) removed += await part.removeAll(_id, since, guard);
    logger.warn({ removed }, 'removed late writes for a deleted app');
  }

  return async () => {
    const newest = { $add: ['$$NOW', KEEP_TOMBSTONE_MS - SWEEP_FOR_MS] };
    const due: Filter<DeletedAppDocument> = {
      $or: [{ $expr: { $gte: ['$forgetAt', newest] } }, { lateSince: { $exists: true } }],
    };
    for (const tombstone of await deletedApps.find(due)) await sweepOne(tombstone);
  };
}
