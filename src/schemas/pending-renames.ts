import { ObjectId } from 'mongodb';
import type { AppDocument, AppModel } from '../apps/apps.model.ts';
import { type IndexSlot, ofEpoch, renamedSlots } from '../apps/index-slots.ts';
import { LEASE_MS } from '../apps/revision.ts';
import { type PendingRenames, type Rename, resolveRenames } from '../fields/renames.ts';
import { limitAttempts } from '../platform/core/attempts.ts';
import { typedFilter } from '../platform/database/filters.ts';
import { lookup } from '../platform/database/lookups.ts';
import { type ClockReading, isWithin, systemClock } from './schema-leases.ts';
import type { MoveProgress, RenameCheck, SchemaModel } from './schemas.model.ts';

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
  let known: { from: ClockReading; renames: Promise<RenamesByApp> } | undefined;

  async function read(): Promise<RenamesByApp> {
    const found = schemas.collection.find(PENDING, { projection: { appId: 1, moving: 1 } });
    const byApp = new Map<string, PendingRenames>();
    for await (const { appId, moving } of found) if (moving) byApp.set(appId.toHexString(), moving);
    return byApp;
  }

  const ofVersion = (appId: ObjectId, { version }: PendingRenames) => ({ appId, version });

  return {
    /** Resolves with the pending renames of all apps as they are now. */
    read,

    /** Resolves with the pending renames of all apps at a time within the last {@link LEASE_MS}. */
    recent(): Promise<RenamesByApp> {
      const now = systemClock();
      if (!known || !isWithin(leaseMs, known.from, now)) {
        const entry = { from: now, renames: read() };
        known = entry;
        entry.renames.catch(() => {
          if (known === entry) known = undefined;
        });
      }
      return known.renames;
    },

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

const AT_ONCE = new Date(0);

export type SlotHandover = ReturnType<typeof createSlotHandover>;

/** Passes the index slots of renamed fields on to their new keys (decision 22). */
export function createSlotHandover(apps: AppModel) {
  /** Replaces the slots of an app, if they did not change since they were read, in a new epoch. */
  async function change(appId: ObjectId, changed: (slots: IndexSlot[], since: number) => IndexSlot[]): Promise<void> {
    for (const again = limitAttempts(); ; again()) {
      const found = await apps.findOne({ _id: appId }, { projection: { slots: 1, slotEpoch: 1 } });
      const { slots, slotEpoch = 0 } = found ?? {};
      if (!slots) return;
      const next = changed(slots, slotEpoch + 1);
      if (next.every((slot, index) => slot === slots[index])) return;
      const filter = typedFilter<AppDocument>({ _id: appId, slots, ...ofEpoch(slotEpoch) });
      // By the collection: equality of embedded documents.
      const { matchedCount } = await apps.collection.updateOne(filter, {
        $set: { slots: next, slotEpoch: slotEpoch + 1 },
      });
      if (matchedCount === 1) return;
    }
  }

  return {
    /**
     * Restarts the builds of these fields. Call it before the rename takes effect: in the new epoch
     * a step that looks for values under the old keys has no effect.
     */
    restartBuilds: (appId: ObjectId, pairs: readonly Rename[]): Promise<void> =>
      change(appId, (slots, since) =>
        slots.map((slot) => {
          if (slot.state !== 'building' || !pairs.some(({ from }) => from === slot.key)) return slot;
          const { knownAt: _, position: __, isEmpty: ___, ...rest } = slot;
          return { ...rest, id: new ObjectId(), since, done: 0 };
        }),
      ),

    /**
     * Gives the slots of the old keys to the new keys. Idempotent. They are checked again, because
     * a record without a value under the old key may have one under the new key.
     */
    handOver: (appId: ObjectId, pairs: readonly Rename[]): Promise<void> =>
      change(appId, (slots, since) =>
        renamedSlots(slots, pairs).map((slot, index) => {
          if (slot === slots[index] || slot.state !== 'ready') return slot;
          const { position: _, ...rest } = slot;
          return { ...rest, since, checkAt: AT_ONCE, checks: 0 };
        }),
      ),
  };
}
