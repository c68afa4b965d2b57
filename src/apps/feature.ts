import type { Types } from 'mongoose';
import type { Route } from '../api/endpoint.ts';
import type { CollectionIndexes } from '../database/collections.ts';
import type { Job } from '../jobs/job-runner.ts';
import type { JobWorker } from '../jobs/job-worker.ts';

/**
 * Resolves with the time of MongoDB's clock until which a removal may begin a statement; rejects
 * when the app may not be removed any more, because it was restored.
 */
export type RemovalGuard = () => Promise<Date>;

/**
 * Data that belongs to one incarnation of an app and is deleted with it: schema versions, users and
 * sessions. The apps feature knows its dependents only through this interface, so that imports
 * point in one direction (docs/architecture.md).
 */
export interface AppOwned {
  /** Stores the initial data of a new app before the app becomes visible. Idempotent. */
  prepare?(appId: Types.ObjectId): Promise<void>;
  /**
   * Removes all of the app's data, or only what was created at or after `since`. Resolves with the
   * number of removed documents. Idempotent.
   *
   * @param guard asked before each step, by what takes many steps
   */
  removeAll(appId: Types.ObjectId, since?: Date, guard?: RemovalGuard): Promise<number>;
  /** Resolves with whether the app has data created before `time`, or at or after it (`since`). */
  has(appId: Types.ObjectId, made: 'before' | 'since', time: Date): Promise<boolean>;
}

/** Something that is held of a person, with the app that holds it, as an export shows it. */
export interface PersonEntry {
  appId: Types.ObjectId;
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
  entriesOf(appIds: readonly Types.ObjectId[], email: string): AsyncIterable<PersonEntry>;
  /** Erases it permanently; resolves with the number of erased documents. */
  eraseOf(appIds: readonly Types.ObjectId[], email: string): Promise<number>;
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
