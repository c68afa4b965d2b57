import { type mongo, Types } from 'mongoose';
import type { AppCollection, AppDocument } from '../../apps/apps.model.ts';
import { type IndexSlot, renamedSlots } from '../../apps/index-slots.ts';
import type { Rename } from '../../fields/renames.ts';

const MAX_ATTEMPTS = 24;

export type SlotHandover = ReturnType<typeof createSlotHandover>;

/** Passes the index slots of renamed fields on to their new keys (decision 22). */
export function createSlotHandover(apps: AppCollection) {
  /** Replaces the slots of an app, if they are still those that were read. */
  async function change(appId: Types.ObjectId, changed: (slots: IndexSlot[]) => IndexSlot[]): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const slots = (await apps.findOne({ _id: appId }, { projection: { slots: 1 } }))?.slots;
      if (!slots) return;
      const next = changed(slots);
      if (next.every((slot, index) => slot === slots[index])) return;
      const { matchedCount } = await apps.updateOne({ _id: appId, slots } as mongo.Filter<AppDocument>, {
        $set: { slots: next },
      });
      if (matchedCount === 1) return;
    }
    throw new Error('the index slots of an app keep changing');
  }

  return {
    /**
     * Begins the builds of these fields anew. Call it before the rename takes effect: a step of a
     * build that is in progress would look for values under the old keys, and has no effect now.
     */
    restartBuilds: (appId: Types.ObjectId, pairs: readonly Rename[]): Promise<void> =>
      change(appId, (slots) =>
        slots.map((slot) => {
          if (slot.state !== 'building' || !pairs.some(({ from }) => from === slot.key)) return slot;
          const { knownAt: _, position: __, ...rest } = slot;
          return { ...rest, id: new Types.ObjectId(), done: 0 };
        }),
      ),

    /** Gives the slots of the old keys to the new keys. Idempotent. */
    handOver: (appId: Types.ObjectId, pairs: readonly Rename[]): Promise<void> =>
      change(appId, (slots) => renamedSlots(slots, pairs)),
  };
}
