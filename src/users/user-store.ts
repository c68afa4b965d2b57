import type { mongo, Types } from 'mongoose';
import type { AppOwned } from '../apps/app-owned.ts';
import { firstIdAt, parseRecordId, type RecordId } from './record-id.ts';
import type { RecordBatches } from './record-json.ts';
import type { RecordPages } from './record-pages.ts';
import type { UserCollection, UserDocument } from './users.model.ts';
import { RECORD_PROJECTION, type UserRecord } from './users.presenter.ts';

/** How many records one step of a removal takes: each step stays short, however many there are. */
const REMOVAL_STEP = 2_000;
/** How long the query for one page may run; below the deadline of a request. */
const PAGE_TIME_MS = 2_200;

/** The stored records of apps' users. */
export interface UserStore extends AppOwned {
  /** An app's records, newest first, read as they are consumed. @param signal ends the reading early */
  ofApp(appId: Types.ObjectId, signal?: AbortSignal): RecordBatches;
  /** The record of that id, if it is one of this app's. */
  find(appId: Types.ObjectId, id: string): Promise<UserRecord | undefined>;
  /** Removes the record of that id, if it is one of this app's; says whether it was. */
  erase(appId: Types.ObjectId, id: string): Promise<boolean>;
  /** Removes the record of that email if it was created at `createdAt`. */
  withdraw(record: Pick<UserDocument, 'appId' | 'email' | 'createdAt'>): Promise<void>;
  /** A page of records, newest first, of one app's name or of all. */
  page(sourceAppId: string | undefined, limit: number, skip: number): RecordBatches;
}

/** @param removeKeysOf removes the idempotency keys of an erased record */
export function createUserStore(
  users: UserCollection,
  pages: RecordPages,
  findAppId: (sourceAppId: string) => Promise<Types.ObjectId | undefined>,
  removeKeysOf: (appId: Types.ObjectId, record: RecordId) => Promise<void>,
): UserStore {
  return {
    ofApp: (appId, signal) => pages.all(appId, {}, signal),

    async find(appId, id) {
      const _id = parseRecordId(id);
      return (_id && (await users.findOne<UserRecord>({ _id, appId }, { projection: RECORD_PROJECTION }))) ?? undefined;
    },

    async erase(appId, id) {
      const _id = parseRecordId(id);
      if (_id === undefined || (await users.deleteOne({ _id, appId })).deletedCount === 0) return false;
      await removeKeysOf(appId, _id);
      return true;
    },

    async withdraw({ appId, email, createdAt }) {
      await users.deleteOne({ appId, email, createdAt });
    },

    async *page(sourceAppId, limit, skip) {
      const appId = sourceAppId === undefined ? undefined : await findAppId(sourceAppId);
      if (sourceAppId !== undefined && appId === undefined) return;
      const filter: mongo.Filter<UserDocument> = appId ? { appId } : {};
      const options = { raw: true, batchSize: limit, maxTimeMS: PAGE_TIME_MS };
      const found = users.find<Uint8Array>(filter, options).sort({ _id: -1 }).skip(skip).limit(limit);
      yield* await pages.of(found, filter);
    },

    async has(appId, made, time) {
      const _id = { [made === 'before' ? '$lt' : '$gte']: firstIdAt(time) };
      return (await users.findOne({ appId, _id }, { projection: { _id: 1 } })) !== null;
    },

    async removeAll(appId, since) {
      const made = since && { _id: { $gte: firstIdAt(since) } };
      let removed = 0;
      for (;;) {
        const step = await users.find({ appId, ...made }, { projection: { _id: 1 }, limit: REMOVAL_STEP }).toArray();
        if (step.length === 0) return removed;
        const { deletedCount } = await users.deleteMany({ appId, _id: { $in: step.map(({ _id }) => _id) } });
        removed += deletedCount;
      }
    },
  };
}
