import { type IndexSlot, isCurrentVersion } from '../apps/index-slots.ts';
import type { QuerySchema } from './conditions.ts';

/** An index slot whose values are complete. */
export interface ReadySlot {
  /** The member of the record. */
  slot: string;
  /** Identifies this use of the slot. */
  use: string;
}

/** The slot of a field; undefined while it has none that is complete. */
export type SlotOf = (key: string) => ReadySlot | undefined;

export const NO_SLOTS: SlotOf = () => undefined;

/** The slots of an app that serve the queries of its newest schema. */
export function readySlots(slots: readonly IndexSlot[], { fields }: QuerySchema): SlotOf {
  const ready = new Map<string, ReadySlot>();
  for (const use of slots) {
    const { slot, key, kind, state, id } = use;
    // A slot of an earlier kind or version has other values.
    const isCurrent = isCurrentVersion(use) && fields.some((field) => field.key === key && field.kind === kind);
    if (state === 'ready' && isCurrent) ready.set(key, { slot, use: String(id) });
  }
  return (key) => ready.get(key);
}
