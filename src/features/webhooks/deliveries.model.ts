import type { ObjectId } from 'mongodb';
import type { RecordId } from '../../core/users/users.model.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import { isOnlyDuplicates } from '../../platform/database/failures.ts';
import { firstIdAt } from '../../platform/database/ordered-ids.ts';
import { type RemovalGuard, removeInSteps, removeSome } from '../../platform/database/removal.ts';
import type { RecordEvent } from '../outbox/outbox.ts';
import type { PersonData } from '../people/person-data.ts';
import type { RecordReader } from '../record-reads/record-reader.ts';
import {
  type Attempt,
  DELIVERY_STATES,
  type DeliveryCollection,
  type DeliveryDocument,
  type DeliveryState,
  LOG_OF_WEBHOOK,
  NEXT_ATTEMPTS,
  OF_RECORD,
  type StoredDelivery,
  type WebhookDocument,
  type WebhookOfApp,
} from './webhooks.model.ts';

const DUE_BATCH = 500;
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
const MAX_LOG = 10;
const STEP = 1_000;
/** How long one attempt deletes what waits of a record that is gone. */
const DROP_MS = 200;

type WaitingDelivery = Pick<DeliveryDocument, '_id' | 'appId' | 'nextAt'>;

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

/** Reads and writes deliveries (spec 4.11). */
export function createDeliveryStore(deliveries: DeliveryCollection) {
  const expiry = (now: number): Date => new Date(now + KEPT_MS);
  const firstAttempt = (now: number) =>
    ({ state: 'waiting', attempts: 0, nextAt: new Date(now), expiresAt: expiry(now) }) as const;

  const skipped = (now: number) => ({ state: 'skipped', attempts: 0, expiresAt: expiry(now) }) as const;

  /** Matches a waiting delivery unless it was attempted or replayed since it was read. */
  const asRead = ({ _id, appId, nextAt }: WaitingDelivery) =>
    ({ _id, appId, state: 'waiting', ...(nextAt && { nextAt }) }) as const;

  /**
   * Resolves with the first waiting delivery of each record, by its id in hexadecimal. MongoDB
   * reads no other delivery: `$first` after this `$sort` skips to the next record in the index.
   */
  async function firstOfEach(of: WebhookOfApp, recordIds: RecordId[]): Promise<Map<string, DeliveryDocument>> {
    const found = await deliveries
      .aggregate<{ first: DeliveryDocument }>(
        [
          { $match: { ...of, recordId: { $in: recordIds }, state: 'waiting' } },
          { $sort: { recordId: 1, revision: 1 } },
          { $group: { _id: '$recordId', first: { $first: '$$ROOT' } } },
        ],
        { hint: OF_RECORD },
      )
      .toArray();
    return new Map(found.map(({ first }) => [first.recordId.toHexString(), first]));
  }

  /** Stores deliveries, unless they are stored already. */
  async function insert(added: StoredDelivery[]): Promise<void> {
    if (added.length === 0) return;
    try {
      await deliveries.insertMany(added, { ordered: false });
    } catch (error) {
      if (!isOnlyDuplicates(error)) throw error;
    }
  }

  /**
   * Changes deliveries in steps of bounded duration, the oldest first, each once even if it returns
   * to its state. Resolves with the number of changed ones.
   * @param change resolves with the number that it changed; undefined ends the work
   */
  async function changeInSteps(
    of: WebhookOfApp & { state: DeliveryState | { $in: DeliveryState[] } },
    change: (found: WaitingDelivery[]) => Promise<number | undefined>,
    { first = '', limit = Number.POSITIVE_INFINITY }: { first?: string; limit?: number } = {},
  ): Promise<number> {
    const options = { projection: { appId: 1, nextAt: 1 }, sort: { _id: 1 }, hint: LOG_OF_WEBHOOK } as const;
    let changed = 0;
    let _id: { $gte: string } | { $gt: string } = { $gte: first };
    while (changed < limit) {
      const found = await deliveries
        .find({ ...of, _id }, { ...options, limit: Math.min(STEP, limit - changed) })
        .toArray();
      const last = found.at(-1);
      const count = last && (await change(found));
      if (!last || count === undefined) break;
      changed += count;
      _id = { $gt: last._id };
    }
    return changed;
  }

  return {
    /**
     * Stores a delivery of each event to each webhook that wants it, or that its condition does not
     * hold. Idempotent: the first decision about an event stays.
     * @param decide returns whether the condition of a webhook holds for the record of an event;
     *   undefined: the record is gone
     */
    async add(
      events: readonly RecordEvent[],
      webhooks: readonly WebhookDocument[],
      now: number,
      decide: (event: RecordEvent, webhook: WebhookDocument) => boolean | undefined = () => true,
    ): Promise<void> {
      const byApp = new Map<string, WebhookDocument[]>();
      for (const webhook of webhooks) {
        const app = webhook.appId.toHexString();
        byApp.set(app, [...(byApp.get(app) ?? []), webhook]);
      }
      let added: StoredDelivery[] = [];
      for (const event of events) {
        const { id, recordId, appId, type, revision, changed, at } = event;
        for (const webhook of byApp.get(appId.toHexString()) ?? []) {
          const { _id: webhookId, events: wanted } = webhook;
          const holds = wanted.includes(type) ? decide(event, webhook) : undefined;
          if (holds === undefined) continue;
          const of = { webhookId, appId, recordId, type, revision, at, ...(changed && { changed }) };
          added.push({ _id: `${id}:${webhookId}`, ...of, log: [], ...(holds ? firstAttempt(now) : skipped(now)) });
        }
        if (added.length < STEP) continue;
        await insert(added);
        added = [];
      }
      await insert(added);
    },

    waitingWebhooks: (): Promise<RecordId[]> => deliveries.distinct('webhookId', { state: 'waiting' }),

    /** Resolves with the app of a webhook with waiting deliveries, which may be deleted. */
    appOf: async (webhookId: RecordId): Promise<ObjectId | undefined> =>
      (await deliveries.findOne({ webhookId, state: 'waiting' }, { projection: { appId: 1 } }))?.appId,

    /**
     * Resolves with due deliveries, at most the first that waits of each record.
     * @param busy records with an attempt in progress
     */
    async due(
      of: WebhookOfApp,
      { now, limit, busy }: { now: number; limit: number; busy: RecordId[] },
    ): Promise<DeliveryDocument[]> {
      const isDue = { ...of, state: 'waiting', nextAt: { $lte: new Date(now) } } as const;
      const options = {
        projection: { appId: 1, recordId: 1, nextAt: 1 },
        sort: { nextAt: 1 },
        limit: DUE_BATCH,
        hint: NEXT_ATTEMPTS,
      } as const;
      const found = await deliveries.find<DeliveryDocument>({ ...isDue, recordId: { $nin: busy } }, options).toArray();
      const records = new Map(found.map(({ recordId }) => [recordId.toHexString(), recordId]));
      const firsts = await firstOfEach(of, [...records.values()]);
      // The first one may be due later than those that wait for it, and not be found.
      const due = new Set<DeliveryDocument>();
      const postponed: { updateOne: { filter: WaitingDelivery; update: object } }[] = [];
      for (const delivery of found) {
        const first = firsts.get(delivery.recordId.toHexString());
        if (!first?.nextAt) continue; // settled since it was found
        if (first.nextAt.getTime() <= now) due.add(first);
        // Not read again before the delivery that it waits for.
        else postponed.push({ updateOne: { filter: asRead(delivery), update: { $set: { nextAt: first.nextAt } } } });
      }
      if (postponed.length > 0) await deliveries.bulkWrite(postponed, { ordered: false });
      return [...due].slice(0, limit);
    },

    /** Resolves with the time of the next attempt of an endpoint; undefined when none waits. */
    async nextDue(of: WebhookOfApp): Promise<number | undefined> {
      const options = { projection: { nextAt: 1 }, sort: { nextAt: 1 }, hint: NEXT_ATTEMPTS } as const;
      return (await deliveries.findOne({ ...of, state: 'waiting' }, options))?.nextAt?.getTime();
    },

    /**
     * Stores a result, unless the delivery was erased or replayed. No `nextAt`: it was last. An
     * attempt that is not counted leaves the number of those that may follow.
     */
    async settle(
      delivery: DeliveryDocument,
      result: { attempt: Attempt; isSuccess: boolean; isCounted: boolean; nextAt: number | undefined },
      now: number,
    ): Promise<void> {
      const { attempt, isSuccess, isCounted, nextAt } = result;
      const { attempts, type } = delivery;
      const settled = isSuccess ? 'delivered' : 'failed';
      await deliveries.updateOne(
        { ...asRead(delivery), attempts },
        {
          $set: {
            state: nextAt === undefined ? settled : 'waiting',
            expiresAt: expiry(Math.max(now, nextAt ?? 0)),
            ...(nextAt !== undefined && { nextAt: new Date(nextAt) }),
          },
          ...(nextAt === undefined && { $unset: { nextAt: 1 } }),
          $inc: { attempts: isCounted ? 1 : 0 },
          $push: { log: { $each: [type === 'user.erased' ? withoutResponse(attempt) : attempt], $slice: -MAX_LOG } },
        },
        // If a crash loses the result, the attempt is repeated.
        { writeConcern: { w: 1, j: false } },
      );
    },

    /**
     * Ends some waiting deliveries of an endpoint; resolves with their number.
     * @param isOff called after each read, so that no delivery ends that was added after an
     * operator enabled the endpoint again
     * @param until called before `isOff`, so that what it says is not used later
     * @throws {Unavailable} when the time is over
     */
    giveUp: (of: WebhookOfApp, isOff: () => Promise<boolean>, until: Until): Promise<number> =>
      changeInSteps(
        { ...of, state: 'waiting' },
        async (found) => {
          const inTime = beginsBefore(await until());
          if (!(await isOff())) return undefined;
          const update = { $set: { state: 'failed' }, $unset: { nextAt: 1 } } as const;
          const writes = found.map((delivery) => ({
            updateOne: { filter: { ...asRead(delivery), ...inTime }, update },
          }));
          return (await deliveries.bulkWrite(writes, { ordered: false })).modifiedCount;
        },
        { limit: STEP },
      ),

    /**
     * Deletes for a moment what waits of a record that is gone, but its erasure.
     * @param guard asked before each statement; rejects when the record exists again
     */
    async drop({ appId, webhookId, recordId }: DeliveryDocument, guard: RemovalGuard): Promise<void> {
      const waiting = { appId, webhookId, recordId, state: 'waiting', type: { $ne: 'user.erased' } } as const;
      await removeSome(deliveries, waiting, DROP_MS, guard);
    },

    /** Resolves with a page of an endpoint's deliveries, newest first. */
    page(
      of: WebhookOfApp,
      { limit, before, state }: { limit: number; before: string | undefined; state: DeliveryState | undefined },
    ): Promise<DeliveryDocument[]> {
      const states = { $in: state ? [state] : [...DELIVERY_STATES] };
      const filter = { ...of, state: states, ...(before !== undefined && { _id: { $lt: before } }) };
      return deliveries.find<DeliveryDocument>(filter, { sort: { _id: -1 }, limit, hint: LOG_OF_WEBHOOK }).toArray();
    },

    find: async (appId: ObjectId, id: string): Promise<DeliveryDocument | undefined> =>
      (await deliveries.findOne<DeliveryDocument>({ _id: id, appId, state: { $in: [...DELIVERY_STATES] } })) ??
      undefined,

    /** Makes a delivery wait for a first attempt. Resolves with false when there is none. */
    replay: async (appId: ObjectId, id: string, now: number): Promise<boolean> =>
      (
        await deliveries.updateOne(
          { _id: id, appId, state: { $in: [...DELIVERY_STATES] } },
          { $set: firstAttempt(now) },
        )
      ).matchedCount === 1,

    /** Makes ended deliveries of events since a time wait again, the oldest first. */
    replaySince(of: WebhookOfApp, since: Date, limit: number, now: number): Promise<number> {
      const ended = { ...of, state: { $in: ['delivered', 'failed'] as DeliveryState[] } };
      const first = firstIdAt(new Date(Math.max(since.getTime(), 0))).toString();
      const update = { $set: firstAttempt(now) };
      const replay = async (found: WaitingDelivery[]): Promise<number> => {
        const those = { ...ended, _id: { $in: found.map(({ _id }) => _id) } };
        return (await deliveries.updateMany(those, update, { hint: { _id: 1 } })).modifiedCount;
      };
      return changeInSteps(ended, replay, { first, limit });
    },

    /** Deletes all deliveries of a webhook, in steps. */
    removeOf: (of: WebhookOfApp, guard: RemovalGuard): Promise<number> => removeInSteps(deliveries, of, guard),

    /** Resolves with the ids of those of these webhooks that have deliveries. */
    withDeliveries: (webhooks: readonly WebhookOfApp[]): Promise<RecordId[]> =>
      deliveries.distinct('webhookId', {
        appId: { $in: webhooks.map(({ appId }) => appId) },
        webhookId: { $in: webhooks.map(({ webhookId }) => webhookId) },
      }),

    /** Deletes what names these records, except their erasures. Resolves with the number. */
    forget: (appIds: readonly ObjectId[], recordIds: readonly RecordId[], guard: RemovalGuard): Promise<number> =>
      removeInSteps(deliveries, namesOf(appIds, recordIds), guard),

    /** As {@link forget} for about this time; resolves with whether nothing is left. */
    forgetSome: (
      appIds: readonly ObjectId[],
      recordIds: readonly RecordId[],
      guard: RemovalGuard,
      forMs: number,
    ): Promise<boolean> => removeSome(deliveries, namesOf(appIds, recordIds), forMs, guard),

    /** Resolves with whether {@link forget} would delete something. */
    names: async (appIds: readonly ObjectId[], recordIds: readonly RecordId[]): Promise<boolean> =>
      (await deliveries.findOne(namesOf(appIds, recordIds), { projection: { _id: 1 } })) !== null,

    /** Yields the deliveries of these records. */
    ofRecords: (appIds: readonly ObjectId[], recordIds: readonly RecordId[]): AsyncIterable<StoredDelivery> =>
      deliveries.find({ appId: { $in: [...appIds] }, recordId: { $in: [...recordIds] } }, { hint: OF_RECORD }),
  };
}

const namesOf = (appIds: readonly ObjectId[], recordIds: readonly RecordId[]) =>
  ({ appId: { $in: [...appIds] }, recordId: { $in: [...recordIds] }, type: { $ne: 'user.erased' } }) as const;

/** The answer may contain personal data, and this delivery outlives the record. */
function withoutResponse({ response: _, ...attempt }: Attempt): Attempt {
  return attempt;
}

/** The deliveries that name a record of a person. Answers may repeat values of the record. */
export function createDeliveriesOfPerson(
  records: Pick<RecordReader, 'idsOfPerson'>,
  deliveries: DeliveryStore,
): PersonData {
  return {
    name: 'deliveries',

    async *entriesOf(appIds, email) {
      for await (const delivery of deliveries.ofRecords(appIds, await records.idsOfPerson(appIds, email))) {
        const { _id, appId, type, at, state, recordId, log } = delivery;
        const attempts = log.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() }));
        const event = { kind: 'delivery', id: _id, type, at: at.toISOString(), state, record: recordId.toString() };
        yield { appId, shown: { ...event, attempts } };
      }
    },

    async eraseOf(appIds, email, guard) {
      return deliveries.forget(appIds, await records.idsOfPerson(appIds, email), guard);
    },
  };
}
