import type { ObjectId, UUID } from 'mongodb';
import { type IndexSlot, isSameSlots, isWritten, notAfterEpoch, type SlotName } from '../apps/index-slots.ts';
import { Unavailable } from '../core/errors.ts';
import { INDEX_BUILD_TIME_MS } from '../database/collections.ts';
import { INDEXED_PREFIX } from '../fields/base/index-value.ts';
import type { IndexValue } from '../fields/base/kind.ts';
import type { RecordChange } from '../fields/compile.ts';
import { getKind } from '../fields/kinds/registry.ts';
import type { Lease } from '../schemas/schema-leases.ts';
import { newestFirst, recordUpdate, type UserCollection, type UserDocument } from './record.ts';

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

/** The value that a slot of this kind has for a value of `data`; undefined: the value is absent. */
function slotValue(kind: IndexSlot['kind'], value: unknown): IndexValue {
  return getKind(kind).indexValue?.(value) ?? null;
}

/** The id of a record, of any type. */
type Position = UUID | undefined;

/**
 * What a step of the job read of an app before its records. The filter of each write has it, so a
 * write that takes effect late changes no record that a later state has reached (decision 21).
 */
export interface SlotFence {
  slotEpoch: number;
  /** The newest version of the schema: a later one may rename fields. */
  schemaVersion: number;
}

/** What records have that is later than the fence; absent members are not. */
export type Ahead = Partial<SlotFence>;

/** A part of the records of an app. */
interface BuiltBatch {
  /** The number of records that were read. */
  read: number;
  /** The last record; undefined when there is none after `from`. */
  last: Position;
  /** Whether a record was changed between the read and the write: read the batch again. */
  isDisturbed: boolean;
  ahead: Ahead;
}

/** A part of the records that had a slot. */
interface DroppedBatch {
  /** The records that had the slot, and those of which it was removed. */
  found: number;
  dropped: number;
  ahead: Ahead;
}

interface ReadRecord extends Partial<Record<SlotName, IndexValue>> {
  _id: UUID;
  slotEpoch?: number;
  schemaVersion?: number;
  /** The part of each value that decides its index value, in the order of the slots. */
  values: unknown[];
}

export type SlotRecords = ReturnType<typeof createSlotRecords>;

/** Fills and removes slots in the records of an app, a bounded batch at a time. */
export function createSlotRecords(users: UserCollection) {
  /**
   * Sets the slots, if the values are still those that were read and no later write of slots came
   * first. Undefined when the record needs no write: its slots are right, and the epoch keeps
   * writers of earlier ones away.
   *
   * @param unused slots that the record should not have
   */
  function correction(
    slots: readonly IndexSlot[],
    unused: readonly SlotName[],
    { _id, values, slotEpoch = 0, ...record }: ReadRecord,
    fence: Pick<SlotFence, 'slotEpoch'> & Ahead,
  ) {
    const meant = slots.map(({ slot, key, kind }, index) => ({
      ...{ slot, key, read: values[index] },
      value: slotValue(kind, values[index]),
    }));
    const extra = unused.filter((slot) => record[slot] !== undefined);
    const isRight = extra.length === 0 && meant.every(({ slot, value }) => isSame(record[slot], value));
    const since = Math.max(...slots.map((slot) => slot.since ?? 0), 0);
    if (isRight && slotEpoch >= since) return undefined;
    const isUnchanged = meant.map(({ key, read }) => ({
      $eq: [isWhole(read) ? `$data.${key}` : decisivePart(key), { $literal: read }],
    }));
    const { schemaVersion } = fence;
    return {
      filter: {
        ...{ _id, ...notAfterEpoch(fence.slotEpoch), $expr: { $and: isUnchanged } },
        ...(schemaVersion !== undefined && { schemaVersion: { $not: { $gt: schemaVersion } } }),
      },
      update: recordUpdate({
        $set: {
          ...Object.fromEntries(meant.map(({ slot, value }) => [slot, value])),
          ...(fence.slotEpoch > 0 && { slotEpoch: fence.slotEpoch }),
        },
        ...(extra.length > 0 && { $unset: Object.fromEntries(extra.map((slot) => [slot, 1])) }),
      }),
    };
  }

  const indexed = new Set<SlotName>();

  const projection = (slots: readonly IndexSlot[]) => ({
    ...{ slotEpoch: 1, schemaVersion: 1 },
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
      await users.createIndex(slotIndex(slot), {
        partialFilterExpression: { [slot]: { $exists: true } },
        maxTimeMS: INDEX_BUILD_TIME_MS,
      });
      indexed.add(slot);
    },

    /**
     * Gives the next `limit` records after `from`, newest first, the values of these slots. Each
     * write depends on the value of the field, so it never overwrites a newer one, and on the
     * fence, so it never writes a slot that another use has.
     */
    async build(
      appId: ObjectId,
      slots: readonly IndexSlot[],
      from: Position,
      limit: number,
      fence: SlotFence,
    ): Promise<BuiltBatch> {
      const records = await users
        .find<ReadRecord>(
          { appId, ...(from && { _id: { $ne: from } }) },
          {
            ...newestFirst(appId, from),
            ...{ limit, batchSize: limit + 1, projection: projection(slots) },
          },
        )
        .toArray();
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

    /**
     * Corrects the slots of one record: those of `slots`, and `unused` ones that it should not
     * have. Resolves with false when the record was changed meanwhile, or has a later epoch.
     */
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

    /** Removes a slot from at most `limit` records, under the epoch in which it is dropped. */
    async drop(appId: ObjectId, slot: SlotName, limit: number, fence: SlotFence): Promise<DroppedBatch> {
      const filter = { appId, [slot]: { $exists: true } };
      const options = { projection: { slotEpoch: 1 }, hint: slotIndex(slot), limit } as const;
      const found = await users.find<Pick<ReadRecord, '_id' | 'slotEpoch'>>(filter, options).toArray();
      if (found.length === 0) return { found: 0, dropped: 0, ahead: {} };
      const { slotEpoch } = fence;
      const { matchedCount } = await users.updateMany(
        { appId, _id: { $in: found.map(({ _id }) => _id) }, ...notAfterEpoch(slotEpoch) },
        recordUpdate({ $unset: { [slot]: 1 }, ...(slotEpoch > 0 && { $set: { slotEpoch } }) }),
      );
      return { found: found.length, dropped: matchedCount, ahead: latestAfter(fence, found) };
    },
  };
}

function latestAfter(fence: SlotFence, records: readonly Ahead[]): Ahead {
  const ahead: Ahead = {};
  for (const { slotEpoch = 0, schemaVersion = 0 } of records) {
    if (slotEpoch > (ahead.slotEpoch ?? fence.slotEpoch)) ahead.slotEpoch = slotEpoch;
    if (schemaVersion > (ahead.schemaVersion ?? fence.schemaVersion)) ahead.schemaVersion = schemaVersion;
  }
  return ahead;
}

function slotIndex(slot: SlotName): Record<string, 1> {
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

const MAX_ATTEMPTS = 24;

/** A write of a record that may have ended after the lease under which it was made. */
export interface LateWrite extends Pick<UserDocument, 'appId' | 'sourceAppId' | 'email'> {
  /** What it wrote. */
  slots: readonly SlotWrite[] | undefined;
}

export type RepairSlots = ReturnType<typeof createSlotRepair>;

/**
 * Returns a function that corrects the slots of a record after a write that ended later than its
 * lease. The slots of the app may have changed meanwhile, and a build may have passed the record.
 * It resolves when the record agrees with the slots of a lease that was valid at that time.
 *
 * @param hold resolves with a lease on the app of that name
 */
export function createSlotRepair(deps: {
  records: Pick<SlotRecords, 'correct'>;
  hold(sourceAppId: string): Promise<Lease | undefined>;
}) {
  const { records, hold } = deps;

  /**
   * @param before the slots of the lease under which the write was made
   * @throws {Unavailable} when the record or the slots keep changing
   */
  return async (write: LateWrite, before: readonly IndexSlot[] | undefined): Promise<void> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const lease = await hold(write.sourceAppId);
      // Another incarnation has other records, and those of this one are being removed.
      if (!lease?.app.id.equals(write.appId)) return;
      if (isSameSlots(lease.app.slots, before)) return;
      const current = (lease.app.slots ?? []).filter(isWritten);
      const unused = (write.slots ?? [])
        .map(({ slot }) => slot)
        .filter((slot) => !current.some((use) => use.slot === slot));
      const { slotEpoch = 0 } = lease.app;
      if ((await records.correct(write, current, unused, slotEpoch)) && lease.isCurrent()) return;
    }
    throw new Unavailable();
  };
}
