import type { mongo, Types } from 'mongoose';
import type { AppOwned } from '../apps/app-owned.ts';
import type { Collection } from '../database/collections.ts';

/** The documents that one step of a removal deletes. */
const STEP = 1_000;

/** Removes what the filter matches in bounded statements; resolves with the number of documents. */
export async function removeInSteps<Document extends mongo.Document & { _id: unknown }>(
  collection: Collection<Document>,
  filter: mongo.Filter<Document>,
): Promise<number> {
  for (let removed = 0; ; ) {
    const step = await removeStep(collection, filter);
    if (step === undefined) return removed;
    removed += step;
  }
}

/** Removes some documents; resolves with their number, or with undefined when none is left. */
async function removeStep<Document extends mongo.Document & { _id: unknown }>(
  collection: Collection<Document>,
  filter: mongo.Filter<Document>,
): Promise<number | undefined> {
  const step = await collection.find(filter, { projection: { _id: 1 }, limit: STEP }).toArray();
  if (step.length === 0) return undefined;
  const ids = { _id: { $in: step.map(({ _id }) => _id) } };
  // With the filter, because a document of the same id may have been stored since.
  const found = { $and: [filter, ids] } as unknown as mongo.Filter<Document>;
  return (await collection.deleteMany(found)).deletedCount;
}

/**
 * Removes what the filter matches for about this time; resolves with whether nothing is left.
 */
export async function removeSome<Document extends mongo.Document & { _id: unknown }>(
  collection: Collection<Document>,
  filter: mongo.Filter<Document>,
  forMs: number,
): Promise<boolean> {
  const until = performance.now() + forMs;
  do {
    if ((await removeStep(collection, filter)) === undefined) return true;
  } while (performance.now() < until);
  return false;
}

/** What a collection holds of an app, by a member that has the time of creation. */
export function ownedByTime<Document extends mongo.Document & { _id: unknown; appId: Types.ObjectId }>(
  collection: Collection<Document>,
  time: 'at' | 'createdAt',
): AppOwned {
  const filterOf = (appId: Types.ObjectId, range?: object) =>
    ({ appId, ...(range && { [time]: range }) }) as unknown as mongo.Filter<Document>;
  return {
    removeAll: (appId, since) => removeInSteps(collection, filterOf(appId, since && { $gte: since })),
    has: async (appId, made, at) =>
      (await collection.findOne(filterOf(appId, { [made === 'before' ? '$lt' : '$gte']: at }), {
        projection: { _id: 1 },
      })) !== null,
  };
}
