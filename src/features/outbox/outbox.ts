import { type ObjectId, UUID } from 'mongodb';
import { byAppAndEmail, type RecordId, type UserCollection, type UserDocument } from '../../core/users/users.model.ts';
import { beginsBefore } from '../../platform/database/clock.ts';
import { INDEX_BUILD_TIME_MS } from '../../platform/database/indexes.ts';
import { type DocumentOf, only, schema } from '../../platform/database/mongoose.ts';
import type { RemovalGuard } from '../../platform/database/removal.ts';
import type { ErasureCollection, ErasureDocument, ErasureGuard, RecordTraces } from '../records/erasure.ts';

/** An event, committed with the write of its change or not at all (decision 23). */
export const eventSchema = schema({
  /** The id of the event: that of the record if the write created the record. */
  id: { type: UUID, required: true },
  at: { type: Date, required: true },
  changed: { type: [String], required: true },
  /** The language of the person who sent the change, if the app has several. */
  lang: String,
  /** It is a submission that the app keeps (kept-submissions.ts). */
  kept: only<true>(Boolean),
  /** The page that sent it, without query and fragment, if known. */
  page: String,
  /** It is a submission to which the app replies (notifications/reply.ts). */
  reply: only<true>(Boolean),
});
export type OutboxEntry = DocumentOf<typeof eventSchema>;

/** The members of a record with events. */
export interface WithOutbox {
  /** Events for consumers, in their order (outbox.ts). */
  outbox?: OutboxEntry[];
  eventCount?: number;
}

declare module '../../core/users/users.model.ts' {
  interface UserDocument extends WithOutbox {}
}

/** Spec 6. */
export const EVENT_TYPES = ['user.created', 'user.updated', 'user.erased'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The most waiting events of a record. A full record refuses changes until they are relayed. */
export const MAX_OUTBOX = 1_000;

/** Matches a record that takes another event. */
export const HAS_ROOM_FOR_EVENT = { [`outbox.${MAX_OUTBOX - 1}`]: { $exists: false } };

/** A change of more paths is an event of `data`: bounds the size of an entry. */
const MAX_PATHS = 32;

/** @param keys the keys of `data` that the write changes */
export function outboxEntry(id: RecordId, at: Date, keys: readonly string[]): OutboxEntry {
  const changed = keys.length > MAX_PATHS ? ['data'] : keys.map((key) => `data.${key}`);
  return { id, at, changed };
}

export type OutboxSignal = ReturnType<typeof createOutboxSignal>;

/** Tells the relay of this process of new events, so that it polls less often. */
export function createOutboxSignal() {
  const listeners = new Set<() => void>();
  return {
    notify(): void {
      for (const listener of listeners) listener();
    },

    listen(listener: () => void): void {
      listeners.add(listener);
    },
  };
}

const BATCH = 1_000;
/**
 * The events that are relayed at once, the most of one record, and the records in an answer of
 * MongoDB: events that wait since an outage take no more memory and time than others.
 */
const MAX_EVENTS = 2_000;
const MAX_EVENTS_OF_RECORD = 20;
const RECORDS_AT_ONCE = 250;
/** How long the removal of events relies on what was read: a restore takes longer. */
const RELAYED_WITHIN_MS = 30_000;
/** By then the statement of an erasure, and any repetition by the driver, has ended. */
const FAILED_AFTER_MS = 60_000;

/** The records with events that no consumer has got yet, and the index of them. */
export const WAITING = { 'outbox.0.at': { $exists: true } } as const;
export const BY_FIRST_EVENT = { 'outbox.0.at': 1 } as const;

export interface RecordEvent {
  /** Unique, and the same when the event is repeated. */
  id: string;
  type: EventType;
  appId: ObjectId;
  recordId: RecordId;
  at: Date;
  /** Grows with each event of the record. */
  revision: number;
  changed?: string[];
  /** The language of the person who sent the change, if the app has several. */
  lang?: string;
  /** It is a submission that the app keeps. */
  kept?: true;
  /** It is a submission to which the app replies. */
  reply?: true;
}

export interface EventConsumer {
  /**
   * Removes some of what names erased records; resolves with whether nothing is left. Their events
   * wait until then.
   * @param guard asked before each removal; rejects when one of the records exists again
   */
  forget?(appIds: readonly ObjectId[], recordIds: readonly RecordId[], guard: RemovalGuard): Promise<boolean>;

  /** Must store its work before it resolves. Events are in the order of each record, some twice. */
  consume(events: readonly RecordEvent[]): Promise<void>;
}

/** Creates the consumer that removes traces whose removal a server did not finish. */
export const finishing = ({ remove }: Pick<RecordTraces, 'remove'>): EventConsumer => ({
  async forget(...of) {
    await remove(...of);
    return true;
  },
  consume: async () => undefined,
});

type Waiting = Pick<UserDocument, '_id' | 'appId' | 'email' | 'outbox' | 'eventCount'> & { waiting: number; now: Date };

/** Gives events to all consumers, then removes them. One server runs it; overlaps are harmless. */
export function createRelay(deps: {
  users: UserCollection;
  erasures: ErasureCollection;
  consumers: readonly EventConsumer[];
  guardOfErased: ErasureGuard;
}) {
  const { users, erasures, consumers, guardOfErased } = deps;
  let hasIndex = false;

  /** Created at first use: a service without consumers does not maintain it. */
  async function ensureIndex(): Promise<void> {
    if (hasIndex) return;
    const options = { partialFilterExpression: WAITING, maxTimeMS: INDEX_BUILD_TIME_MS };
    await users.createIndex(BY_FIRST_EVENT, options);
    hasIndex = true;
  }

  async function consume(events: readonly RecordEvent[]): Promise<void> {
    if (events.length > 0) await Promise.all(consumers.map((consumer) => consumer.consume(events)));
  }

  /** Reads the oldest waiting events, of each record in their order. */
  async function readWaiting() {
    const outbox = { $slice: ['$outbox', MAX_EVENTS_OF_RECORD] };
    const projection = { appId: 1, email: 1, outbox, waiting: { $size: '$outbox' }, eventCount: 1, now: '$$NOW' };
    const options = { projection, hint: BY_FIRST_EVENT, sort: BY_FIRST_EVENT, limit: BATCH };
    const [found, events]: [Waiting[], RecordEvent[]] = [[], []];
    for await (const record of users.find<Waiting>(WAITING, { ...options, batchSize: RECORDS_AT_ONCE })) {
      found.push(record);
      events.push(...waitingEvents(record));
      if (events.length >= MAX_EVENTS) break;
    }
    return { found, events };
  }

  async function relayOutboxes(): Promise<number> {
    const { found, events } = await readWaiting();
    const [first] = found;
    if (!first) return 0;
    await consume(events);
    const ids = found.flatMap(({ outbox = [] }) => outbox.map(({ id }) => id));
    const those = { _id: { $in: found.map(({ _id }) => _id) }, $or: byAppAndEmail(found) };
    // One statement takes a third of the time of one for each record. Entries that a crash or a
    // backup restores are given to the consumers again.
    await users.updateMany(
      { ...those, ...beginsBefore(new Date(first.now.getTime() + RELAYED_WITHIN_MS)) },
      { $pull: { outbox: { id: { $in: ids } } } },
      { hint: { _id: 1 }, writeConcern: { w: 1, j: false } },
    );
    return events.length;
  }

  async function relayErasures(): Promise<number> {
    const isOld = { $lt: ['$at', { $subtract: ['$$NOW', FAILED_AFTER_MS] }] };
    const projection = { appId: 1, eventId: 1, revision: 1, at: 1, isOld };
    const found = await erasures.find<ErasureDocument & { isOld: boolean }>({}, { projection, limit: BATCH }).toArray();
    if (found.length === 0) return 0;
    const ids = found.map(({ _id }) => _id);
    const existing = await users
      .find(
        { appId: { $in: found.map(({ appId }) => appId) }, _id: { $in: ids } },
        { projection: { _id: 1 }, readConcern: 'majority', hint: { _id: 1 } },
      )
      .toArray();
    const existingIds = new Set(existing.map(({ _id }) => _id.toHexString()));
    const done = found.filter(({ _id }) => !existingIds.has(_id.toHexString()));
    const doneIds = done.map(({ _id }) => _id);
    const appIds = [...new Map(done.map(({ appId }) => [appId.toHexString(), appId])).values()];
    const guard = guardOfErased(appIds, doneIds);
    const isForgotten = await Promise.all(consumers.map(({ forget }) => forget?.(appIds, doneIds, guard) ?? true));
    // The next call continues, after the events of other records.
    if (isForgotten.includes(false)) return done.length;
    await consume(done.map(eventOfErasure));
    // Not those that were announced again since.
    const newest = new Date(Math.max(...found.map(({ at }) => at.getTime())));
    await erasures.deleteMany({ _id: { $in: doneIds }, at: { $lte: newest } });
    // Only those that were old before their records were read, and were not announced again since.
    const failed = found.filter(({ _id, isOld: wasOld }) => wasOld && existingIds.has(_id.toHexString()));
    if (failed.length > 0) {
      const deletions = failed.map(({ _id, at }) => ({ deleteOne: { filter: { _id, at } } }));
      await erasures.bulkWrite(deletions, { ordered: false });
    }
    return done.length;
  }

  return async (): Promise<number> => {
    await ensureIndex();
    let relayed = 0;
    try {
      relayed = await relayOutboxes();
    } finally {
      // After the changes: what names an erased record is removed when all of it is stored.
      relayed += await relayErasures();
    }
    return relayed;
  };
}

/** The waiting events are the newest of the record; `outbox` has the first of them. */
function waitingEvents({ _id, appId, outbox = [], waiting, eventCount = 0 }: Waiting): RecordEvent[] {
  return outbox.map(({ id, at, changed, lang, kept, reply }, index) => {
    const revision = eventCount - (waiting - 1 - index);
    const of = {
      appId,
      recordId: _id,
      ...(lang !== undefined && { lang }),
      ...(kept && { kept }),
      ...(reply && { reply }),
    };
    const event = { id: id.toString(), at, revision, ...of };
    return id.equals(_id) ? { ...event, type: 'user.created' } : { ...event, type: 'user.updated', changed };
  });
}

function eventOfErasure({ _id, appId, eventId, revision, at }: ErasureDocument): RecordEvent {
  return { id: eventId.toString(), type: 'user.erased', appId, recordId: _id, at, revision };
}
