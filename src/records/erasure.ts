import type { ObjectId, UUID } from 'mongodb';
import type { AppOwned } from '../apps/feature.ts';
import { Unavailable } from '../core/errors.ts';
import type { DocumentId } from '../database/bson/documents.ts';
import type { Connection } from '../database/client.ts';
import { beginsBefore } from '../database/clock.ts';
import { type Collection, createModel, declareCollection, type Model } from '../database/collections.ts';
import type { RecordFilter, UserCollection, UserDocument } from './record.ts';
import type { RecordId } from './record-id.ts';

/**
 * The announced erasure of a record of an app with consumers. It is written before the record is
 * deleted; the event follows when the record is gone (decision 23). It has no personal data.
 */
export interface ErasureDocument {
  /** The id of the record. */
  _id: UUID;
  appId: ObjectId;
  /** The id of the event. */
  eventId: UUID;
  /** The revision of the event. */
  revision: number;
  /** When it was announced, by MongoDB's clock. */
  at: Date;
}

const ERASURES = declareCollection('erasures').index({ appId: 1 });

export type ErasureCollection = Collection<ErasureDocument>;

/** The model of `erasures`, with its index. */
export const createErasureModel = (connection: Connection): Model<ErasureDocument> => createModel(connection, ERASURES);

/** The announced erasures of an app, as its data. */
export function createErasureStore(erasures: ErasureCollection) {
  return {
    /** Whether an announced erasure waits to be told. */
    existAny: async (): Promise<boolean> =>
      (await erasures.findOne({}, { projection: { _id: 1 }, sort: { _id: 1 } })) !== null,

    removeAll: async (appId: ObjectId, since?: Date): Promise<number> =>
      (await erasures.deleteMany({ appId, ...(since && { at: { $gte: since } }) })).deletedCount,
    has: async (appId: ObjectId, made: 'before' | 'since', time: Date): Promise<boolean> => {
      const at = { [made === 'before' ? '$lt' : '$gte']: time };
      return (await erasures.findOne({ appId, at }, { projection: { _id: 1 } })) !== null;
    },
  } satisfies AppOwned & Record<string, unknown>;
}

/** Well within the time after which the relay takes an announcement back (outbox.ts). */
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
  removeKeysOf: (appId: ObjectId, ...records: DocumentId[]) => Promise<void>;
  hasConsumers: (appId: ObjectId) => Promise<boolean>;
  traces: RecordTraces;
  onEvents: () => void;
}) {
  const { users, erasures, newId, removeKeysOf, hasConsumers, traces, onEvents } = deps;

  /**
   * Announces the erasure of those of the records that exist. Resolves with the time of MongoDB's
   * clock until which the erasure may begin: the relay takes an announcement back when its record
   * exists for longer.
   */
  async function announce(appId: ObjectId, ids: DocumentId[]): Promise<Date | undefined> {
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
  async function selectMissing(appId: ObjectId, ids: readonly DocumentId[]): Promise<DocumentId[]> {
    const kept = await users.find(named(appId, ids), { projection: { _id: 1 } }).toArray();
    const keptIds = new Set(kept.map(({ _id }) => String(_id)));
    return ids.filter((id) => !keptIds.has(String(id)));
  }

  /**
   * Deletes those of these records of an app that match, at most some thousand, with their
   * idempotency keys; resolves with their number.
   */
  return async (appId: ObjectId, ids: DocumentId[], matching: RecordFilter = {}): Promise<number> => {
    if (ids.length === 0) return 0;
    const hasTraces = await traces.exist(ids);
    // A server that stops after the deletion has announced it, so the relay removes the traces.
    const isAnnounced = hasTraces || (await hasConsumers(appId));
    const begun = performance.now();
    const until = isAnnounced ? await announce(appId, ids) : undefined;
    const inTime = until ? beginsBefore(until) : {};
    const { deletedCount } = await users.deleteMany({ $and: [named(appId, ids), matching, inTime] });
    if (until && deletedCount < ids.length && performance.now() - begun > ERASED_WITHIN_MS / 2) throw new Unavailable();
    if (isAnnounced && deletedCount > 0) onEvents();
    const gone = deletedCount === ids.length ? ids : await selectMissing(appId, ids);
    if (gone.length > 0) await removeKeysOf(appId, ...gone);
    if (hasTraces) await traces.remove(gone);
    return deletedCount;
  };
}

const named = (appId: ObjectId, ids: readonly DocumentId[]): RecordFilter => ({ appId, _id: { $in: ids } });
