import { type Document, type FindOptions, MongoBulkWriteError, type ObjectId, type UUID } from 'mongodb';
import {
  BY_EMAIL,
  newestFirst,
  type RecordFilter,
  type RecordUpdate,
  type UserCollection,
  type UserDocument,
} from '../../core/users/users.model.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import { typedFilter } from '../../platform/database/filters.ts';

/** A filter of records with computed members, for folders that do not name the stored record. */
export const recordFilter = typedFilter<UserDocument>;

/** Joins filters; an empty one has no effect. */
export function allOf(...filters: readonly RecordFilter[]): RecordFilter {
  const conditions = filters.filter((filter) => Object.keys(filter).length > 0);
  if (conditions.length <= 1) return conditions[0] ?? {};
  return typedFilter<UserDocument>({ $and: conditions });
}

/** Reads the next `limit` records after `from`, newest first. */
export function readNext<Read extends Document>(
  users: UserCollection,
  appId: ObjectId,
  { from, limit }: { from: UUID | undefined; limit: number },
  options: Pick<FindOptions, 'projection' | 'raw'>,
): Promise<Read[]> {
  const next = { appId, ...(from && { _id: { $ne: from } }) };
  return users.find<Read>(next, { ...newestFirst(appId, from), limit, batchSize: limit + 1, ...options }).toArray();
}

/**
 * Updates records as they were read, in one statement. Resolves with whether all were as read, and
 * took their updates. @throws {Unavailable} when it is unknown whether the updates are durable
 */
export async function updateAsRead(
  users: UserCollection,
  updates: readonly { filter: RecordFilter; update: RecordUpdate }[],
): Promise<boolean> {
  try {
    // Without a hint MongoDB compares plans for each write.
    const operations = updates.map(({ filter, update }) => ({ updateOne: { filter, update, hint: BY_EMAIL } }));
    return (await users.bulkWrite(operations, { ordered: false })).matchedCount === operations.length;
  } catch (error) {
    // A stored value has another type since it was read; another attempt reads it again.
    if (!(error instanceof MongoBulkWriteError) || [error.writeErrors].flat().length === 0) throw error;
    if (error.result.getWriteConcernError()) throw new Unavailable();
    return false;
  }
}
