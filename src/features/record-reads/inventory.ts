import type { Binary, ObjectId, UUID } from 'mongodb';
import { NEWEST_FIRST, type UserCollection, type UserDocument } from '../../core/users/users.model.ts';
import { isMissingHint } from '../../platform/database/failures.ts';
import { firstIdAt } from '../../platform/database/ordered-ids.ts';
import { BY_FIRST_EVENT, WAITING } from '../outbox/outbox.ts';
import type { ErasureCollection } from '../records/erasure.ts';

/** The records of one statement. Each statement reads this many at most. */
const STEP = 5_000;
const STEP_TIME_MS = 30_000;
const LOOK_TIME_MS = 3_000;

/** Some records of an app that were created before a time, in the order of the walk. */
interface CountedRecords {
  ids: Binary[];
  newestCreatedAt: Date;
  newestUpdatedAt: Date;
}

/** Reads about all records, for backups and diagnoses. It changes nothing. */
export function createInventory(users: UserCollection, erasures: ErasureCollection) {
  return {
    /**
     * Walks the records of an app that were created before `until`, newest first, in bounded
     * statements. Memory does not grow with the number of records.
     */
    async *recordsOf(appId: ObjectId, until: Date): AsyncGenerator<CountedRecords> {
      let before: Binary | UUID = firstIdAt(until);
      for (;;) {
        const [found] = await users
          .aggregate<CountedRecords>(
            [
              { $match: { appId, _id: { $lt: before } } },
              { $sort: { _id: -1 } },
              { $limit: STEP },
              { $project: { createdAt: 1, updatedAt: 1 } },
              {
                $group: {
                  _id: null,
                  ids: { $push: '$_id' },
                  newestCreatedAt: { $max: '$createdAt' },
                  newestUpdatedAt: { $max: '$updatedAt' },
                },
              },
            ],
            { hint: NEWEST_FIRST, maxTimeMS: STEP_TIME_MS },
          )
          .toArray();
        const last = found?.ids.at(-1);
        if (!found || !last) return;
        yield found;
        if (found.ids.length < STEP) return;
        before = last;
      }
    },

    /** Resolves with the time of the oldest event that waits; undefined when there is none. */
    async oldestWaitingEvent(): Promise<Date | undefined> {
      const [change, erasure] = await Promise.all([oldestChange(), oldestErasure()]);
      return change && erasure ? new Date(Math.min(change.getTime(), erasure.getTime())) : (change ?? erasure);
    },
  };

  async function oldestChange(): Promise<Date | undefined> {
    try {
      const options = { projection: { 'outbox.at': 1 }, hint: BY_FIRST_EVENT, sort: BY_FIRST_EVENT, limit: 1 };
      const [found] = await users
        .find<Pick<UserDocument, 'outbox'>>(WAITING, { ...options, maxTimeMS: LOOK_TIME_MS })
        .toArray();
      return found?.outbox?.[0]?.at;
    } catch (error) {
      // The index does not exist: there was never a consumer.
      if (isMissingHint(error)) return undefined;
      throw error;
    }
  }

  async function oldestErasure(): Promise<Date | undefined> {
    const options = { projection: { at: 1 }, sort: { at: 1 }, limit: 1, maxTimeMS: LOOK_TIME_MS } as const;
    const [found] = await erasures.find({}, options).toArray();
    return found?.at;
  }
}
