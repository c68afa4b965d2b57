import { ObjectId } from 'mongodb';
import type { AppDocument } from '../../core/apps/app.ts';
import { type AppModel, NOT_BEING_DELETED } from '../../core/apps/apps.model.ts';
import { type FieldDefinition, isIndexed } from '../../core/fields/definition.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import { type IndexSlot, ofEpoch, SLOT_NAMES, type SlotName } from './index-slots.ts';
import { createIndexUses } from './index-uses.ts';

interface AppSlots {
  appId: ObjectId;
  slots: IndexSlot[];
  /** Grows with each change of `slots`. */
  slotEpoch: number;
}

export type SlotStore = ReturnType<typeof createSlotStore>;

/** The uses of slots in `apps`. No method changes apps that were deleted or changed meanwhile. */
export function createSlotStore(apps: AppModel) {
  return {
    ...createIndexUses<IndexSlot>(apps, 'slots'),

    async appIds(): Promise<ObjectId[]> {
      const found = await apps.find({ 'slots.state': { $exists: true } }, { projection: { _id: 1 } });
      return found.map(({ _id }) => _id);
    },

    async ofApps(appIds: readonly ObjectId[]): Promise<AppSlots[]> {
      const options = { projection: { slots: 1, slotEpoch: 1 } };
      const found = await apps.find({ _id: { $in: [...appIds] }, ...NOT_BEING_DELETED }, options);
      return found.map(({ _id, slots = [], slotEpoch = 0 }) => ({ appId: _id, slots, slotEpoch }));
    },

    /** Starts and ends uses. Resolves with whether the slots were still those of the plan. */
    async assign({ appId, slots, slotEpoch }: AppSlots, { drop, claim }: SlotPlan): Promise<boolean> {
      const since = slotEpoch + 1;
      const kept = slots.map((slot): IndexSlot => {
        if (!drop.includes(slot)) return slot;
        const { knownAt: _, position: __, checkAt: ___, isEmpty: ____, ...rest } = slot;
        return { ...rest, state: 'dropping', done: 0 };
      });
      const claimed = claim.map(
        (one): IndexSlot => ({
          id: new ObjectId(),
          ...one,
          state: 'building',
          since,
          done: 0,
          total: 0,
        }),
      );
      const isUnchanged = { slots: slots.length === 0 ? { $in: [[], null] } : slots, ...ofEpoch(slotEpoch) };
      // By the collection: equality of embedded documents.
      const { matchedCount } = await apps.collection.updateOne(
        typedFilter<AppDocument>({ _id: appId, ...NOT_BEING_DELETED, ...isUnchanged }),
        {
          $set: { slots: [...kept, ...claimed], slotEpoch: since },
        },
      );
      return matchedCount === 1;
    },

    /** A record has a higher epoch than the app only after a restore of older `apps`. */
    async catchUp(appId: ObjectId, slotEpoch: number): Promise<void> {
      await apps.updateOne({ _id: appId, ...NOT_BEING_DELETED }, { $max: { slotEpoch } });
    },
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

/** A field with another kind claims a new slot. A dropping slot is not free. */
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
  return slot.key === field.key && slot.kind === field.kind;
}
