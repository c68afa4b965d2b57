import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId, UUID } from 'mongodb';
import {
  type RecordFilter,
  type RecordId,
  theseRecords,
  type UserCollection,
  type UserDocument,
} from '../../core/users/users.model.ts';
import type { RecordTarget } from '../../core/users/write-part.ts';
import type { DocumentId } from '../../platform/bson/documents.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import type { Connection } from '../../platform/database/client.ts';
import { beginsBefore, type DatabaseClock, type Until } from '../../platform/database/clock.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { READ_HOLDS_MS } from '../../platform/database/lateness.ts';
import { lookup } from '../../platform/database/lookups.ts';
import { createModel, type DocumentOf, type Model, schema } from '../../platform/database/mongoose.ts';
import { ownedBy, type RemovalGuard } from '../../platform/database/removal.ts';
import { NOT_MOVING } from '../history/history-entries.ts';

/** An announced erasure, without personal data; the event follows the deletion (decision 23). */
const erasureSchema = schema(
  {
    _id: { type: UUID, required: true },
    appId: { type: ObjectId, required: true },
    eventId: { type: UUID, required: true },
    revision: { type: Number, required: true },
    /** When it was announced, by MongoDB's clock. */
    at: { type: Date, required: true },
  },
  { collection: 'erasures', placement: 'removed as soon as the event is stored' },
).index({ appId: 1 });

export type ErasureDocument = DocumentOf<typeof erasureSchema>;
export type ErasureCollection = Collection<ErasureDocument>;

/** The model of `erasures`. */
export const createErasureModel = (connection: Connection): Model<ErasureDocument> =>
  createModel(connection, erasureSchema);

/** The announced erasures of an app, as its data. */
export function createErasureStore(erasures: ErasureCollection) {
  return {
    /** Looks for an announced erasure without an event. */
    any: lookup(erasures, {}),

    ...ownedBy(erasures, 'at'),
  };
}

/**
 * A deletion that begins later after the read of its records may meet restored ones. Less than the
 * time after which the relay withdraws an announcement (outbox.ts).
 */
const ERASED_WITHIN_MS = 20_000;

/** How often the erasure of a record waits for the end of a move of its history. */
const MAX_WAITS = 20;
const WAIT_MS = 100;

interface FoundRecord
  extends Pick<UserDocument, '_id' | 'email' | 'eventCount' | 'historyMove' | 'movedHistory' | 'keyEpoch'> {
  now: Date;
}

/** A condition of all records that are erased, or one of each. */
type Matching = RecordFilter | ((record: Pick<FoundRecord, '_id'>) => RecordFilter);

/** Data of other features about records. It may repeat values of the record. */
export interface RecordTraces {
  /** Whether something names one of these records. Absent: the record itself tells it. */
  exist?(appIds: readonly ObjectId[], ids: readonly DocumentId[]): Promise<boolean>;
  /** @param guard asked before each removal; rejects when one of the records exists again */
  remove(appIds: readonly ObjectId[], ids: readonly DocumentId[], guard: RemovalGuard): Promise<unknown>;
  /**
   * After a change of the email of a record: stores the present one in place of a former one, and
   * removes what waited for an answer of the former one. Idempotent.
   * @param until a statement that begins later changes nothing: the email may be another one
   */
  readdress?(record: RecordTarget, until: Until): Promise<void>;
}

export type ErasureGuard = ReturnType<typeof createErasureGuard>;

/** Creates the guards of removals of what names erased records: one may have been restored. */
export function createErasureGuard(users: UserCollection, clock: Pick<DatabaseClock, 'read'>) {
  return (appIds: readonly ObjectId[], ids: readonly DocumentId[]): RemovalGuard =>
    async () => {
      const now = await clock.read();
      const those = { appId: { $in: [...appIds] }, _id: { $in: [...ids] } };
      if (await users.findOne(those, { projection: { _id: 1 }, hint: { _id: 1 } })) throw new Unavailable();
      return new Date(now.getTime() + READ_HOLDS_MS);
    };
}

export type RecordEraser = ReturnType<typeof createRecordEraser>;

/**
 * Deletes records for operators, persons or retention; the deletion of an app is no erasure.
 * @param deps.traces data of other features, also when the app has no consumers any more
 */
export function createRecordEraser(deps: {
  users: UserCollection;
  erasures: ErasureCollection;
  newId: (at: Date) => RecordId;
  hasConsumers: (appId: ObjectId) => Promise<boolean>;
  traces: readonly RecordTraces[];
  guardOfErased: ErasureGuard;
  onEvents: () => void;
}) {
  const { users, erasures, newId, hasConsumers, traces, guardOfErased, onEvents } = deps;

  async function haveTraces(appId: ObjectId, ids: readonly DocumentId[]): Promise<boolean> {
    return (await Promise.all(traces.map(({ exist }) => exist?.([appId], ids)))).includes(true);
  }

  /** Announces the erasure of records that were just read. */
  async function announce(appId: ObjectId, found: readonly FoundRecord[]): Promise<void> {
    if (found.length === 0) return;
    const writes = found.map(({ _id, eventCount = 0 }) => ({
      updateOne: {
        filter: { _id },
        update: {
          $set: { appId, revision: eventCount + 1 },
          $setOnInsert: { eventId: newId(new Date()) },
          $currentDate: { at: true as const },
        },
        upsert: true,
      },
    }));
    await erasures.bulkWrite(writes, { ordered: false });
  }

  /** @throws {Unavailable} when the email of one was changed meanwhile: it can be erased again */
  async function selectMissing(
    appId: ObjectId,
    ids: readonly DocumentId[],
    found: readonly FoundRecord[],
  ): Promise<DocumentId[]> {
    const kept = await users.find(named(appId, ids), { projection: { email: 1 } }).toArray();
    const emails = new Map(kept.map(({ _id, email }) => [String(_id), email]));
    const isReaddressed = ({ _id, email }: FoundRecord): boolean => (emails.get(String(_id)) ?? email) !== email;
    if (found.some(isReaddressed)) throw new Unavailable('recordChanging', 1);
    return ids.filter((id) => !emails.has(String(id)));
  }

  /** Reads records. One whose history is being moved would leave what arrives later. */
  async function readUnmoving(appId: ObjectId, ids: readonly DocumentId[]): Promise<FoundRecord[]> {
    const projection = { email: 1, eventCount: 1, historyMove: 1, movedHistory: 1, keyEpoch: 1, now: '$$NOW' };
    for (let count = 0; count < MAX_WAITS; count += 1) {
      const found = await users.find<FoundRecord>(named(appId, ids), { projection }).toArray();
      if (found.every(({ historyMove, now }) => !historyMove || historyMove.until <= now)) return found;
      await sleep(WAIT_MS);
    }
    throw new Unavailable();
  }

  /** @param matching of each record, in a statement: one of all would compare each with each */
  async function deleteFound(appId: ObjectId, found: readonly FoundRecord[], matching: Matching): Promise<number> {
    const inTime = beginsBefore(new Date((found[0]?.now.getTime() ?? 0) + ERASED_WITHIN_MS));
    const hint = { _id: 1 } as const;
    const those = (records: readonly FoundRecord[], filter: RecordFilter) => ({
      $and: [theseRecords(appId, records), filter, inTime, NOT_MOVING],
    });
    if (typeof matching !== 'function') return (await users.deleteMany(those(found, matching), { hint })).deletedCount;
    if (found.length === 0) return 0;
    const writes = found.map((one) => ({ deleteOne: { filter: those([one], matching(one)), hint } }));
    return (await users.bulkWrite(writes, { ordered: false })).deletedCount;
  }

  /** Deletes the matching records, with what names them; resolves with their number. */
  return async (appId: ObjectId, ids: DocumentId[], matching: Matching = {}): Promise<number> => {
    if (ids.length === 0) return 0;
    const begun = performance.now();
    const found = await readUnmoving(appId, ids);
    const hasMoved = found.some(({ movedHistory, keyEpoch }) => movedHistory || keyEpoch);
    const hasTraces = hasMoved || (await haveTraces(appId, ids));
    // A server that stops after the deletion has announced it, so the relay removes the traces.
    const isAnnounced = hasTraces || (await hasConsumers(appId));
    if (isAnnounced) await announce(appId, found);
    const deletedCount = await deleteFound(appId, found, matching);
    if (deletedCount < ids.length && performance.now() - begun > ERASED_WITHIN_MS / 2) throw new Unavailable();
    if (isAnnounced && deletedCount > 0) onEvents();
    const gone = deletedCount === ids.length ? ids : await selectMissing(appId, ids, found);
    if (gone.length === 0) return deletedCount;
    // Also those that were stored until the deletion.
    if (hasTraces || (await haveTraces(appId, gone))) {
      const guard = guardOfErased([appId], gone);
      await Promise.all(traces.map(({ remove }) => remove([appId], gone, guard)));
    }
    return deletedCount;
  };
}

const named = (appId: ObjectId, ids: readonly DocumentId[]): RecordFilter => ({ appId, _id: { $in: ids } });
