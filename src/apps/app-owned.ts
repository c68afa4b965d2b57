import type { Types } from 'mongoose';

/**
 * Something that belongs to an app and lives and dies with it: its schema versions, users and sessions. The apps feature knows its
 * dependents only through this, so that imports keep pointing one way (docs/architecture.md).
 */
export interface AppOwned {
  /** Lays what a new app begins with, before the app can be seen. Can be repeated. */
  prepare?(appId: Types.ObjectId): Promise<void>;
  /**
   * Removes all of it, or only what was made at `since` or later, and returns how many documents that
   * were. Can be repeated.
   */
  removeAll(appId: Types.ObjectId, since?: Date): Promise<number>;
  /** Whether any of it was made before `time`, or at `time` and later. */
  has(appId: Types.ObjectId, made: 'before' | 'since', time: Date): Promise<boolean>;
}
