import type { ObjectId, UUID } from 'mongodb';
import type { RecordChange } from '../../core/fields/compile.ts';
import { getKind } from '../../core/fields/kinds/registry.ts';
import type { UserCollection, UserDocument } from '../../core/users/users.model.ts';
import { changing } from '../../platform/database/filters.ts';
import type { IndexValue } from '../../platform/text/index-value.ts';
import { INDEXED_PREFIX } from '../../platform/text/index-value.ts';
import { readNext } from '../record-reads/record-filters.ts';
import { type BuildFence, type BuiltBatch, createMemberIndex, latestAfter } from './index-builds.ts';
import { type IndexSlot, isWritten, notAfterEpoch, SLOT_NAMES, type SlotName } from './index-slots.ts';

/** The effect of a write of a record on one slot. */
interface SlotWrite {
  slot: SlotName;
  key: string;
  /** Undefined when the write does not change the field. */
  value: IndexValue | undefined;
  /** The value in a new record then. Default: null. */
  initial?: IndexValue;
}

/**
 * The effect of a change of `data` on the slots of the app, and of the values that a new record has
 * besides. Every write of `data` must write the
 * slots in the same atomic write, under a lease with these slots (decision 21).
 */
export function slotWrites(
  slots: readonly IndexSlot[] | undefined,
  { set, append, unset, reset }: Pick<RecordChange, 'set' | 'append' | 'unset' | 'reset'>,
  defaults?: Readonly<Record<string, unknown>>,
): SlotWrite[] | undefined {
  if (!slots) return undefined;
  return slots.filter(isWritten).map(({ slot, key, kind }) => {
    if (Object.hasOwn(append, key) || unset?.includes(key)) return { slot, key, value: null };
    if (Object.hasOwn(set, key)) return { slot, key, value: slotValue(kind, set[key]) };
    if (reset && Object.hasOwn(reset, key)) return { slot, key, value: slotValue(kind, reset[key]) };
    const hasDefault = defaults !== undefined && Object.hasOwn(defaults, key);
    return { slot, key, value: undefined, ...(hasDefault && { initial: slotValue(kind, defaults[key]) }) };
  });
}

/** Undefined represents an absent value. */
function slotValue(kind: IndexSlot['kind'], value: unknown): IndexValue {
  return getKind(kind).indexValue?.(value) ?? null;
}

interface ReadRecord extends Partial<Record<SlotName, IndexValue>> {
  _id: UUID;
  appId: ObjectId;
  email: string;
  slotEpoch?: number;
  schemaVersion?: number;
  /** The part of each value from which its index value results, in the order of the slots. */
  values: unknown[];
}

export type SlotRecords = ReturnType<typeof createSlotRecords>;

/** Fills and removes slots in the records of an app, in bounded batches. */
export function createSlotRecords(users: UserCollection) {
  const indexes = Object.fromEntries(
    SLOT_NAMES.map((slot) => [slot, createMemberIndex(users, slot, { appId: 1, [slot]: 1, _id: 1 })]),
  ) as Record<SlotName, ReturnType<typeof createMemberIndex>>;

  /**
   * Undefined when the slots are right and the epoch refuses earlier writers. Otherwise the write
   * requires that the values are as they were read, and that no later write of slots came first.
   */
  function correction(
    slots: readonly IndexSlot[],
    unused: readonly SlotName[],
    { _id, appId, email, values, slotEpoch = 0, ...record }: ReadRecord,
    fence: BuildFence,
  ) {
    const meant = slots.map(({ slot, key, kind }, index) => ({
      slot,
      key,
      read: values[index],
      value: slotValue(kind, values[index]),
    }));
    const extra = unused.filter((slot) => record[slot] !== undefined);
    const isRight = extra.length === 0 && meant.every(({ slot, value }) => isSame(record[slot], value));
    const since = Math.max(...slots.map((slot) => slot.since), 0);
    if (isRight && slotEpoch >= since) return undefined;
    const isUnchanged = meant.map(({ key, read }) => ({
      $eq: [isWhole(read) ? `$data.${key}` : decisivePart(key), { $literal: read }],
    }));
    const { schemaVersion } = fence;
    return {
      filter: {
        _id,
        appId,
        email,
        ...notAfterEpoch(fence.slotEpoch),
        $expr: { $and: isUnchanged },
        ...(schemaVersion !== undefined && { schemaVersion: { $not: { $gt: schemaVersion } } }),
      },
      update: changing<UserDocument>({
        $set: {
          ...Object.fromEntries(meant.map(({ slot, value }) => [slot, value])),
          ...(fence.slotEpoch > 0 && { slotEpoch: fence.slotEpoch }),
        },
        ...(extra.length > 0 && { $unset: Object.fromEntries(extra.map((slot) => [slot, 1])) }),
      }),
    };
  }

  const projection = (slots: readonly IndexSlot[]) => ({
    appId: 1,
    email: 1,
    slotEpoch: 1,
    schemaVersion: 1,
    values: slots.map(({ key }) => decisivePart(key)),
    ...Object.fromEntries(slots.map(({ slot }) => [slot, 1])),
  });

  return {
    indexOf: ({ slot }: IndexSlot) => indexes[slot],

    /**
     * Sets slots of `limit` records after `from`, newest first. Each write depends on the value of
     * the field and on the fence, so it overwrites neither a newer value nor another use.
     */
    async build(
      appId: ObjectId,
      slots: readonly IndexSlot[],
      from: UUID | undefined,
      limit: number,
      fence: BuildFence,
    ): Promise<BuiltBatch> {
      const options = { projection: projection(slots) };
      const records = await readNext<ReadRecord>(users, appId, { from, limit }, options);
      const corrections = records.flatMap((record) => correction(slots, [], record, fence) ?? []);
      const ahead = latestAfter(fence, records);
      const batch = { read: records.length, last: records.at(-1)?._id, isDisturbed: false, ahead };
      if (corrections.length === 0) return batch;
      const { matchedCount } = await users.bulkWrite(
        corrections.map((one) => ({ updateOne: one })),
        { ordered: false },
      );
      return { ...batch, isDisturbed: matchedCount < corrections.length };
    },

    /** Corrects one record; false when it has changed or has a later epoch. */
    async correct(
      record: Pick<UserDocument, 'appId' | 'email'>,
      slots: readonly IndexSlot[],
      unused: readonly SlotName[],
      slotEpoch: number,
    ): Promise<boolean> {
      const { appId, email } = record;
      const members = Object.fromEntries(unused.map((slot) => [slot, 1]));
      const found = await users.findOne<ReadRecord>(
        { appId, email },
        { projection: { ...projection(slots), ...members } },
      );
      const one = found && correction(slots, unused, found, { slotEpoch });
      return !one || (await users.updateOne(one.filter, one.update)).matchedCount === 1;
    },
  };
}

/** The bounded part of a value from which its index value results; null for other types. */
function decisivePart(key: string) {
  const value = `$data.${key}`;
  const type = { $type: value };
  const isScalar = { $in: [type, ['int', 'double', 'bool']] };
  // The driver reads a long integer as a double.
  const other = { $cond: [{ $eq: [type, 'long'] }, { $toDouble: value }, null] };
  const text = { $substrCP: [value, 0, INDEXED_PREFIX] };
  return { $cond: [{ $eq: [type, 'string'] }, text, { $cond: [isScalar, value, other] }] };
}

/** Comparisons with whole values are faster. Larger numbers may be long integers, rounded. */
function isWhole(part: unknown): boolean {
  if (typeof part === 'string') return part.length < INDEXED_PREFIX;
  return typeof part === 'boolean' || (typeof part === 'number' && !(Math.abs(part) > Number.MAX_SAFE_INTEGER));
}

function isSame(stored: IndexValue | undefined, value: IndexValue): boolean {
  if (stored instanceof Date && value instanceof Date) return stored.getTime() === value.getTime();
  return stored === value;
}
