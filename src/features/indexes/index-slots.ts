import { ObjectId, UUID } from 'mongodb';
import type { AppPart } from '../../core/apps/app-part.ts';
import type { KindName } from '../../core/fields/base/browser-kinds.ts';
import { type DocumentOf, type MembersOf, only, schema } from '../../platform/database/mongoose.ts';
import type { Rename } from '../renames/renames.ts';

/** The members of records for index values. Each has an index for all apps (decision 21). */
export const SLOT_NAMES = ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7'] as const;
export type SlotName = (typeof SLOT_NAMES)[number];

/**
 * `building`: a job fills existing records; `dropping`: no write has the slot, a job removes it.
 */
export type SlotState = 'building' | 'ready' | 'dropping';

/** The paths of an index that a job builds and drops, and of its progress. */
const indexUse = {
  /** Identifies this use: a slot may later serve the same field again. */
  id: { type: ObjectId, required: true },
  state: { type: only<SlotState>(String), required: true },
  /** The epoch of its key. */
  since: { type: Number, required: true },
  /** The records that the job has processed, and those that existed when it began. */
  done: { type: Number, required: true },
  total: { type: Number, required: true },
  /** When every server knew of the state, by MongoDB's clock. Absent until then, and if `ready`. */
  knownAt: Date,
  /** Whether the app had no record then. */
  isEmpty: Boolean,
  /** The oldest record that has been built or checked, from the newest one on. */
  position: UUID,
  /** When the records of a ready slot are next checked, by MongoDB's clock. */
  checkAt: Date,
  checks: Number,
} as const;

const wordsSchema = schema(indexUse);
export type IndexUse = DocumentOf<typeof wordsSchema>;

const slotSchema = schema({
  ...indexUse,
  slot: { type: only<SlotName>(String), required: true },
  key: { type: String, required: true },
  /** The kind of the index values, also after the schema has another one. */
  kind: { type: only<KindName>(String), required: true },
});
export type IndexSlot = DocumentOf<typeof slotSchema>;

const members = {
  slots: [slotSchema],
  /** The index of words. Absent when the search by words is off. */
  words: wordsSchema,
  /** Fences writes of both: each change increments it, and records refuse lower ones. */
  slotEpoch: Number,
} as const;

/** The indexes of an app that its writes fill. */
export interface AppIndexes {
  slots?: readonly IndexSlot[] | undefined;
  /** The index of words (spec 4.3). Absent when the search is off. */
  words?: IndexUse | undefined;
}

declare module '../../core/apps/app.ts' {
  interface AppDocument extends MembersOf<typeof members> {}
  interface App extends AppIndexes {
    /** Undefined when the app has used no slot. */
    slotEpoch?: number | undefined;
  }
}

/** The indexes of an app (decision 21). */
export const indexPart: AppPart = {
  members,
  indexes: [
    // The job that builds and drops slots.
    [{ 'slots.state': 1 }, { sparse: true }],
    [{ 'slots.checkAt': 1 }, { sparse: true }],
    // The job of the indexes of words.
    [{ 'words.state': 1 }, { sparse: true }],
    [{ 'words.checkAt': 1 }, { sparse: true }],
  ],
  read: ({ slots, words, slotEpoch }) => ({ slots: slots?.length ? slots : undefined, words, slotEpoch }),
  isSame: (one, other) => isSameIndexes(one, other) && one.slotEpoch === other.slotEpoch,
  // Submissions under the new keys write the slots of the old ones (decision 22).
  underSchema: ({ slots }, { stored: { moving } }) =>
    slots && moving ? { slots: renamedSlots(slots, moving.pairs) } : undefined,
};

/** Matches the apps whose slots have this epoch. */
export function ofEpoch(slotEpoch: number) {
  return { slotEpoch: slotEpoch === 0 ? { $in: [null, 0] } : slotEpoch };
}

/** Matches the records without a write of a later epoch of the slots. */
export function notAfterEpoch(slotEpoch: number) {
  return { slotEpoch: { $not: { $gt: slotEpoch } } };
}

/**
 * Returns the state that operators see. That of an app without records is `ready` as soon as every
 * write keeps the index: until the build has ended, which waits for late inserts, reads read the
 * records themselves. A build of more than a step is shown.
 */
export function shownState({ state, isEmpty, position }: Pick<IndexUse, 'state' | 'isEmpty' | 'position'>): SlotState {
  return state === 'building' && isEmpty && position === undefined ? 'ready' : state;
}

/** Returns whether writes of the field write the slot. */
export function isWritten({ state }: Pick<IndexUse, 'state'>): boolean {
  return state !== 'dropping';
}

/** Returns whether writes of an app keep the words of records (decision 46). */
export function keepsWords({ words }: AppIndexes): boolean {
  return words !== undefined && isWritten(words);
}

/** Returns whether two reads of an app have the same uses of indexes in the same states. */
export function isSameIndexes(one: AppIndexes, other: AppIndexes): boolean {
  const { slots = [] } = one;
  const { slots: others = [] } = other;
  if (!isSameUse(one.words, other.words)) return false;
  return slots === others || (slots.length === others.length && slots.every((slot, at) => isSameUse(slot, others[at])));
}

function isSameUse(one: IndexUse | undefined, other: IndexUse | undefined): boolean {
  return (
    one === other || (one !== undefined && other !== undefined && one.id.equals(other.id) && one.state === other.state)
  );
}

/** Renames the keys of slots; a renamed field keeps its slot and values (decision 22). */
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
