import { LRUCache } from 'lru-cache';
import type { Types } from 'mongoose';
import type { AppOwned } from '../../apps/app-owned.ts';
import { KeyReused, TooManyRequests } from '../../core/errors.ts';
import type { DatabaseClock } from '../../database/database-clock.ts';
import { isDuplicateKey } from '../../database/failures.ts';
import { firstIdAt, parseRecordId, type RecordId } from '../../users/record-id.ts';
import type { Submission } from '../store/submission.ts';
import { type HeldCollection, type HeldDocument, HOLD_REASONS, type HoldReason } from './held.model.ts';
import { createHeldLimiter } from './held-limiter.ts';

/**
 * The bounds of one app's queue for each reason. Bots that fill honeypots leave the room of people
 * whose browser solves no challenge.
 */
export const MAX_HELD = 1_000;
const MAX_HELD_BYTES = 10 * 1024 * 1024;
const LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

/** For how long a full queue is not counted again, so that a flood costs one count a second. */
const FULL_FOR_MS = 1_000;
const MAX_FULL_APPS = 1_000;
const RETRY_AFTER_SECONDS = 3_600;

/** A page ends after this size, also with fewer entries than its limit. */
const MAX_PAGE_BYTES = 1024 * 1024;
const BATCH_SIZE = 10;
/** The size of a document without its email, page and data, in bytes. */
const OVERHEAD = 300;

/** A page of a queue, newest first. `next` is the id before which the next page begins. */
export interface HeldPage {
  held: HeldDocument[];
  next?: RecordId;
}

interface Load {
  count: number;
  bytes: number;
}

export type HeldStore = ReturnType<typeof createHeldStore>;

/** The queue of held submissions of each app (spec 4.5). */
export function createHeldStore(
  held: HeldCollection,
  newId: (at: Date) => RecordId,
  clock: Pick<DatabaseClock, 'earlier' | 'later'>,
) {
  const limitNetwork = createHeldLimiter();
  /** What this server adds to each app's queue at the moment, by app and reason. */
  const adding = new Map<string, Load>();
  const full = new LRUCache<string, true>({ max: MAX_FULL_APPS, ttl: FULL_FOR_MS });

  async function loadOf(appId: Types.ObjectId, reason: HoldReason): Promise<Load> {
    const group = { _id: null, count: { $sum: 1 }, bytes: { $sum: '$size' } };
    const [load] = await held
      .aggregate<Load>([{ $match: { appId, reason } }, { $group: group }], { hint: { appId: 1, reason: 1, size: 1 } })
      .toArray();
    return load ?? { count: 0, bytes: 0 };
  }

  /**
   * Runs `add` if the queue has room. Entries that other servers add at the same moment are not
   * seen, so a queue may exceed its bounds by these few; none that was accepted is removed.
   *
   * @throws {TooManyRequests} when the queue is full
   */
  async function withRoom<T>({ appId, reason, size: bytes }: HeldDocument, add: () => Promise<T>): Promise<T> {
    const queue = `${appId.toHexString()} ${reason}`;
    const own = adding.get(queue) ?? { count: 0, bytes: 0 };
    adding.set(queue, own);
    own.count += 1;
    own.bytes += bytes;
    try {
      if (full.has(queue)) throw queueFull();
      const { count, bytes: stored } = await loadOf(appId, reason);
      if (count + own.count > MAX_HELD || stored + own.bytes > MAX_HELD_BYTES) {
        full.set(queue, true);
        throw queueFull();
      }
      return await add();
    } finally {
      own.count -= 1;
      own.bytes -= bytes;
      if (own.count === 0) adding.delete(queue);
    }
  }

  /** The entry of an earlier request with the same key. */
  async function findRepeat({ appId, email, key, content }: HeldDocument): Promise<HeldDocument | undefined> {
    if (!key) return undefined;
    const entry = await held.findOne({ appId, email, key }, { readConcern: 'majority' });
    if (entry?.content && content && Buffer.compare(entry.content.buffer, content.buffer) !== 0) throw new KeyReused();
    return entry ?? undefined;
  }

  return {
    /**
     * Holds a submission for 30 days. Resolves with its entry, or with the entry of an earlier
     * request with the same `Idempotency-Key`.
     *
     * @param data the data as it was sent, under the keys of the schema that it was checked against
     * @param how.address the address of the client, whose network has a share of the queue
     * @throws {TooManyRequests} when the app's queue is full, or the network used its share
     * @throws {KeyReused} when the key came with other data
     */
    async hold(
      { appId, email, schemaVersion, now, applied }: Submission,
      data: Record<string, unknown>,
      { reason, page, address }: { reason: HoldReason; page?: string | undefined; address?: string | undefined },
    ): Promise<HeldDocument> {
      const size = OVERHEAD + email.length + (page?.length ?? 0) + Buffer.byteLength(JSON.stringify(data));
      const expiresAt = new Date(clock.later().getTime() + LIFETIME_MS);
      const entry: HeldDocument = {
        ...{ _id: newId(now), appId, email, data, reason, schemaVersion, at: now, expiresAt, size },
        ...(page !== undefined && { page }),
        ...(applied && { key: applied.key, content: applied.content }),
      };
      const earlier = await findRepeat(entry);
      if (earlier) return earlier;
      if (address !== undefined) limitNetwork(appId, address, size);
      return withRoom(entry, async () => {
        try {
          await held.insertOne(entry);
          return entry;
        } catch (error) {
          const concurrent = isDuplicateKey(error) ? await findRepeat(entry) : undefined;
          if (!concurrent) throw error;
          return concurrent;
        }
      });
    },

    /** Resolves with a page of an app's queue. @param before the `next` of the page before */
    async page(appId: Types.ObjectId, limit: number, before?: RecordId): Promise<HeldPage> {
      const filter = { appId, expiresAt: { $gt: clock.earlier() }, ...(before && { _id: { $lt: before } }) };
      const found = held.find(filter, { limit: limit + 1, batchSize: BATCH_SIZE }).sort({ _id: -1 });
      const entries: HeldDocument[] = [];
      let bytes = 0;
      for await (const entry of found) {
        const last = entries.at(-1);
        bytes += entry.size;
        if (last && (entries.length === limit || bytes > MAX_PAGE_BYTES)) return { held: entries, next: last._id };
        entries.push(entry);
      }
      return { held: entries };
    },

    /**
     * Resolves with the number of entries, by reason, from the keys of an index. Entries that have
     * expired count until MongoDB removes them, within about a minute.
     */
    async counts(appId: Types.ObjectId): Promise<Record<HoldReason, number>> {
      const counted = HOLD_REASONS.map(async (reason) => [reason, (await loadOf(appId, reason)).count] as const);
      return Object.fromEntries(await Promise.all(counted)) as Record<HoldReason, number>;
    },

    /** Resolves with an entry, or with undefined when the app has none of this id. */
    async find(appId: Types.ObjectId, id: string): Promise<HeldDocument | undefined> {
      const _id = parseRecordId(id);
      return (_id && (await held.findOne({ _id, appId, expiresAt: { $gt: clock.earlier() } }))) ?? undefined;
    },

    /** Deletes an entry; resolves with false when the app has none of this id. */
    async remove(appId: Types.ObjectId, id: string): Promise<boolean> {
      const _id = parseRecordId(id);
      return _id !== undefined && (await held.deleteOne({ _id, appId })).deletedCount === 1;
    },

    removeAll: async (appId: Types.ObjectId, since?: Date): Promise<number> =>
      (await held.deleteMany({ appId, ...(since && { _id: { $gte: firstIdAt(since) } }) })).deletedCount,

    has: async (appId: Types.ObjectId, made: 'before' | 'since', time: Date): Promise<boolean> => {
      const _id = { [made === 'before' ? '$lt' : '$gte']: firstIdAt(time) };
      return (await held.findOne({ appId, _id }, { projection: { _id: 1 } })) !== null;
    },
  } satisfies AppOwned & Record<string, unknown>;
}

function queueFull(): TooManyRequests {
  return new TooManyRequests('This form cannot take more submissions for now; try again later', RETRY_AFTER_SECONDS);
}
