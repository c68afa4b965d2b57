import type { mongo, Types } from 'mongoose';
import { Unavailable } from '../../core/errors.ts';
import type { DocumentId } from '../../database/bson/raw-batches.ts';
import { beginsBefore } from '../../database/fence.ts';
import type { RecordId } from '../record-id.ts';
import type { UserCollection, UserDocument } from '../users.model.ts';
import type { ErasureCollection } from './erasures.model.ts';

/** Well within the time after which the relay takes an announcement back (relay.ts). */
const ERASED_WITHIN_MS = 20_000;

interface Announced extends Pick<UserDocument, '_id' | 'eventCount'> {
  /** The time of MongoDB's clock. */
  now: Date;
}

/** What other features keep about records. It may repeat values of the record. */
export interface RecordTraces {
  /** Whether something names one of these records. */
  exist(ids: readonly DocumentId[]): Promise<boolean>;
  /** Deletes what names these records, which are gone. */
  remove(ids: readonly DocumentId[]): Promise<unknown>;
}

export type RecordEraser = ReturnType<typeof createRecordEraser>;

/**
 * Creates what deletes records on behalf of people: operators, the person, or retention. A deletion
 * of the app itself does not count as an erasure of its records.
 *
 * @param deps.removeKeysOf deletes the idempotency keys of erased records
 * @param deps.hasConsumers resolves with whether somebody listens to the events of the app
 * @param deps.traces what names records beside them, also when nobody listens any more
 * @param deps.onEvents is called when an erasure led to events
 */
export function createRecordEraser(deps: {
  users: UserCollection;
  erasures: ErasureCollection;
  newId: (at: Date) => RecordId;
  removeKeysOf: (appId: Types.ObjectId, ...records: DocumentId[]) => Promise<void>;
  hasConsumers: (appId: Types.ObjectId) => Promise<boolean>;
  traces: RecordTraces;
  onEvents: () => void;
}) {
  const { users, erasures, newId, removeKeysOf, hasConsumers, traces, onEvents } = deps;

  /**
   * Announces the erasure of those of the records that exist. Resolves with the time of MongoDB's
   * clock until which the erasure may begin: the relay takes an announcement back when its record
   * exists for longer.
   */
  async function announce(appId: Types.ObjectId, ids: DocumentId[]): Promise<Date | undefined> {
    const found = await users
      .find<Announced>(named(appId, ids), { projection: { eventCount: 1, now: '$$NOW' } })
      .toArray();
    const [first] = found;
    if (!first) return undefined;
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
    return new Date(first.now.getTime() + ERASED_WITHIN_MS);
  }

  /** The ids of which no record exists any more. */
  async function goneOf(appId: Types.ObjectId, ids: readonly DocumentId[]): Promise<DocumentId[]> {
    const kept = await users.find(named(appId, ids), { projection: { _id: 1 } }).toArray();
    const keptIds = new Set(kept.map(({ _id }) => String(_id)));
    return ids.filter((id) => !keptIds.has(String(id)));
  }

  /**
   * Deletes those of these records of an app that match, at most some thousand, with their
   * idempotency keys; resolves with their number.
   */
  return async (
    appId: Types.ObjectId,
    ids: DocumentId[],
    matching: mongo.Filter<UserDocument> = {},
  ): Promise<number> => {
    if (ids.length === 0) return 0;
    const hasTraces = await traces.exist(ids);
    // A server that stops after the deletion has announced it, so the relay removes the traces.
    const isAnnounced = hasTraces || (await hasConsumers(appId));
    const begun = performance.now();
    const until = isAnnounced ? await announce(appId, ids) : undefined;
    const inTime = until ? beginsBefore(until) : {};
    const filter = { $and: [named(appId, ids), matching, inTime] } as mongo.Filter<UserDocument>;
    const { deletedCount } = await users.deleteMany(filter);
    if (until && deletedCount < ids.length && performance.now() - begun > ERASED_WITHIN_MS / 2) throw new Unavailable();
    if (isAnnounced && deletedCount > 0) onEvents();
    const gone = deletedCount === ids.length ? ids : await goneOf(appId, ids);
    if (gone.length > 0) await removeKeysOf(appId, ...gone);
    if (hasTraces) await traces.remove(gone);
    return deletedCount;
  };
}

const named = (appId: Types.ObjectId, ids: readonly DocumentId[]) =>
  ({ appId, _id: { $in: ids } }) as mongo.Filter<UserDocument>;
