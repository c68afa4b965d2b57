import { mongo, type Types } from 'mongoose';
import type { AppOwned } from '../apps/app-owned.ts';
import { firstIdAt } from './record-id.ts';
import type { UserCollection, UserDocument } from './users.model.ts';

/**
 * The records of a statement. Neither smaller statements nor rests between them help submissions to
 * other apps (docs/performance.md, "Data work").
 */
const STEP = 1_000;

const NEWEST_FIRST = { appId: 1, _id: -1 } as const;

/** Creates the removal of the records of an app. */
export function createRecordRemoval(users: UserCollection): AppOwned['removeAll'] {
  return async (appId, since) => {
    let removed = 0;
    let last: mongo.UUID | undefined;
    for (;;) {
      const ids = await idsFrom(appId, since, last);
      if (ids.length === 0) return removed;
      last = ids.at(-1);
      const { deletedCount } = await users.deleteMany({ appId, _id: { $in: ids } });
      removed += deletedCount;
    }
  };

  /**
   * Resolves with the next ids, newest first. They begin at the last one that was removed: MongoDB
   * would pass over the keys of all others that were removed.
   */
  async function idsFrom(
    appId: Types.ObjectId,
    since: Date | undefined,
    last: mongo.UUID | undefined,
  ): Promise<mongo.UUID[]> {
    const createdSince = since ? { _id: { $gte: firstIdAt(since) } } : {};
    // Bounds of the index find ids of any type.
    const bounds = { min: { appId, _id: last ?? new mongo.MaxKey() }, max: { appId, _id: new mongo.MinKey() } };
    const options = { projection: { _id: 1 }, hint: NEWEST_FIRST, sort: NEWEST_FIRST, ...bounds, limit: STEP } as const;
    const found = await users.find<Pick<UserDocument, '_id'>>(createdSince, options).toArray();
    return found.map(({ _id }) => _id);
  }
}
