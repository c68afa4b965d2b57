import { LRUCache } from 'lru-cache';
import { Types } from 'mongoose';
import type { AppCollection } from '../../apps/apps.model.ts';
import { Unavailable } from '../../core/errors.ts';
import { withTimeout } from '../../core/timeouts.ts';
import { isWithin, momentOf, systemClock } from '../../schemas/clock.ts';

/** Seats of a server that stopped are taken again after this time. No write takes as long. */
const SEAT_MS = 30_000;
/** The most submissions for which one reservation is made, and the most that wait in an app. */
const MAX_BATCH = 200;
const MAX_WAITING = 1_000;

/**
 * With this much room a seat needs no reservation as long as a count is valid: all servers together
 * would have to create more records within a few seconds.
 */
const AMPLE_ROOM = 100_000;
/** How long a count decides that an app is full or has ample room. */
const COUNT_VALID_MS = 1_000;
const MAX_COUNTED_APPS = 10_000;

/** Permission to create one record. */
export interface Seat {
  isExpired(): boolean;
  /** Call it when the record is stored or was refused. */
  release(): void;
}

/** `full`: the app has that many records. `contended`: others hold the last seats; try again. */
export type SeatAnswer = Seat | 'full' | 'contended';

interface Waiting {
  limit: number;
  resolve(answer: SeatAnswer): void;
  reject(error: unknown): void;
}

const UNRESERVED: Seat = { isExpired: () => false, release: () => undefined };

export type Seats = ReturnType<typeof createSeats>;

/**
 * Limits the records of an app over all servers (decision 20). A server reserves seats in the app's
 * document, then counts the records, and gives a seat only if the records, the seats reserved
 * before its own and its own stay within the limit. A seat is given back after its record is
 * stored. So whoever reserved last has counted everybody before.
 *
 * Each server makes one reservation per app at a time, for all submissions that wait for one.
 *
 * @param countOf resolves with the number of records of an app
 */
export function createSeats(apps: AppCollection, countOf: (appId: Types.ObjectId) => Promise<number>) {
  const queues = new Map<string, Waiting[]>();
  const counts = new LRUCache<string, number>({ max: MAX_COUNTED_APPS, ttl: COUNT_VALID_MS });

  /** Reserves seats. Resolves with the number of seats that were reserved before. */
  async function reserve(appId: Types.ObjectId, token: Types.ObjectId, count: number): Promise<number> {
    const valid = {
      $filter: { input: { $ifNull: ['$seats', []] }, as: 'one', cond: { $gt: ['$$one.until', '$$NOW'] } },
    };
    const own = { token, count: { $literal: count }, until: { $add: ['$$NOW', SEAT_MS] } };
    const app = await apps.findOneAndUpdate(
      { _id: appId, deletingSince: { $exists: false } },
      [{ $set: { seats: { $concatArrays: [valid, [own]] } } }],
      { returnDocument: 'after', projection: { seats: 1 } },
    );
    if (!app) throw new Unavailable();
    const ahead = (app.seats ?? []).filter((one) => !one.token.equals(token));
    return ahead.reduce((sum, one) => sum + one.count, 0);
  }

  async function withReservation<T>(
    appId: Types.ObjectId,
    count: number,
    use: (records: number, ahead: number) => Promise<T>,
  ): Promise<T> {
    const token = new Types.ObjectId();
    try {
      const ahead = await reserve(appId, token, count);
      const records = await countOf(appId);
      counts.set(appId.toHexString(), records);
      return await use(records, ahead);
    } finally {
      // If this fails, the reservation expires.
      await apps.updateOne({ _id: appId }, { $pull: { seats: { token } } }).catch(() => undefined);
    }
  }

  async function serve(appId: Types.ObjectId, batch: readonly Waiting[]): Promise<void> {
    const begun = momentOf(systemClock);
    const isExpired = (): boolean => !isWithin(SEAT_MS, begun, momentOf(systemClock));
    try {
      await withReservation(appId, batch.length, async (records, ahead) => {
        let taken = records + ahead;
        const given: Promise<void>[] = [];
        for (const { limit, resolve } of batch) {
          if (records >= limit) resolve('full');
          else if (taken >= limit) resolve('contended');
          else {
            taken += 1;
            given.push(new Promise((release) => resolve({ isExpired, release })));
          }
        }
        await withTimeout(Promise.all(given), SEAT_MS, () => new Unavailable());
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function run(appId: Types.ObjectId, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) await serve(appId, queue.splice(0, MAX_BATCH));
    queues.delete(appId.toHexString());
  }

  return {
    /**
     * Asks for a seat of an app. Release the seat.
     * @throws {Unavailable} when too many wait, or the database does not answer
     */
    async take(appId: Types.ObjectId, limit: number): Promise<SeatAnswer> {
      const app = appId.toHexString();
      const records = counts.get(app);
      if (records !== undefined && records >= limit) return 'full';
      if (records !== undefined && limit - records >= AMPLE_ROOM) return UNRESERVED;
      const queue = queues.get(app) ?? [];
      if (queue.length >= MAX_WAITING) throw new Unavailable('Too many submissions at once; try again shortly', 1);
      const answer = new Promise<SeatAnswer>((resolve, reject) => queue.push({ limit, resolve, reject }));
      if (!queues.has(app)) {
        queues.set(app, queue);
        void run(appId, queue);
      }
      return answer;
    },
  };
}
