import type { Types } from 'mongoose';
import type { AppOwned } from '../apps/app-owned.ts';
import { parseRecordId } from './record-id.ts';
import type { RecordBatches } from './record-json.ts';
import type { RecordPages } from './record-pages.ts';
import type { OpenSlice } from './record-slice.ts';
import type { UserCollection, UserDocument } from './users.model.ts';

/** How many records one step of a removal takes: each step stays short, however many there are. */
const REMOVAL_STEP = 2_000;
/** How long the query for one page may run; below the deadline of a request. */
const PAGE_TIME_MS = 2_200;
/** A record as listings show it: without what the service keeps for itself. */
export type UserRecord = Omit<UserDocument, 'appliedKeys' | 'arraySizes'>;

const HIDDEN = { appliedKeys: 0, arraySizes: 0 };

/** The stored records of apps' users. */
export interface UserStore extends AppOwned {
  /** An app's records, newest first, read as they are consumed. @param signal ends the reading early */
  ofApp(appId: Types.ObjectId, signal?: AbortSignal): RecordBatches;
  /** The record of that id, if it is one of this app's. */
  find(appId: Types.ObjectId, id: string): Promise<UserRecord | undefined>;
  /** Removes the record of that id, if it is one of this app's; says whether it was. */
  erase(appId: Types.ObjectId, id: string): Promise<boolean>;
  /** A page of records, newest first, of one app's name or of all. */
  page(sourceAppId: string | undefined, limit: number, skip: number): RecordBatches;
}

export function createUserStore(
  users: UserCollection,
  pages: RecordPages,
  findAppId: (sourceAppId: string) => Promise<Types.ObjectId | undefined>,
): UserStore {
  return {
    ofApp: (appId, signal) => pages.all(appId, {}, signal),

    async find(appId, id) {
      const _id = parseRecordId(id);
      return (_id && (await users.findOne<UserRecord>({ _id, appId }, { projection: HIDDEN }))) ?? undefined;
    },

    async erase(appId, id) {
      const _id = parseRecordId(id);
      return _id !== undefined && (await users.deleteOne({ _id, appId })).deletedCount === 1;
    },

    async *page(sourceAppId, limit, skip) {
      const appId = sourceAppId === undefined ? undefined : await findAppId(sourceAppId);
      if (sourceAppId !== undefined && appId === undefined) return;
      const open: OpenSlice = (slice, idsOnly) =>
        users
          .find<Uint8Array>(appId ? { appId } : {}, {
            ...{ raw: true, batchSize: slice.limit, maxTimeMS: PAGE_TIME_MS, ...slice },
            ...(idsOnly && { projection: { _id: 1 } }),
          })
          .sort({ _id: -1 });
      yield* await pages.slice(open, { skip, limit }, appId);
    },

    async removeAll(appId) {
      let removed = 0;
      for (;;) {
        const step = await users.find({ appId }, { projection: { _id: 1 }, limit: REMOVAL_STEP }).toArray();
        if (step.length === 0) return removed;
        const { deletedCount } = await users.deleteMany({ appId, _id: { $in: step.map(({ _id }) => _id) } });
        removed += deletedCount;
      }
    },
  };
}
