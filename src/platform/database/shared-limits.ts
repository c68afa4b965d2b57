import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Binary } from 'mongodb';
import pLimit from 'p-limit';
import { deriveSecretKey } from '../core/secrets.ts';
import { createWindowLimit } from '../core/window-limit.ts';
import type { Connection } from './client.ts';
import { isOfClockSetBack } from './clock.ts';
import { isDuplicateKey } from './failures.ts';
import { createModel, type DocumentOf, type Model, schema } from './mongoose.ts';

/** The events of one key of one limit. All times are MongoDB's. */
const limitSchema = schema(
  {
    /** Of the limit and the key: a keyed hash, because keys contain addresses and emails. */
    _id: { type: Binary, required: true },
    count: { type: Number, required: true },
    /** When the window ends. */
    until: { type: Date, required: true },
    /** When the last event came, and whether it was refused. */
    at: { type: Date, required: true },
    refused: { type: Boolean, required: true },
  },
  { collection: 'limits', placement: 'counts of minutes to a day' },
).index({ until: 1 }, { expireAfterSeconds: 0 });
type LimitDocument = DocumentOf<typeof limitSchema>;

const ID_BYTES = 16;
/** For how long a process refuses by itself what another one filled. */
const BLOCK_MS = 1_000;
const MAX_BLOCKED = 10_000;
/** Statements at once: a flood must leave the connections to submissions. */
const MAX_CONCURRENT = 8;
/** A count that a failover loses allows some more events. */
const WRITE_CONCERN = { w: 1, journal: false } as const;

/** An event: counted, with a function that takes it back once, or refused for `waitMs`. */
type LimitResult = { waitMs: 0; undo(): Promise<void> } | { waitMs: number; undo?: never };

/** A limit of events in a window for each key, over all processes on the database. */
export interface SharedLimit {
  /** Returns for how long `key` is refused, as far as this process knows without the database. */
  waitMs(key: string): number;
  /**
   * Counts `events` of `key`, unless its limit is reached. Concurrent calls on all servers stay in
   * the limit, but for the events after the first of one call. Rejects when the database is away:
   * the caller decides what that means.
   */
  take(key: string, events?: number): Promise<LimitResult>;
}

export type SharedLimits = ReturnType<typeof createSharedLimits>;

/**
 * Creates limits that hold over all processes and servers of a database.
 * @param secret the same on all servers; it hashes the keys
 */
export function createSharedLimits(connection: Connection, secret: string) {
  const model: Model<LimitDocument> = createModel(connection, limitSchema);
  const limits = model.collection;
  const inTurn = pLimit(MAX_CONCURRENT);
  const hashKey = deriveSecretKey(secret, 'limits');

  const idOf = (name: string, key: string): Binary =>
    new Binary(createHmac('sha256', hashKey).update(name).update('\0').update(key).digest().subarray(0, ID_BYTES));

  async function count(_id: Binary, max: number, windowMs: number, events: number): Promise<LimitDocument> {
    const isOpen = { $and: [{ $gt: ['$until', '$$NOW'] }, { $not: [isOfClockSetBack('$until', windowMs)] }] };
    const added = { $cond: [isOpen, { $add: ['$count', events] }, events] };
    const change = [
      { $set: { at: '$$NOW', refused: { $and: [isOpen, { $gte: ['$count', max] }] } } },
      {
        $set: {
          count: { $cond: ['$refused', '$count', added] },
          until: { $cond: [isOpen, '$until', { $add: ['$$NOW', windowMs] }] },
        },
      },
    ];
    const options = { upsert: true, returnDocument: 'after', writeConcern: WRITE_CONCERN } as const;
    const run = () => inTurn(() => limits.findOneAndUpdate({ _id }, change, options));
    // Two first events of a key may both insert.
    const found = await run().catch((error) => (isDuplicateKey(error) ? run() : Promise.reject(error)));
    if (!found) throw new Error('an upsert returns a document');
    return found;
  }

  return {
    model,

    /** @param name separates the keys of different limits @param max the events in one window */
    create(name: string, max: number, windowMs: number): SharedLimit {
      // A process that fills a limit by itself asks no database for the refusals.
      const own = createWindowLimit(max, windowMs);
      const blocked = new LRUCache<string, number>({
        maxSize: MAX_BLOCKED,
        sizeCalculation: () => 1,
        ttl: BLOCK_MS,
        ttlResolution: 0,
      });

      const knownWait = (short: string): number => Math.max(own.waitMs(short), blocked.get(short) ?? 0);

      return {
        waitMs: (key) => knownWait(idOf(name, key).toString('base64')),

        async take(key, events = 1) {
          const _id = idOf(name, key);
          const short = _id.toString('base64');
          const waitMs = knownWait(short);
          if (waitMs > 0) return { waitMs };
          const undos = Array.from({ length: events }, () => own.count(short));
          const undoOwn = (): void => {
            for (const undo of undos) undo();
          };
          const { refused, until, at } = await count(_id, max, windowMs, events).catch((error) => {
            undoOwn();
            throw error;
          });
          if (refused) {
            undoOwn();
            // The statement that began the window may have begun after this one.
            const leftMs = Math.min(windowMs, Math.max(1, until.getTime() - at.getTime()));
            blocked.set(short, leftMs);
            return { waitMs: leftMs };
          }
          return {
            waitMs: 0,
            async undo() {
              undoOwn();
              // Of this window only.
              const same = { _id, until, count: { $gte: events } };
              const change = { $inc: { count: -events } };
              await inTurn(() => limits.updateOne(same, change, { writeConcern: WRITE_CONCERN }));
            },
          };
        },
      };
    },
  };
}
