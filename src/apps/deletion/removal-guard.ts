import type { Types } from 'mongoose';
import { Unavailable } from '../../core/errors.ts';
import type { DatabaseClock } from '../../database/database-clock.ts';
import type { RemovalGuard } from '../app-owned.ts';
import type { AppCollection, DeletedAppCollection } from '../apps.model.ts';

/** How long what the guard saw is relied on. */
const VALID_MS = 10_000;

/** Returns the guard of an incarnation of an app. */
export type GuardOf = (appId: Types.ObjectId) => RemovalGuard;

/**
 * Creates the guards of removals. A server may be suspended while it removes an app; another one
 * finishes the deletion, and an operator restores the app with its `_id`. The guard then rejects,
 * and a statement that was sent before begins too late to remove anything (invariant 8).
 */
export function createRemovalGuard(deps: {
  apps: AppCollection;
  deletedApps: DeletedAppCollection;
  clock: Pick<DatabaseClock, 'read'>;
}): GuardOf {
  const { apps, deletedApps, clock } = deps;
  return (_id) => async () => {
    const now = await clock.read();
    const app = await apps.findOne({ _id }, { projection: { deletingSince: 1 } });
    // The tombstone is written before the app is removed.
    const mayBeRemoved = app ? app.deletingSince !== undefined : (await deletedApps.findOne({ _id })) !== null;
    if (!mayBeRemoved) throw new Unavailable('The app was restored while it was deleted');
    return new Date(now.getTime() + VALID_MS);
  };
}
