import { type IndexSlot, isWritten, type SlotName } from '../apps/index-slots.ts';
import type { IndexValue } from '../fields/base/kind.ts';
import type { RecordChange } from '../fields/compile.ts';
import { kindOf } from '../fields/kinds/registry.ts';

/** What a write of a record does to one slot. */
export interface SlotWrite {
  slot: SlotName;
  key: string;
  /** Undefined when the write leaves the field as it is; a new record then has null. */
  value: IndexValue | undefined;
}

/**
 * Returns what a change of `data` does to each slot of the app, or undefined for an app without
 * slots. Every write of `data` must write the slots in the same atomic write, under a lease that
 * showed them (decision 21).
 */
export function slotWrites(
  slots: readonly IndexSlot[] | undefined,
  { set, append }: Pick<RecordChange, 'set' | 'append'>,
): SlotWrite[] | undefined {
  if (!slots) return undefined;
  return slots.filter(isWritten).map(({ slot, key, kind }) => {
    // A list has no index value.
    if (Object.hasOwn(append, key)) return { slot, key, value: null };
    return { slot, key, value: Object.hasOwn(set, key) ? slotValue(kind, set[key]) : undefined };
  });
}

/** The value that a slot of this kind has for a value of `data`; undefined stands for absent. */
export function slotValue(kind: IndexSlot['kind'], value: unknown): IndexValue {
  return kindOf(kind).indexValue?.(value) ?? null;
}
