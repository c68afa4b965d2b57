import type { mongo, Types } from 'mongoose';
import type { IndexSlot, SlotName } from '../../apps/index-slots.ts';
import { INDEX_BUILD_TIME_MS } from '../../database/collections.ts';
import { INDEXED_PREFIX } from '../../fields/index-value.ts';
import type { IndexValue } from '../../fields/kind.ts';
import { NEWEST_FIRST, newestFirst, type UserCollection, type UserDocument } from '../users.model.ts';
import { slotValue } from './slot-writes.ts';

/** The id of a record, of any type. */
type Position = mongo.UUID | undefined;

/** A part of the records of an app. */
export interface BuiltBatch {
  /** The number of records that were read. */
  read: number;
  /** The last record; undefined when there is none after `from`. */
  last: Position;
  /** Whether a record was changed between the read and the write: read the batch again. */
  isDisturbed: boolean;
}

interface ReadRecord extends Partial<Record<SlotName, IndexValue>> {
  _id: mongo.UUID;
  /** The part of each value that decides its index value, in the order of the slots. */
  values: unknown[];
}

export type SlotRecords = ReturnType<typeof createSlotRecords>;

/** Fills and removes slots in the records of an app, a bounded batch at a time. */
export function createSlotRecords(users: UserCollection) {
  /** Sets the slots that differ, if the values are still those that were read. */
  function correction(slots: readonly IndexSlot[], { _id, values, ...record }: ReadRecord) {
    const wrong = slots.flatMap(({ slot, key, kind }, index) => {
      const value = slotValue(kind, values[index]);
      return isSame(record[slot], value) ? [] : [{ slot, key, value, read: values[index] }];
    });
    if (wrong.length === 0) return undefined;
    const isUnchanged = wrong.map(({ key, read }) => ({
      $eq: [isWhole(read) ? `$data.${key}` : decisivePart(key), { $literal: read }],
    }));
    return {
      filter: { _id, $expr: { $and: isUnchanged } } as mongo.Filter<UserDocument>,
      update: { $set: Object.fromEntries(wrong.map(({ slot, value }) => [slot, value])) },
    };
  }

  const indexed = new Set<SlotName>();

  const projection = (slots: readonly IndexSlot[]) => ({
    values: slots.map(({ key }) => decisivePart(key)),
    ...Object.fromEntries(slots.map(({ slot }) => [slot, 1])),
  });

  return {
    /**
     * Creates the index of a slot unless it exists. Not at the start of the service: each index
     * takes time of every submission, also of apps without slots (decision 21).
     */
    async ensureIndex(slot: SlotName): Promise<void> {
      if (indexed.has(slot)) return;
      await users.createIndex(indexOf(slot), {
        partialFilterExpression: { [slot]: { $exists: true } },
        maxTimeMS: INDEX_BUILD_TIME_MS,
      });
      indexed.add(slot);
    },

    /** The number of records of an app. Counts index keys. */
    count: (appId: Types.ObjectId): Promise<number> =>
      users.countDocuments({ appId }, { hint: NEWEST_FIRST, maxTimeMS: 60_000 }),

    /**
     * Gives the next `limit` records after `from`, newest first, the values of these slots. Each
     * write depends on the value of the field, so it never overwrites a newer one.
     */
    async build(
      appId: Types.ObjectId,
      slots: readonly IndexSlot[],
      from: Position,
      limit: number,
    ): Promise<BuiltBatch> {
      const records = await users
        .find<ReadRecord>({ appId, ...(from && { _id: { $ne: from } }) } as mongo.Filter<UserDocument>, {
          ...newestFirst(appId, from),
          ...{ limit, batchSize: limit + 1, projection: projection(slots) },
        })
        .toArray();
      const corrections = records.flatMap((record) => correction(slots, record) ?? []);
      const batch = { read: records.length, last: records.at(-1)?._id, isDisturbed: false };
      if (corrections.length === 0) return batch;
      const { matchedCount } = await users.bulkWrite(
        corrections.map((one) => ({ updateOne: one })),
        { ordered: false },
      );
      return { ...batch, isDisturbed: matchedCount < corrections.length };
    },

    /**
     * Corrects the slots of one record: those of `slots`, and `unused` ones that it should not
     * have. Resolves with false when the record was changed meanwhile.
     */
    async correct(
      record: Pick<UserDocument, 'appId' | 'email'>,
      slots: readonly IndexSlot[],
      unused: readonly SlotName[],
    ): Promise<boolean> {
      const { appId, email } = record;
      if (unused.length > 0) {
        const unset = Object.fromEntries(unused.map((slot) => [slot, 1]));
        await users.updateOne({ appId, email }, { $unset: unset } as mongo.UpdateFilter<UserDocument>);
      }
      const found = await users.findOne<ReadRecord>({ appId, email }, { projection: projection(slots) });
      const one = found && correction(slots, found);
      return !one || (await users.updateOne(one.filter, one.update)).matchedCount === 1;
    },

    /** Removes a slot from at most `limit` records. Resolves with their number. */
    async drop(appId: Types.ObjectId, slot: SlotName, limit: number): Promise<number> {
      const filter = { appId, [slot]: { $exists: true } } as mongo.Filter<UserDocument>;
      const options = { projection: { _id: 1 }, hint: indexOf(slot), limit } as const;
      const found = await users.find(filter, options).toArray();
      if (found.length === 0) return 0;
      const update = { $unset: { [slot]: 1 } } as mongo.UpdateFilter<UserDocument>;
      await users.updateMany({ appId, _id: { $in: found.map(({ _id }) => _id) } }, update);
      return found.length;
    },
  };
}

function indexOf(slot: SlotName): Record<string, 1> {
  return { appId: 1, [slot]: 1, _id: 1 };
}

/**
 * The part of the value of a field that decides its index value; null for a value of a type without
 * one. It is bounded, whatever the size of the value.
 */
function decisivePart(key: string) {
  const value = `$data.${key}`;
  const type = { $type: value };
  const isScalar = { $in: [type, ['int', 'double', 'bool']] };
  // The driver reads a long integer as a double.
  const other = { $cond: [{ $eq: [type, 'long'] }, { $toDouble: value }, null] };
  const text = { $substrCP: [value, 0, INDEXED_PREFIX] };
  return { $cond: [{ $eq: [type, 'string'] }, text, { $cond: [isScalar, value, other] }] };
}

/**
 * Whether the decisive part is the value itself: a comparison with the value takes the database two
 * thirds of the time. Larger numbers may be long integers, which were rounded.
 */
function isWhole(part: unknown): boolean {
  if (typeof part === 'string') return part.length < INDEXED_PREFIX;
  return typeof part === 'boolean' || (typeof part === 'number' && !(Math.abs(part) > Number.MAX_SAFE_INTEGER));
}

function isSame(stored: IndexValue | undefined, value: IndexValue): boolean {
  if (stored instanceof Date && value instanceof Date) return stored.getTime() === value.getTime();
  return stored === value;
}
