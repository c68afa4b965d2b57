import type { ObjectId, UUID } from 'mongodb';
import { beginsBefore } from '../../platform/database/clock.ts';
import { firstIdAt } from '../../platform/database/ordered-ids.ts';
import type { AppOwned } from '../feature.ts';
import { newestFirst, theseRecords, type UserCollection, type UserDocument } from './users.model.ts';

/** Neither smaller statements nor pauses help submissions to other apps (decision 36). */
const REMOVAL_STEP = 1_000;

/** Declares that records belong to apps, and creates their removal. */
export function createRecordRemoval(users: UserCollection): AppOwned {
  /** From the last removed id on: MongoDB would pass over the keys of all removed records. */
  function recordsFrom(appId: ObjectId, since: Date | undefined, last: UUID | undefined) {
    const created = { appId, ...(since && { _id: { $gte: firstIdAt(since) } }) };
    const options = { ...newestFirst(appId, last), projection: { email: 1 }, limit: REMOVAL_STEP };
    return users.find<Pick<UserDocument, '_id' | 'email'>>(created, options).toArray();
  }

  return {
    async has(appId, created, time) {
      const _id = { [created === 'before' ? '$lt' : '$gte']: firstIdAt(time) };
      return (await users.findOne({ appId, _id }, { projection: { _id: 1 } })) !== null;
    },

    async removeAll(appId, since, guard) {
      let removed = 0;
      let last: UUID | undefined;
      for (;;) {
        const found = await recordsFrom(appId, since, last);
        if (found.length === 0) return removed;
        const inTime = guard && beginsBefore(await guard());
        const those = { ...theseRecords(appId, found), ...inTime };
        const { deletedCount } = await users.deleteMany(those, { hint: { _id: 1 } });
        // Others removed some, or the statement began too late: read them again.
        if (deletedCount === found.length) last = found.at(-1)?._id;
        removed += deletedCount;
      }
    },
  };
}
