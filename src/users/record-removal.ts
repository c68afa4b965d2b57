import { mongo, type Types } from 'mongoose';
import type { AppOwned } from '../apps/app-owned.ts';
import type { Pace } from '../apps/pace.ts';
import { firstIdAt } from './record-id.ts';
import type { UserCollection, UserDocument } from './users.model.ts';

/** The records of a statement, alone and beside submissions, which wait for it. */
const STEP = 1_000;
const STEP_IF_BUSY = 300;
/** The statements at a time while nobody submits. */
const STATEMENTS = 2;

const NEWEST_FIRST = { appId: 1, _id: -1 } as const;

/**
 * Creates the removal of the records of an app.
 *
 * @param pace while submissions arrive, the steps are small, with rests
 */
export function createRecordRemoval(users: UserCollection, pace: Pace): AppOwned['removeAll'] {
  return async (appId, since) => {
    let removed = 0;
    let last: mongo.UUID | undefined;
    for (;;) {
      const begun = performance.now();
      const busy = await pace.isBusy();
      const ids = await idsFrom(appId, { since, last, limit: busy ? STEP_IF_BUSY : STEP * STATEMENTS });
      if (ids.length === 0) return removed;
      last = ids.at(-1);
      const parts = busy ? [ids] : [ids.slice(0, STEP), ids.slice(STEP)].filter((part) => part.length > 0);
      const results = await Promise.all(parts.map((part) => users.deleteMany({ appId, _id: { $in: part } })));
      for (const { deletedCount } of results) removed += deletedCount;
      await pace.rest(begun);
    }
  };

  /**
   * Resolves with the next ids, newest first. They begin at the last one that was removed: MongoDB
   * would pass over the keys of all others that were removed.
   */
  async function idsFrom(
    appId: Types.ObjectId,
    { since, last, limit }: { since: Date | undefined; last: mongo.UUID | undefined; limit: number },
  ): Promise<mongo.UUID[]> {
    const createdSince = since ? { _id: { $gte: firstIdAt(since) } } : {};
    // Bounds of the index find ids of any type.
    const bounds = { min: { appId, _id: last ?? new mongo.MaxKey() }, max: { appId, _id: new mongo.MinKey() } };
    const options = { projection: { _id: 1 }, hint: NEWEST_FIRST, sort: NEWEST_FIRST, ...bounds, limit } as const;
    const found = await users.find<Pick<UserDocument, '_id'>>(createdSince, options).toArray();
    return found.map(({ _id }) => _id);
  }
}
