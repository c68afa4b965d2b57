import type { Types } from 'mongoose';

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
