import type { ObjectId } from 'mongodb';
import { LEASE_MS } from '../../core/apps/revision.ts';
import type { SchemaModel } from '../../core/schemas/schemas.model.ts';
import { systemClock } from '../../platform/core/clock-readings.ts';
import { createSharedRead } from '../../platform/core/shared-read.ts';
import { lookup } from '../../platform/database/lookups.ts';
import type { MoveProgress, RenameCheck } from './rename-part.ts';
import { type PendingRenames, resolveRenames } from './renames.ts';

/** Apps whose values one step of the job moves at most. */
const MAX_OPEN = 200;

/** The progress before the job began. */
const NONE: MoveProgress = { done: 0, total: 0 };

export interface OpenRenames {
  appId: ObjectId;
  renames: PendingRenames;
  progress: MoveProgress;
  now: Date;
}

/** A version whose records are searched for late writes under the old keys. */
export interface DueCheck {
  appId: ObjectId;
  version: number;
  check: RenameCheck;
  now: Date;
}

export type RenamesByApp = ReadonlyMap<string, PendingRenames>;

const PENDING = { 'moving.version': { $exists: true } };

const DUE = {
  'check.at': { $exists: true },
  moving: { $exists: false },
  $expr: { $lte: ['$check.at', '$$NOW'] },
};

export type RenameStore = ReturnType<typeof createRenameStore>;

/**
 * Reads and ends the pending renames, which are in the versions of schemas (decision 22). By the
 * collection: aggregations, a pipeline, and a read on the path of a submission.
 */
export function createRenameStore(schemas: SchemaModel, leaseMs = LEASE_MS) {
  async function read(): Promise<RenamesByApp> {
    const found = schemas.collection.find(PENDING, { projection: { appId: 1, moving: 1 } });
    const byApp = new Map<string, PendingRenames>();
    for await (const { appId, moving } of found) if (moving) byApp.set(appId.toHexString(), moving);
    return byApp;
  }

  const reads = createSharedRead(read, systemClock, leaseMs);

  const ofVersion = (appId: ObjectId, { version }: PendingRenames) => ({ appId, version });

  return {
    /** Resolves with the pending renames of all apps as they are now. */
    read,

    /** Resolves with the pending renames of all apps at a time within the last {@link LEASE_MS}. */
    recent: (): Promise<RenamesByApp> => reads.asOf(systemClock()),

    /** Looks for renames that {@link open} or {@link dueChecks} would read. */
    anyOpen: [lookup(schemas.collection, PENDING), lookup(schemas.collection, DUE)],

    /** Apps with pending renames. Resolves with an empty list as a rule. */
    async open(): Promise<OpenRenames[]> {
      const apps = await schemas.collection
        .aggregate<Pick<OpenRenames, 'appId' | 'renames' | 'now'>>([
          { $match: PENDING },
          { $group: { _id: '$appId', renames: { $first: '$moving' } } },
          { $limit: MAX_OPEN },
          { $project: { _id: 0, appId: '$_id', renames: 1, now: '$$NOW' } },
        ])
        .toArray();
      const open: OpenRenames[] = [];
      for (const app of apps) {
        const found = await schemas.findOne(ofVersion(app.appId, app.renames), { projection: { progress: 1 } });
        open.push({ ...app, progress: { ...NONE, ...found?.progress } });
      }
      return open;
    },

    /** How far the pending renames of an app are; undefined when it has none. */
    async progressOf(appId: ObjectId): Promise<Pick<OpenRenames, 'renames' | 'progress'> | undefined> {
      const newest = await schemas.findOne({ appId }, { sort: { version: -1 }, projection: { moving: 1 } });
      if (!newest?.moving) return undefined;
      const found = await schemas.findOne(ofVersion(appId, newest.moving), { projection: { progress: 1 } });
      return { renames: newest.moving, progress: { ...NONE, ...found?.progress } };
    },

    /** Notes that every server knows the renames. */
    async setKnown({ appId, renames }: OpenRenames): Promise<void> {
      await schemas.collection.updateOne(ofVersion(appId, renames), [{ $set: { 'progress.knownAt': '$$NOW' } }]);
    },

    async advance({ appId, renames }: OpenRenames, progress: MoveProgress): Promise<void> {
      await schemas.updateOne(ofVersion(appId, renames), { $set: { progress } });
    },

    /** Ends the renames. @param checkAt the time of the first search for late writes */
    async finish({ appId, renames }: OpenRenames, checkAt: Date | undefined): Promise<void> {
      // First, so that a server that dies between the two leaves the renames pending.
      if (checkAt) await schemas.updateOne(ofVersion(appId, renames), { $set: { check: { at: checkAt, done: 0 } } });
      const filter = { appId, 'moving.version': renames.version };
      await schemas.updateMany(filter, { $unset: { moving: 1, progress: 1 } });
    },

    /** Renames that have ended, and after which late writes are to be searched for now. */
    dueChecks: (): Promise<DueCheck[]> =>
      schemas.collection
        .aggregate<DueCheck>([
          { $match: DUE },
          { $limit: MAX_OPEN },
          { $project: { _id: 0, appId: 1, version: 1, check: 1, now: '$$NOW' } },
        ])
        .toArray(),

    /** Notes how far a search is, unless another server has ended it. */
    async advanceCheck(
      { appId, version, check: { at, done } }: DueCheck,
      place: Pick<RenameCheck, 'part' | 'position'>,
    ): Promise<void> {
      await schemas.updateOne({ appId, version, 'check.at': at }, { $set: { check: { at, done, ...place } } });
    },

    /** Ends a search. @param at the time of the next one; undefined: none follows */
    async endCheck({ appId, version, check }: DueCheck, at: Date | undefined): Promise<void> {
      const change = at ? { $set: { check: { at, done: check.done + 1 } } } : { $unset: { check: 1 as const } };
      await schemas.updateOne({ appId, version, 'check.at': check.at }, change);
    },

    /** The renames of the versions after this one, oldest first, whether pending or not. */
    async since(appId: ObjectId, version: number): Promise<PendingRenames[]> {
      const filter = { appId, version: { $gt: version }, renames: { $exists: true } };
      const options = { projection: { version: 1, renames: 1, fields: 1 }, sort: { version: 1 } } as const;
      const found = await schemas.find(filter, options);
      return found.map(({ version: later, renames = [], fields }) => resolveRenames(later, renames, fields));
    },
  };
}
