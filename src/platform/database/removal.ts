import type { Filter, Document as MongoDocument, ObjectId } from 'mongodb';
import { beginsBefore } from './clock.ts';
import type { Collection } from './collections.ts';

/** The documents that one statement removes. */
const STEP = 1_000;

/**
 * Resolves with the time of MongoDB's clock until which a removal may begin a statement; rejects
 * when nothing may be removed any more.
 */
export type RemovalGuard = () => Promise<Date>;

/** What is removed for its age. */
export interface Older {
  before: Date;
  /** A statement that begins later, by MongoDB's clock, removes nothing: the setting may differ. */
  until: Date;
}

/**
 * Removes what the filter matches in bounded statements; resolves with the number of documents.
 *
 * @param guard asked before each statement that removes something
 * @param keyMembers the members of the shard key besides `_id` and those that the filter names
 */
export async function removeInSteps<Document extends MongoDocument>(
  collection: Collection<Document>,
  filter: Filter<Document>,
  guard?: RemovalGuard,
  keyMembers: readonly (keyof Document & string)[] = [],
): Promise<number> {
  let removed = 0;
  while (true) {
    const step = await removeStep(collection, filter, guard, keyMembers);
    if (step === undefined) return removed;
    removed += step;
  }
}

/** Removes what the filter matches for about this time; resolves with whether nothing is left. */
export async function removeSome<Document extends MongoDocument>(
  collection: Collection<Document>,
  filter: Filter<Document>,
  forMs: number,
  guard?: RemovalGuard,
): Promise<boolean> {
  const until = performance.now() + forMs;
  do {
    if ((await removeStep(collection, filter, guard)) === undefined) return true;
  } while (performance.now() < until);
  return false;
}

/** Removes some documents; resolves with their number, or with undefined when none is left. */
async function removeStep<Document extends MongoDocument>(
  collection: Collection<Document>,
  filter: Filter<Document>,
  guard?: RemovalGuard,
  keyMembers: readonly string[] = [],
): Promise<number | undefined> {
  const named = ['_id', ...keyMembers];
  const projection = Object.fromEntries(named.map((member) => [member, 1]));
  const step = await collection.find<MongoDocument>(filter, { projection, limit: STEP }).toArray();
  if (step.length === 0) return undefined;
  // After the read: what is found was there when the guard allowed to remove it.
  const inTime = guard && beginsBefore(await guard());
  const those = Object.fromEntries(named.map((member) => [member, { $in: step.map((one) => one[member]) }]));
  // With the filter, because a document of the same id may have been stored since.
  const found = { $and: [filter, those], ...inTime } as unknown as Filter<Document>;
  return (await collection.deleteMany(found, { hint: { _id: 1 } })).deletedCount;
}

/** The documents of a collection by their owner, an app. */
interface Owned {
  /** As `removeInSteps`, of all documents, or of those created at or after `since`. */
  removeAll(appId: ObjectId, since?: Date, guard?: RemovalGuard): Promise<number>;
  /** Whether there are documents that were created before, or at or after (`since`), `time`. */
  has(appId: ObjectId, made: 'before' | 'since', time: Date): Promise<boolean>;
}

/**
 * Tells which documents of a collection belong to an owner, and removes them.
 * @param created the member that holds the time of creation, or has the order of creation
 * @param of matches the documents of an owner; default: `appId`
 * @param valueAt the value of `created` at a time
 * @param keyMembers see `removeInSteps`
 */
export function ownedBy<Document extends MongoDocument>(
  collection: Collection<Document>,
  created: keyof Document & string,
  {
    of = (appId) => ({ appId }),
    valueAt = (time) => time,
    keyMembers = [],
  }: {
    of?(appId: ObjectId): object;
    valueAt?(time: Date): unknown;
    keyMembers?: readonly (keyof Document & string)[];
  } = {},
): Owned {
  const filterOf = (appId: ObjectId, range?: object) =>
    ({ ...of(appId), ...(range && { [created]: range }) }) as unknown as Filter<Document>;
  return {
    removeAll: (appId, since, guard) =>
      removeInSteps(collection, filterOf(appId, since && { $gte: valueAt(since) }), guard, keyMembers),
    has: async (appId, made, time) => {
      const range = { [made === 'before' ? '$lt' : '$gte']: valueAt(time) };
      return (await collection.findOne(filterOf(appId, range), { projection: { _id: 1 } })) !== null;
    },
  };
}
