import { ObjectId, type UpdateFilter } from 'mongodb';
import type { AppCollection, AppDocument } from '../apps/apps.model.ts';
import {
  type IndexSlot,
  indexVersion,
  isOutdated,
  isUsableVersion,
  ofEpoch,
  SLOT_NAMES,
  type SlotName,
  WITH_OUTDATED_SLOTS,
} from '../apps/index-slots.ts';
import { changing, matching } from '../database/filters.ts';
import { type FieldDefinition, isIndexed } from '../fields/definition.ts';
import type { Migration } from '../migrations/migration.ts';

const MAX_OPEN = 200;

const OPEN = { $in: ['building', 'dropping'] };
const LIVE = { deletingSince: { $exists: false } };

interface AppSlots {
  appId: ObjectId;
  slots: IndexSlot[];
  /** Grows with each change of `slots`. */
  slotEpoch: number;
}

/** An app with slots to build or to drop, or with records to check. */
export interface OpenApp extends AppSlots {
  now: Date;
}

export type SlotStore = ReturnType<typeof createSlotStore>;

/** The uses of slots in `apps`. No method changes apps that were deleted or changed meanwhile. */
export function createSlotStore(apps: AppCollection) {
  const update = (appId: ObjectId, change: UpdateFilter<AppDocument>, arrayFilters: { [member: string]: unknown }[]) =>
    apps.updateOne({ _id: appId, ...LIVE, slots: { $exists: true } }, change, { arrayFilters });

  return {
    async appIds(): Promise<ObjectId[]> {
      const found = await apps.find({ 'slots.state': { $exists: true } }, { projection: { _id: 1 } }).toArray();
      return found.map(({ _id }) => _id);
    },

    async ofApps(appIds: readonly ObjectId[]): Promise<AppSlots[]> {
      const projection = { slots: 1, slotEpoch: 1 };
      const found = await apps.find({ _id: { $in: [...appIds] }, ...LIVE }, { projection }).toArray();
      return found.map(({ _id, slots = [], slotEpoch = 0 }) => ({ appId: _id, slots, slotEpoch }));
    },

    /** Apps with slots to build or to drop, or with records to check now. */
    async open(): Promise<OpenApp[]> {
      const isDue = { $anyElementTrue: [{ $map: { input: '$slots', in: DUE } }] };
      const pipeline = [
        { $match: { $or: [{ 'slots.state': OPEN }, { 'slots.checkAt': { $exists: true } }], ...LIVE } },
        { $match: { $or: [{ 'slots.state': OPEN }, { $expr: isDue }] } },
        { $limit: MAX_OPEN },
        { $project: { _id: 0, appId: '$_id', slots: 1, slotEpoch: { $ifNull: ['$slotEpoch', 0] }, now: '$$NOW' } },
      ];
      return apps.aggregate<OpenApp>(pipeline).toArray();
    },

    /** Starts and ends uses. Resolves with whether the slots were still those of the plan. */
    async assign({ appId, slots, slotEpoch }: AppSlots, { drop, claim }: SlotPlan): Promise<boolean> {
      const since = slotEpoch + 1;
      const kept = slots.map((slot): IndexSlot => {
        if (!drop.includes(slot)) return slot;
        const { knownAt: _, position: __, checkAt: ___, ...rest } = slot;
        return { ...rest, state: 'dropping', done: 0 };
      });
      const claimed = claim.map(
        (one): IndexSlot => ({
          ...{ id: new ObjectId(), ...one, version: indexVersion(one.kind) },
          ...{ state: 'building', since, done: 0, total: 0 },
        }),
      );
      const isUnchanged = { slots: slots.length === 0 ? { $in: [[], null] } : slots, ...ofEpoch(slotEpoch) };
      const { matchedCount } = await apps.updateOne(matching<AppDocument>({ _id: appId, ...LIVE, ...isUnchanged }), {
        $set: { slots: [...kept, ...claimed], slotEpoch: since },
      });
      return matchedCount === 1;
    },

    /** A record has a higher epoch than the app only after a restore of older `apps`. */
    async catchUp(appId: ObjectId, slotEpoch: number): Promise<void> {
      await apps.updateOne({ _id: appId, ...LIVE }, { $max: { slotEpoch } });
    },

    /** Stores that every server knows the states of these uses. */
    async setKnown(appId: ObjectId, uses: readonly IndexSlot[]): Promise<void> {
      for (const { id, state } of uses) {
        await update(appId, { $currentDate: { 'slots.$[use].knownAt': true } }, [{ 'use.id': id, 'use.state': state }]);
      }
    },

    /** Stores the progress of uses in one state. */
    async advance(
      appId: ObjectId,
      uses: readonly IndexSlot[],
      progress: Partial<Pick<IndexSlot, 'done' | 'total' | 'position'>>,
    ): Promise<void> {
      const set = Object.fromEntries(Object.entries(progress).map(([name, value]) => [`slots.$[use].${name}`, value]));
      await update(appId, { $set: set }, [which(uses)]);
    },

    /** Makes these uses ready. `checkAt`: the time of the first check. */
    async finish(appId: ObjectId, uses: readonly IndexSlot[], total: number, checkAt?: Date): Promise<void> {
      const set = { 'slots.$[use].state': 'ready', 'slots.$[use].done': total, 'slots.$[use].total': total };
      const unset = { 'slots.$[use].knownAt': 1, 'slots.$[use].position': 1 } as const;
      const next = checkAt && { 'slots.$[use].checkAt': checkAt, 'slots.$[use].checks': 0 };
      await update(appId, { $set: { ...set, ...next }, $unset: unset }, [which(uses)]);
    },

    /** Ends a check of these uses. `checkAt`: the time of the next one; undefined: never. */
    async endCheck(appId: ObjectId, uses: readonly IndexSlot[], checkAt: Date | undefined): Promise<void> {
      const change = changing<AppDocument>({
        $inc: { 'slots.$[use].checks': 1 },
        ...(checkAt && { $set: { 'slots.$[use].checkAt': checkAt } }),
        $unset: { 'slots.$[use].position': 1, ...(!checkAt && { 'slots.$[use].checkAt': 1 }) },
      });
      await update(appId, change, [which(uses)]);
    },

    /** Resolves with at most `limit` apps whose date slots have values of an earlier version. */
    async outdated(limit: number): Promise<AppSlots[]> {
      const options = { projection: { slots: 1, slotEpoch: 1 }, limit } as const;
      const found = await apps
        .find({ 'slots.state': { $exists: true }, ...LIVE, ...WITH_OUTDATED_SLOTS }, options)
        .toArray();
      return found.map(({ _id, slots = [], slotEpoch = 0 }) => ({ appId: _id, slots, slotEpoch }));
    },

    async remove(appId: ObjectId, { id }: IndexSlot): Promise<void> {
      await apps.updateOne({ _id: appId }, { $pull: { slots: { id, state: 'dropping' } } });
    },
  };
}

/** Whether a use is to be checked. Absent times come first in MongoDB's order. */
const DUE = { $and: [{ $gt: ['$$this.checkAt', null] }, { $lte: ['$$this.checkAt', '$$NOW'] }] };

/** Matches these uses in their present state and check. */
function which(uses: readonly IndexSlot[]) {
  const [{ state, checkAt } = {} as Partial<IndexSlot>] = uses;
  return {
    'use.id': { $in: uses.map(({ id }) => id) },
    'use.state': state,
    'use.checkAt': checkAt ?? { $exists: false },
  };
}

export type WantedField = Pick<FieldDefinition, 'key' | 'kind'>;

interface SlotPlan {
  drop: IndexSlot[];
  /** Fields without a free slot are left out. */
  claim: (WantedField & { slot: SlotName })[];
}

/** The fields of a schema that need a slot. */
export function wantedFields(fields: readonly FieldDefinition[]): WantedField[] {
  return fields.filter(isIndexed).map(({ key, kind }) => ({ key, kind }));
}

/** A field with another kind or slot version claims a new slot. A dropping slot is not free. */
export function planSlots(slots: readonly IndexSlot[], wanted: readonly WantedField[]): SlotPlan {
  const kept = slots.filter((slot) => slot.state !== 'dropping' && wanted.some((field) => serves(slot, field)));
  const free = SLOT_NAMES.filter((name) => !slots.some(({ slot }) => slot === name));
  const missing = wanted.filter((field) => !kept.some((slot) => serves(slot, field)));
  return {
    drop: slots.filter((slot) => slot.state !== 'dropping' && !kept.includes(slot)),
    claim: missing.flatMap((field, index) => {
      const slot = free[index];
      return slot ? [{ ...field, slot }] : [];
    }),
  };
}

function serves(slot: IndexSlot, field: WantedField): boolean {
  return slot.key === field.key && slot.kind === field.kind && isUsableVersion(slot);
}

const APPS_OF_STEP = 50;

/**
 * Ends the uses of slots with earlier index values of dates; the job claims others for their fields
 * and builds them. Servers of the earlier release would replace those again, so it is a
 * contraction.
 */
export function createSlotMigration(store: Pick<SlotStore, 'outdated' | 'assign'>): Migration {
  return {
    number: 3,
    name: 'index values of dates',
    contract: {
      async step() {
        const apps = await store.outdated(APPS_OF_STEP);
        let changed = 0;
        for (const app of apps) {
          // An app that changed meanwhile is found again.
          if (await store.assign(app, { drop: app.slots.filter(isOutdated), claim: [] })) changed += 1;
        }
        return { changed, ...(apps.length > 0 && { position: 'more' }) };
      },
      pending: async (limit) => (await store.outdated(limit)).length,
    },
  };
}
