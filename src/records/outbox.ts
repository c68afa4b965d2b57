import type { ObjectId } from 'mongodb';
import { INDEX_BUILD_TIME_MS } from '../database/collections.ts';
import type { ErasureCollection, ErasureDocument } from './erasure.ts';
import type { OutboxEntry, UserCollection, UserDocument } from './record.ts';
import type { RecordId } from './record-id.ts';

/** What an event tells of a record (spec 6). */
export const EVENT_TYPES = ['user.created', 'user.updated', 'user.erased'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * The most events that wait in one record. A record with as many takes no change until the relay
 * has taken them.
 */
export const MAX_OUTBOX = 1_000;

/** A change of more paths is told as a change of `data`: bounds the size of an entry. */
const MAX_PATHS = 32;

/** @param keys the keys of `data` that the write changes */
export function outboxEntry(id: RecordId, at: Date, keys: readonly string[]): OutboxEntry {
  const changed = keys.length > MAX_PATHS ? ['data'] : keys.map((key) => `data.${key}`);
  return { id, at, changed };
}

export type OutboxSignal = ReturnType<typeof createOutboxSignal>;

/**
 * Creates what tells the relay of this process that events were stored, so that it does not have to
 * look for them often. It makes no query. Nobody is told of what other processes store.
 */
export function createOutboxSignal() {
  const listeners = new Set<() => void>();
  return {
    /** Says that this process may have stored events of records. */
    notify(): void {
      for (const listener of listeners) listener();
    },

    /** Calls the listener at each `notify` from now on. */
    listen(listener: () => void): void {
      listeners.add(listener);
    },
  };
}

/** The records and erasures that one step reads. */
const BATCH = 500;
/**
 * An erasure whose record still exists after this time has failed: its statement has ended by then,
 * and so has any repetition by the driver.
 */
const FAILED_AFTER_MS = 60_000;

/** The records with waiting events, those with the oldest first event in front. */
const WAITING = { 'outbox.0.at': { $exists: true } } as const;
const BY_FIRST_EVENT = { 'outbox.0.at': 1 } as const;

/** An event of a record, as consumers get it. */
export interface RecordEvent {
  /** Unique, and the same when the event is given again. */
  id: string;
  type: EventType;
  appId: ObjectId;
  recordId: RecordId;
  at: Date;
  /** Grows with each event of the record. */
  revision: number;
  /** The paths that an update changed. */
  changed?: string[];
}

/** A feature that listens to events. */
export interface EventConsumer {
  /**
   * Takes over events, in the order of each record. Once it resolves, they are not given again; so
   * what it has to do is stored by then. It may get an event more than once.
   */
  consume(events: readonly RecordEvent[]): Promise<void>;
}

type Waiting = Pick<UserDocument, '_id' | 'appId' | 'outbox' | 'eventCount'>;

/**
 * Creates the relay: it takes events out of records, and gives them to all consumers first. Only
 * one server may run it at a time; two at once, for a moment, do no harm.
 */
export function createRelay(deps: {
  users: UserCollection;
  erasures: ErasureCollection;
  consumers: readonly EventConsumer[];
}) {
  const { users, erasures, consumers } = deps;
  let hasIndex = false;

  /** Created at first use, so that a service without consumers does not maintain it. */
  async function ensureIndex(): Promise<void> {
    if (hasIndex) return;
    const options = { partialFilterExpression: WAITING, maxTimeMS: INDEX_BUILD_TIME_MS };
    await users.createIndex(BY_FIRST_EVENT, options);
    hasIndex = true;
  }

  async function consume(events: readonly RecordEvent[]): Promise<void> {
    if (events.length > 0) await Promise.all(consumers.map((consumer) => consumer.consume(events)));
  }

  async function relayOutboxes(): Promise<number> {
    const projection = { appId: 1, outbox: 1, eventCount: 1 };
    const found = await users
      .find<Waiting>(WAITING, { projection, hint: BY_FIRST_EVENT, sort: BY_FIRST_EVENT, limit: BATCH })
      .toArray();
    if (found.length === 0) return 0;
    const events = found.flatMap(waitingEvents);
    await consume(events);
    const pulls = found.map(({ _id, appId, outbox = [] }) => ({
      updateOne: { filter: { _id, appId }, update: { $pull: { outbox: { id: { $in: outbox.map(({ id }) => id) } } } } },
    }));
    // Entries that a crash brings back are given to the consumers again.
    await users.bulkWrite(pulls, { ordered: false, writeConcern: { w: 1, j: false } });
    return events.length;
  }

  async function relayErasures(): Promise<number> {
    const isOld = { $lt: ['$at', { $subtract: ['$$NOW', FAILED_AFTER_MS] }] };
    const projection = { appId: 1, eventId: 1, revision: 1, at: 1, isOld };
    const found = await erasures.find<ErasureDocument & { isOld: boolean }>({}, { projection, limit: BATCH }).toArray();
    if (found.length === 0) return 0;
    const ids = found.map(({ _id }) => _id);
    const existing = await users
      .find({ _id: { $in: ids } }, { projection: { _id: 1 }, readConcern: 'majority' })
      .toArray();
    const existingIds = new Set(existing.map(({ _id }) => _id.toHexString()));
    const done = found.filter(({ _id }) => !existingIds.has(_id.toHexString()));
    await consume(done.map(eventOfErasure));
    await erasures.deleteMany({ _id: { $in: done.map(({ _id }) => _id) } });
    // Only those that were old before their records were read, and were not announced again since.
    const failed = found.filter(({ _id, isOld: wasOld }) => wasOld && existingIds.has(_id.toHexString()));
    if (failed.length > 0) {
      const deletions = failed.map(({ _id, at }) => ({ deleteOne: { filter: { _id, at } } }));
      await erasures.bulkWrite(deletions, { ordered: false });
    }
    return done.length;
  }

  /** Relays a batch of events; resolves with their number. */
  return async (): Promise<number> => {
    await ensureIndex();
    const [changes, erased] = [await relayOutboxes(), await relayErasures()];
    return changes + erased;
  };
}

/** The entries are the newest events of the record, in their order. */
function waitingEvents({ _id, appId, outbox = [], eventCount = 0 }: Waiting): RecordEvent[] {
  return outbox.map(({ id, at, changed }, index) => {
    const revision = eventCount - (outbox.length - 1 - index);
    const event = { id: id.toString(), appId, recordId: _id, at, revision };
    return id.equals(_id) ? { ...event, type: 'user.created' } : { ...event, type: 'user.updated', changed };
  });
}

function eventOfErasure({ _id, appId, eventId, revision, at }: ErasureDocument): RecordEvent {
  return { id: eventId.toString(), type: 'user.erased', appId, recordId: _id, at, revision };
}
