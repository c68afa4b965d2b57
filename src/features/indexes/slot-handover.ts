import { ObjectId } from 'mongodb';
import type { AppDocument } from '../../core/apps/app.ts';
import type { AppModel } from '../../core/apps/apps.model.ts';
import type { SchemaStep } from '../../core/schemas/schemas.service.ts';
import { limitAttempts } from '../../platform/core/attempts.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import type { Rename } from '../renames/renames.ts';
import { type IndexSlot, ofEpoch, renamedSlots } from './index-slots.ts';

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

  /**
   * Restarts the builds of these fields. Call it before the rename takes effect: in the new epoch a
   * step that looks for values under the old keys has no effect.
   */
  const restartBuilds = (appId: ObjectId, pairs: readonly Rename[]): Promise<void> =>
    change(appId, (slots, since) =>
      slots.map((slot) => {
        if (slot.state !== 'building' || !pairs.some(({ from }) => from === slot.key)) return slot;
        const { knownAt: _, position: __, isEmpty: ___, ...rest } = slot;
        return { ...rest, id: new ObjectId(), since, done: 0 };
      }),
    );

  /**
   * Gives the slots of the old keys to the new keys. Idempotent. They are checked again, because a
   * record without a value under the old key may have one under the new key.
   */
  const handOver = (appId: ObjectId, pairs: readonly Rename[]): Promise<void> =>
    change(appId, (slots, since) =>
      renamedSlots(slots, pairs).map((slot, index) => {
        if (slot === slots[index] || slot.state !== 'ready') return slot;
        const { position: _, ...rest } = slot;
        return { ...rest, since, checkAt: AT_ONCE, checks: 0 };
      }),
    );

  return {
    handOver,

    step: {
      async before(appId, { renames = [] }) {
        if (renames.length > 0) await restartBuilds(appId, renames);
      },

      // After the version: a lease that shows the new slots shows the new fields as well.
      async after(appId, { renames = [] }) {
        if (renames.length > 0) await handOver(appId, renames);
      },
    } satisfies SchemaStep,
  };
}
