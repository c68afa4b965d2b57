import type { ObjectId, UUID } from 'mongodb';
import { INDEX_VERSION } from '../fields/base/index-value.ts';
import type { KindName } from '../fields/kinds/registry.ts';
import type { Rename } from '../fields/renames.ts';

/** The members of a record that hold index values. Each has an index for all apps (decision 21). */
export const SLOT_NAMES = ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7'] as const;
export type SlotName = (typeof SLOT_NAMES)[number];

/**
 * - `building`: every write of the field writes the slot too, and a job fills in the other records;
 * - `ready`: each record of the app has the slot with the index value of the field;
 * - `dropping`: no write has the slot, and a job removes it from the records.
 */
export type SlotState = 'building' | 'ready' | 'dropping';

/** The use of a slot by a field of one app, as its document keeps it. */
export interface IndexSlot {
  /** Identifies this use: the same slot may serve the same field again. */
  id: ObjectId;
  slot: SlotName;
  key: string;
  /** The kind whose index values the slot has, also when the schema has another one by now. */
  kind: KindName;
  /** The version of the index values that the slot has; absent for the first one. */
  version?: number;
  state: SlotState;
  /** The epoch in which the slot got its key. Absent for slots of earlier releases. */
  since?: number;
  /** The records that the job has dealt with, and those that there were when it began. */
  done: number;
  total: number;
  /**
   * When every server knew of the state, by MongoDB's clock. Absent while that is not sure; a slot
   * that is `ready` has none.
   */
  knownAt?: Date;
  /** The records from the newest one to this id have been built, or checked. */
  position?: UUID;
  /** When the records of a ready slot are checked next, by MongoDB's clock. Absent: no more. */
  checkAt?: Date;
  /** The number of checks that are done. */
  checks?: number;
}

/** Matches the apps whose slots have this epoch. */
export function ofEpoch(slotEpoch: number) {
  return { slotEpoch: slotEpoch === 0 ? { $in: [null, 0] } : slotEpoch };
}

/** Matches the records without a write of a later epoch of the slots. */
export function notAfterEpoch(slotEpoch: number) {
  return { slotEpoch: { $not: { $gt: slotEpoch } } };
}

/** Whether the slot has index values of the current version. */
export function isCurrentVersion({ version }: Pick<IndexSlot, 'version'>): boolean {
  return version === INDEX_VERSION;
}

/** Whether writes of the field write the slot. */
export function isWritten({ state }: Pick<IndexSlot, 'state'>): boolean {
  return state !== 'dropping';
}

/** Whether two reads of an app show the same uses of slots in the same states. */
export function isSameSlots(one: readonly IndexSlot[] = [], other: readonly IndexSlot[] = []): boolean {
  if (one === other) return true;
  return (
    one.length === other.length &&
    one.every(({ id, state }, index) => id.equals(other[index]?.id) && state === other[index]?.state)
  );
}

/**
 * The slots of an app under the keys after these renames. A renamed field keeps its slot, because
 * the values do not change (decision 22).
 */
export function renamedSlots<Slot extends Pick<IndexSlot, 'key' | 'state'>>(
  slots: readonly Slot[],
  pairs: readonly Rename[],
): Slot[] {
  return slots.map((slot) => {
    const pair = isWritten(slot) && pairs.find(({ from }) => from === slot.key);
    const isTaken = pair && slots.some((other) => isWritten(other) && other.key === pair.to);
    return pair && !isTaken ? { ...slot, key: pair.to } : slot;
  });
}
