import type { ObjectId, UUID } from 'mongodb';
import type { AppOwned } from '../apps/feature.ts';
import { beginsBefore } from '../database/clock.ts';
import type { RecordEraser } from './erasure.ts';
import { newestFirst, theseRecords, type UserCollection, type UserDocument } from './record.ts';
import { firstIdAt, parseRecordId } from './record-id.ts';
import { DETAILS_PROJECTION, type DetailedRecord, type RecordBatches } from './record-json.ts';
import { type RecentRenames, shownRecord } from './record-moves.ts';
import type { RecordPages } from './record-pages.ts';

/** Neither smaller statements nor pauses help submissions to other apps (decision 36). */
const REMOVAL_STEP = 1_000;

/** Reads and deletes stored records (spec 2.1). */
export interface UserStore extends AppOwned {
  /** The records of an app, newest first. */
  ofApp(appId: ObjectId, signal?: AbortSignal): RecordBatches;
  find(appId: ObjectId, id: string): Promise<DetailedRecord | undefined>;
  /** The existing records of these ids, newest first. */
  byIds(appId: ObjectId, ids: readonly string[]): RecordBatches;
  /** Deletes a record and its idempotency keys; resolves with false when there is none. */
  erase(appId: ObjectId, id: string): Promise<boolean>;
  /** Deletes the record of this email if it was created at `createdAt`. */
  withdraw(record: Pick<UserDocument, 'appId' | 'email' | 'createdAt'>): Promise<void>;
  /** A page of the records of one app, or of all apps, newest first; none of an unknown app. */
  page(sourceAppId: string | undefined, limit: number, skip: number): RecordBatches;
}

/** Creates the store of user records. */
export function createUserStore(
  users: UserCollection,
  pages: RecordPages,
  recentRenames: RecentRenames,
  findAppId: (sourceAppId: string) => Promise<ObjectId | undefined>,
  erase: RecordEraser,
): UserStore {
  return {
    ofApp: (appId, signal) => pages.all(appId, {}, signal),

    async find(appId, id) {
      const _id = parseRecordId(id);
      if (_id === undefined) return undefined;
      const projection = DETAILS_PROJECTION;
      const renames = (await recentRenames()).get(appId.toHexString());
      const record = await users.findOne<DetailedRecord>({ _id, appId }, { projection });
      return record ? shownRecord(record, renames) : undefined;
    },

    byIds(appId, ids) {
      const descending = [...new Set(ids.map((id) => id.toLowerCase()))].toSorted().toReversed();
      return pages.byIds(
        appId,
        descending.flatMap((id) => parseRecordId(id) ?? []),
      );
    },

    async erase(appId, id) {
      const _id = parseRecordId(id);
      return _id !== undefined && (await erase(appId, [_id])) > 0;
    },

    async withdraw({ appId, email, createdAt }) {
      await users.deleteOne({ appId, email, createdAt });
    },

    async *page(sourceAppId, limit, skip) {
      const appId = sourceAppId === undefined ? undefined : await findAppId(sourceAppId);
      if (sourceAppId !== undefined && appId === undefined) return;
      yield* pages.slice(appId, { skip, limit });
    },

    async has(appId, created, time) {
      const _id = { [created === 'before' ? '$lt' : '$gte']: firstIdAt(time) };
      return (await users.findOne({ appId, _id }, { projection: { _id: 1 } })) !== null;
    },

    removeAll: createRecordRemoval(users),
  };
}

/** Creates the removal of the records of an app. */
export function createRecordRemoval(users: UserCollection): AppOwned['removeAll'] {
  return async (appId, since, guard) => {
    let removed = 0;
    let last: UUID | undefined;
    for (;;) {
      const inTime = guard && beginsBefore(await guard());
      const found = await recordsFrom(appId, since, last);
      if (found.length === 0) return removed;
      const those = { ...theseRecords(appId, found), ...inTime };
      const { deletedCount } = await users.deleteMany(those, { hint: { _id: 1 } });
      // Others removed some, or the statement began too late: read them again.
      if (deletedCount === found.length) last = found.at(-1)?._id;
      removed += deletedCount;
    }
  };

  /** From the last removed id on: MongoDB would pass over the keys of all removed records. */
  function recordsFrom(appId: ObjectId, since: Date | undefined, last: UUID | undefined) {
    const created = { appId, ...(since && { _id: { $gte: firstIdAt(since) } }) };
    const options = { ...newestFirst(appId, last), projection: { email: 1 }, limit: REMOVAL_STEP };
    return users.find<Pick<UserDocument, '_id' | 'email'>>(created, options).toArray();
  }
}
