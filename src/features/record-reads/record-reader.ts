import { MinKey, type ObjectId } from 'mongodb';
import {
  BY_EMAIL,
  NEWEST_FIRST,
  type RecordFilter,
  type RecordId,
  type UserCollection,
  type UserDocument,
} from '../../core/users/users.model.ts';
import { type DocumentId, firstBatch, totalBytes } from '../../platform/bson/documents.ts';
import { beginsBefore } from '../../platform/database/clock.ts';
import { decodeExactly } from '../../platform/database/collections.ts';
import { isOverTime } from '../../platform/database/failures.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import { firstIdAt, parseUuid } from '../../platform/database/ordered-ids.ts';
import type { PersonData } from '../people/person-data.ts';
import type { RecordEraser } from '../records/erasure.ts';
import { type RecentRenames, shownRecord } from '../renames/shown-renames.ts';
import { createRecordDetails, type DetailedRecord, type RecordDetails } from './record-details.ts';
import { allOf } from './record-filters.ts';

/** The values of a record, under the new keys of renamed fields. */
export type RecordValues = Pick<UserDocument, '_id' | 'email' | 'data'>;

/** Some values of a record, as they are stored. */
export type StoredValues = Pick<UserDocument, '_id' | 'email' | 'schemaVersion'> & Partial<Pick<UserDocument, 'data'>>;

/** A record that is too large to be read with others. */
export interface UnreadRecord {
  bytes: number;
}

type Found = RecordValues & Pick<UserDocument, 'schemaVersion'>;

const VALUES = { email: 1, data: 1, schemaVersion: 1 } as const;

const DISPLAYED_COUNT_MS = 60_000;
/** The records of one statement: an answer of MongoDB has at most 16 MB of them. */
const STORED_AT_ONCE = 250;
/** The most bytes of records that one statement compares. */
const MAX_UNCHANGED_BYTES = 1024 * 1024;

export type RecordReader = ReturnType<typeof createRecordReader>;

/** Reads single records and small batches. Pages: record-pages.ts. */
export function createRecordReader(users: UserCollection, recentRenames: RecentRenames) {
  async function recordsOfPerson(appIds: readonly ObjectId[], email: string) {
    const options = { projection: { _id: 1, appId: 1 }, hint: BY_EMAIL } as const;
    return users.find<{ _id: RecordId; appId: ObjectId }>({ appId: { $in: [...appIds] }, email }, options).toArray();
  }

  return {
    /** Counts index keys. */
    count: (appId: ObjectId): Promise<number> => users.countDocuments({ appId }, { hint: NEWEST_FIRST }),

    /**
     * The numbers of records created between each two consecutive times, in one statement: a count
     * of a year by day in 365 statements takes two to four times as long.
     */
    async countCreated(appId: ObjectId, times: readonly Date[]): Promise<number[]> {
      const [first = [], ...others] = times
        .slice(1)
        .map((until, part) => [
          { $match: { appId, _id: { $gte: firstIdAt(times[part] ?? until), $lt: firstIdAt(until) } } },
          { $group: { _id: part, count: { $sum: 1 } } },
        ]);
      const unions = others.map((pipeline) => ({ $unionWith: { coll: users.collectionName, pipeline } }));
      const counts = new Array<number>(times.length - 1).fill(0);
      const groups = users.aggregate<{ _id: number; count: number }>([...first, ...unions], { hint: NEWEST_FIRST });
      for await (const { _id, count } of groups) counts[_id] = count;
      return counts;
    },

    /** The number of records by app, in one index scan; a count for each app takes much longer. */
    async countByApp(): Promise<Map<string, number>> {
      const groups = users.aggregate<{ _id: ObjectId; count: number }>(
        [{ $match: { appId: { $gt: new MinKey() } } }, { $group: { _id: '$appId', count: { $sum: 1 } } }],
        { hint: NEWEST_FIRST },
      );
      const counts = new Map<string, number>();
      for await (const { _id, count } of groups) counts.set(_id.toHexString(), count);
      return counts;
    },

    /** 0 when it takes more than a minute. */
    async countForDisplay(appId: ObjectId): Promise<number> {
      try {
        return await users.countDocuments({ appId }, { hint: NEWEST_FIRST, maxTimeMS: DISPLAYED_COUNT_MS });
      } catch (error) {
        if (isOverTime(error)) return 0;
        throw error;
      }
    },

    exists: async (appId: ObjectId, email: string): Promise<boolean> =>
      (await users.findOne({ appId, email }, { projection: { _id: 1 } })) !== null,

    /** A person's records: at most one in each app (invariant 2). */
    recordsOfPerson,

    idsOfPerson: async (appIds: readonly ObjectId[], email: string): Promise<RecordId[]> =>
      (await recordsOfPerson(appIds, email)).map(({ _id }) => _id),

    /** @param projection of the members that are read, with `data` and `schemaVersion` */
    async find<Shown extends Found = Found>(
      appId: ObjectId,
      _id: RecordId,
      projection: Record<string, number> = VALUES,
    ): Promise<Shown | undefined> {
      const renames = (await recentRenames()).get(appId.toHexString());
      const found = await users.findOne<Shown>({ _id, appId }, { projection });
      return found ? shownRecord(found, renames) : undefined;
    },

    /** The existing records of these ids, by id in hexadecimal; above `maxBytes` only the size. */
    async findSome(
      appId: ObjectId,
      ids: readonly RecordId[],
      maxBytes: number,
    ): Promise<Map<string, RecordValues | UnreadRecord>> {
      const bytes = { $bsonSize: '$$ROOT' };
      const data = { $cond: [{ $gt: [bytes, maxBytes] }, '$$REMOVE', '$data'] };
      const renames = (await recentRenames()).get(appId.toHexString());
      const found = await users
        .find<Found & UnreadRecord>({ _id: { $in: [...ids] }, appId }, { projection: { ...VALUES, data, bytes } })
        .toArray();
      return new Map(
        found.map(({ bytes: size, ...record }) => [
          record._id.toHexString(),
          size > maxBytes ? { bytes: size } : shownRecord(record, renames),
        ]),
      );
    },

    /**
     * Yields those of these records that exist, as they are stored: before their move under the old
     * keys of renamed fields.
     * @param projection with `schemaVersion`, and of `data` what is read
     */
    async *stored(
      appId: ObjectId,
      ids: readonly RecordId[],
      projection: Record<string, 1>,
    ): AsyncGenerator<StoredValues> {
      for (let at = 0; at < ids.length; at += STORED_AT_ONCE) {
        const _id = { $in: ids.slice(at, at + STORED_AT_ONCE) };
        yield* users.find<StoredValues>({ appId, _id }, { projection, batchSize: STORED_AT_ONCE });
      }
    },

    /**
     * Resolves with those of some records that match, and the filter for their present state;
     * undefined when they are too large to be read together.
     */
    async unchanged(
      appId: ObjectId,
      ids: readonly DocumentId[],
      filter: RecordFilter,
      matches: (document: Uint8Array) => boolean,
    ): Promise<{ ids: DocumentId[]; filter: RecordFilter } | undefined> {
      const named = allOf({ appId, _id: { $in: [...ids] } }, filter);
      const options = { projection: { email: 1, data: 1 }, raw: true, batchSize: ids.length + 1 } as const;
      const { documents, isWhole } = await firstBatch(users.find<Uint8Array>(named, options));
      if (ids.length > 1 && (!isWhole || totalBytes(documents) > MAX_UNCHANGED_BYTES)) return undefined;
      const found = documents.filter(matches).map((bytes) => decodeExactly<RecordValues>(bytes));
      const unchanged = found.map(({ _id, data }) => ({ _id, data: { $eq: data } }));
      return {
        ids: found.map(({ _id }) => _id),
        filter: typedFilter<UserDocument>(unchanged.length > 0 ? { $or: unchanged } : {}),
      };
    },

    /** The times of the first `limit` records after `after`, in the order of creation. */
    oldest(
      appId: ObjectId,
      { after, before, limit }: { after: RecordId | undefined; before: Date; limit: number },
    ): Promise<Pick<UserDocument, '_id' | 'createdAt' | 'updatedAt'>[]> {
      const range = { ...(after && { $gt: after }), $lt: firstIdAt(before) };
      const projection = { createdAt: 1, updatedAt: 1 };
      return users
        .find({ appId, _id: range }, { projection, hint: NEWEST_FIRST, sort: { _id: 1 }, limit, batchSize: limit })
        .toArray();
    },
  };
}

export type FindDetails = ReturnType<typeof createDetailsFinder>;

/** Creates the read of one record with what features show of it; undefined: there is none. */
export const createDetailsFinder =
  ({ find }: Pick<RecordReader, 'find'>, { projection }: Pick<RecordDetails, 'projection'>) =>
  async (appId: ObjectId, id: string): Promise<DetailedRecord | undefined> => {
    const _id = parseUuid(id);
    return _id && find<DetailedRecord>(appId, _id, projection);
  };

/** Records have up to 1 MB each. */
const BATCH_SIZE = 10;

/** The records of a person: at most one in each app (invariant 2). */
export function createPersonRecords(
  users: UserCollection,
  recentRenames: RecentRenames,
  erase: RecordEraser,
  details = createRecordDetails(),
): PersonData {
  return {
    name: 'records',

    async *entriesOf(appIds, email) {
      const options = { projection: { ...details.projection, appId: 1 }, hint: BY_EMAIL, batchSize: BATCH_SIZE };
      const renames = await recentRenames();
      const found = users.find<DetailedRecord & { appId: ObjectId }>({ appId: { $in: [...appIds] }, email }, options);
      for await (const record of found) {
        const shown = shownRecord(record, renames.get(record.appId.toHexString()));
        yield { appId: record.appId, shown: { kind: 'record', ...details.present(shown) } };
      }
    },

    async eraseOf(appIds, email, guard) {
      const options = { projection: { appId: 1 }, hint: BY_EMAIL };
      const own = { appId: { $in: [...appIds] }, email };
      let left = await users.find(own, options).toArray();
      let erased = 0;
      while (left.length > 0) {
        for (const { _id, appId } of left) {
          erased += await erase(appId, [_id], { email, ...beginsBefore(await guard()) });
        }
        // Not what is submitted meanwhile: a stranger could keep the erasure from its end.
        left = await users.find({ ...own, _id: { $in: left.map(({ _id }) => _id) } }, options).toArray();
      }
      return erased;
    },
  };
}
