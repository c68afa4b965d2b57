import type { Filter, Document as MongoDocument, ObjectId } from 'mongodb';
import type { Route } from '../api/endpoint.ts';
import type { Collection, CollectionIndexes } from '../database/collections.ts';
import { type RemovalGuard, removeInSteps } from '../database/removal.ts';
import type { Job } from '../jobs/job-runner.ts';
import type { JobWorker } from '../jobs/job-worker.ts';

/**
 * Data that belongs to one incarnation of an app and is deleted with it: schema versions, users and
 * sessions. The apps feature knows its dependents only through this interface, so that imports
 * point in one direction (docs/architecture.md).
 */
export interface AppOwned {
  /** Stores the initial data of a new app before the app becomes visible. Idempotent. */
  prepare?(appId: ObjectId): Promise<void>;
  /**
   * Removes all of the app's data, or only what was created at or after `since`. Resolves with the
   * number of removed documents. Idempotent.
   *
   * @param guard asked before each step; rejects when the app was restored
   */
  removeAll(appId: ObjectId, since?: Date, guard?: RemovalGuard): Promise<number>;
  /** Resolves with whether the app has data created before `time`, or at or after it (`since`). */
  has(appId: ObjectId, made: 'before' | 'since', time: Date): Promise<boolean>;
}

/**
 * Declares that all documents of a collection belong to apps.
 *
 * @param created the member that holds the time of creation, or whose order is that of creation
 * @param of matches the documents of an app; default: by `appId`
 * @param valueAt the value of `created` in a document of this time; default: the time
 */
export function ownedBy<Document extends MongoDocument>(
  collection: Collection<Document>,
  created: keyof Document & string,
  {
    of = (appId) => ({ appId }),
    valueAt = (time) => time,
  }: { of?(appId: ObjectId): object; valueAt?(time: Date): unknown } = {},
): AppOwned {
  const filterOf = (appId: ObjectId, range?: object) =>
    ({ ...of(appId), ...(range && { [created]: range }) }) as unknown as Filter<Document>;
  return {
    removeAll: (appId, since, guard) =>
      removeInSteps(collection, filterOf(appId, since && { $gte: valueAt(since) }), guard),
    has: async (appId, made, time) => {
      const range = { [made === 'before' ? '$lt' : '$gte']: valueAt(time) };
      return (await collection.findOne(filterOf(appId, range), { projection: { _id: 1 } })) !== null;
    },
  };
}

/** Something that is held of a person, with the app that holds it, as an export shows it. */
export interface PersonEntry {
  appId: ObjectId;
  /** The members of the entry in the export, beginning with `kind`. */
  shown: Record<string, unknown>;
}

/**
 * Data of persons that a feature keeps. Exports and erasures of a person know the features only
 * through this interface, so that imports point down (docs/architecture.md).
 */
export interface PersonData {
  /** The name of its count in the receipt of an erasure. */
  name: string;
  /** What these apps, at most {@link APPS_AT_ONCE}, hold of the person of this email. */
  entriesOf(appIds: readonly ObjectId[], email: string): AsyncIterable<PersonEntry>;
  /** Erases it permanently; resolves with the number of erased documents. */
  eraseOf(appIds: readonly ObjectId[], email: string): Promise<number>;
}

/** The apps that one query names. */
export const APPS_AT_ONCE = 500;

/** What a feature declares to the rest of the service. services.ts reads it; nothing adds to it. */
export interface Feature {
  routes?: readonly Route[];
  /** The collections whose indexes exist before the server listens. */
  models?: readonly CollectionIndexes[];
  jobs?: readonly Job[];
  /** Jobs that run in a process of their own. */
  workers?: readonly JobWorker[];
  /** What is deleted with an app. */
  owned?: readonly AppOwned[];
  /** What is held of a person, in the order of an erasure. */
  personal?: readonly PersonData[];
  /** Changes stored data before the indexes are created. */
  prepare?(): Promise<void>;
  /** Stops work in progress, before the background jobs stop. */
  stop?(): Promise<void>;
  /** Writes what is pending and releases connections, after the background jobs have stopped. */
  close?(): unknown;
}
