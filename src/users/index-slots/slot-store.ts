import { type mongo, Types } from 'mongoose';
import type { AppCollection, AppDocument } from '../../apps/apps.model.ts';
import type { IndexSlot } from '../../apps/index-slots.ts';
import { INDEX_VERSION } from '../../fields/index-value.ts';
import type { SlotPlan } from './slot-plan.ts';

/** The most apps that one step works on. */
const MAX_OPEN = 200;

const OPEN = { $in: ['building', 'dropping'] };
const LIVE = { deletingSince: { $exists: false } };

/** The slots of an app. */
export interface AppSlots {
  appId: Types.ObjectId;
  slots: IndexSlot[];
}

/** An app with slots that are being built or dropped. */
export interface OpenApp extends AppSlots {
  /** The time of MongoDB's clock. */
  now: Date;
}

export type SlotStore = ReturnType<typeof createSlotStore>;

/**
 * The uses of slots in the documents of apps. Each method changes nothing in an app that was
 * deleted or whose slots were changed meanwhile.
 */
export function createSlotStore(apps: AppCollection) {
  const update = (
    appId: Types.ObjectId,
    change: mongo.UpdateFilter<AppDocument>,
    arrayFilters: { [member: string]: unknown }[],
  ) => apps.updateOne({ _id: appId, ...LIVE, slots: { $exists: true } }, change, { arrayFilters });

  return {
    /** The ids of all apps that use slots. */
    async appIds(): Promise<Types.ObjectId[]> {
      const found = await apps.find({ 'slots.state': { $exists: true } }, { projection: { _id: 1 } }).toArray();
      return found.map(({ _id }) => _id);
    },

    /** The slots of those of these apps that exist. */
    async ofApps(appIds: readonly Types.ObjectId[]): Promise<AppSlots[]> {
      const found = await apps.find({ _id: { $in: [...appIds] }, ...LIVE }, { projection: { slots: 1 } }).toArray();
      return found.map(({ _id, slots = [] }) => ({ appId: _id, slots }));
    },

    /** Apps with slots that are being built or dropped. */
    async open(): Promise<OpenApp[]> {
      const pipeline = [
        { $match: { 'slots.state': OPEN, ...LIVE } },
        { $limit: MAX_OPEN },
        { $project: { _id: 0, appId: '$_id', slots: 1, now: '$$NOW' } },
      ];
      return apps.aggregate<OpenApp>(pipeline).toArray();
    },

    /** Begins and ends uses. Resolves with whether the slots were still those of the plan. */
    async assign({ appId, slots }: AppSlots, { drop, claim }: SlotPlan): Promise<boolean> {
      const kept = slots.map((slot): IndexSlot => {
        if (!drop.includes(slot)) return slot;
        const { knownAt: _, position: __, ...rest } = slot;
        return { ...rest, state: 'dropping', done: 0 };
      });
      const claimed = claim.map(
        (one): IndexSlot => ({
          ...{ id: new Types.ObjectId(), ...one, version: INDEX_VERSION },
          ...{ state: 'building', done: 0, total: 0 },
        }),
      );
      const { matchedCount } = await apps.updateOne(
        { _id: appId, ...LIVE, slots: slots.length === 0 ? { $in: [[], null] } : slots } as mongo.Filter<AppDocument>,
        { $set: { slots: [...kept, ...claimed] } },
      );
      return matchedCount === 1;
    },

    /** Notes that every server knows the states of these uses. */
    async setKnown(appId: Types.ObjectId, uses: readonly IndexSlot[]): Promise<void> {
      for (const { id, state } of uses) {
        await update(appId, { $currentDate: { 'slots.$[use].knownAt': true } } as mongo.UpdateFilter<AppDocument>, [
          { 'use.id': id, 'use.state': state },
        ]);
      }
    },

    /** Notes the progress of uses in one state. */
    async advance(
      appId: Types.ObjectId,
      uses: readonly IndexSlot[],
      progress: Partial<Pick<IndexSlot, 'done' | 'total' | 'position'>>,
    ): Promise<void> {
      const set = Object.fromEntries(Object.entries(progress).map(([name, value]) => [`slots.$[use].${name}`, value]));
      await update(appId, { $set: set }, [which(uses)]);
    },

    /** Ends the build of these uses: they are ready. */
    async finish(appId: Types.ObjectId, uses: readonly IndexSlot[], total: number): Promise<void> {
      const set = { 'slots.$[use].state': 'ready', 'slots.$[use].done': total, 'slots.$[use].total': total };
      const unset = { 'slots.$[use].knownAt': 1, 'slots.$[use].position': 1 } as const;
      await update(appId, { $set: set, $unset: unset } as mongo.UpdateFilter<AppDocument>, [which(uses)]);
    },

    /** Ends a use that was dropped. */
    async remove(appId: Types.ObjectId, { id }: IndexSlot): Promise<void> {
      await apps.updateOne({ _id: appId }, { $pull: { slots: { id, state: 'dropping' } } });
    },
  };
}

function which(uses: readonly IndexSlot[]) {
  return { 'use.id': { $in: uses.map(({ id }) => id) }, 'use.state': uses[0]?.state };
}
