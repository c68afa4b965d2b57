import { type mongo, Types } from 'mongoose';
import type { AppCollection, AppDocument } from '../../apps/apps.model.ts';
import { type IndexSlot, ofEpoch, renamedSlots } from '../../apps/index-slots.ts';
import type { Rename } from '../../fields/renames.ts';

const MAX_ATTEMPTS = 24;
const AT_ONCE = new Date(0);

export type SlotHandover = ReturnType<typeof createSlotHandover>;

/** Passes the index slots of renamed fields on to their new keys (decision 22). */
export function createSlotHandover(apps: AppCollection) {
  /**
   * Replaces the slots of an app, if they are still those that were read. A later epoch: steps of
   * the job that are under way look for values under the old keys.
   */
  async function change(
    appId: Types.ObjectId,
    changed: (slots: IndexSlot[], since: number) => IndexSlot[],
  ): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const found = await apps.findOne({ _id: appId }, { projection: { slots: 1, slotEpoch: 1 } });
      const { slots, slotEpoch = 0 } = found ?? {};
      if (!slots) return;
      const next = changed(slots, slotEpoch + 1);
      if (next.every((slot, index) => slot === slots[index])) return;
      const { matchedCount } = await apps.updateOne(
        { _id: appId, slots, ...ofEpoch(slotEpoch) } as mongo.Filter<AppDocument>,
        {
          $set: { slots: next, slotEpoch: slotEpoch + 1 },
        },
      );
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
      change(appId, (slots, since) =>
        slots.map((slot) => {
          if (slot.state !== 'building' || !pairs.some(({ from }) => from === slot.key)) return slot;
          const { knownAt: _, position: __, ...rest } = slot;
          return { ...rest, id: new Types.ObjectId(), since, done: 0 };
        }),
      ),

    /**
     * Gives the slots of the old keys to the new keys. Idempotent. They are checked when the values
     * are moved: a record without a value under the old key may have one under the new key.
     */
    handOver: (appId: Types.ObjectId, pairs: readonly Rename[]): Promise<void> =>
      change(appId, (slots, since) =>
        renamedSlots(slots, pairs).map((slot, index) => {
          if (slot === slots[index] || slot.state !== 'ready') return slot;
          const { position: _, ...rest } = slot;
          return { ...rest, since, checkAt: AT_ONCE, checks: 0 };
        }),
      ),
  };
}
