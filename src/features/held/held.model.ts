import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Binary, ObjectId, type ReadConcernLevel, UUID } from 'mongodb';
import type { SubmissionOptions } from '../../core/users/acceptance.ts';
import type { Submission } from '../../core/users/submission.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import type { DocumentId } from '../../platform/bson/documents.ts';
import { clientNetwork } from '../../platform/core/client-network.ts';
import { KeyReused, TooManyRequests, Unavailable } from '../../platform/core/errors.ts';
import type { Connection } from '../../platform/database/client.ts';
import { beginsBefore, type DatabaseClock } from '../../platform/database/clock.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import { changing, typedFilter } from '../../platform/database/filters.ts';
import { insertGuarded, insertTarget } from '../../platform/database/guarded-insert.ts';
import { createModel, type DocumentOf, type Model, schema } from '../../platform/database/mongoose.ts';
import { parseUuid } from '../../platform/database/ordered-ids.ts';
import { removeInSteps } from '../../platform/database/removal.ts';
import type { SharedLimits } from '../../platform/database/shared-limits.ts';
import type { FileCleaner } from '../files/file-cleaner.ts';
import { markedFiles, namesFile } from '../files/file-places.ts';
import type { AppliedKey } from '../idempotency/idempotency-keys.ts';
import { numbersByApp, type OverviewRead } from '../overview/overview-part.ts';
import type { PersonData } from '../people/person-data.ts';
import type { RecordTraces } from '../records/erasure.ts';

/**
 * `confirm`: it waits for the person, by a link in an email (spec 4.5.5). `applied`: the link was
 * used; the entry stays without its data as long as the link is valid.
 */
/**
 * A hidden field was filled; an HTML form had no solved challenge, or no token of a provider; the
 * provider was away.
 */
export const HOLD_REASONS = ['honeypot', 'no-proof', 'no-captcha', 'captcha-away'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

const WAIT_REASONS = [...HOLD_REASONS, 'confirm', 'applied'] as const;
type WaitReason = (typeof WAIT_REASONS)[number];

const FOR_OPERATORS = { reason: { $in: HOLD_REASONS } };

/** The entries of a person, in any app. */
const BY_EMAIL = { email: 1, appId: 1 } as const;

const BY_REASON = { appId: 1, reason: 1, size: 1 } as const;

/** The unique index of guarded inserts, also on a sharded cluster. */
const ONCE = ['appId', 'email', '_id'];

/**
 * A valid submission that waits for an operator (spec 4.5), or for the person. `_id` is a UUID of
 * version 7.
 */
const heldSchema = schema(
  {
    _id: { type: UUID, required: true },
    appId: { type: ObjectId, required: true },
    /** Normalized. */
    email: { type: String, required: true },
    /** As sent, under the keys of `schemaVersion`. */
    data: { type: Object, required: true },
    reason: { type: String, required: true, enum: WAIT_REASONS },
    schemaVersion: { type: Number, required: true },
    at: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    /** The approximate size of the document, in bytes. */
    size: { type: Number, required: true },
    /** The URL of the page that sent it. */
    page: String,
    /** The language of the person, if the app has several. */
    lang: String,
    /** Hashes of the `Idempotency-Key` and of the data that came with it. */
    key: Binary,
    content: Binary,
    /** `confirm` and `applied`: the record that it changes. */
    recordId: UUID,
  },
  {
    collection: 'held_submissions',
    shardKey: { appId: 1, email: 1 },
    placement: 'emails and data of people, up to 50 MB for each app',
  },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  // The entries of an app, newest first.
  .index({ appId: 1, _id: -1 })
  // The size of an app's queue is summed from the keys of this index.
  .index(BY_REASON)
  .index(BY_EMAIL)
  .index(Object.fromEntries(ONCE.map((member) => [member, 1])), { unique: true })
  // A repeat with the same key and email is held once.
  .index({ appId: 1, email: 1, key: 1 }, { unique: true, partialFilterExpression: { key: { $exists: true } } });

export type HeldDocument = DocumentOf<typeof heldSchema>;
type HeldByOperator = HeldDocument & { reason: HoldReason };
type WaitingChange = HeldDocument & { reason: 'confirm'; recordId: RecordId };

type HeldCollection = Collection<HeldDocument>;

export const createHeldModel = (connection: Connection): Model<HeldDocument> => createModel(connection, heldSchema);

const WINDOW_MS = 60 * 60 * 1_000;
/** The share of one network in the queue of one app in an hour, in units. */
export const UNITS_PER_HOUR = 100;
/** An entry counts one unit for each started 16 kB. */
const UNIT_BYTES = 16 * 1024;

/** Limits the share of one client network in a queue of one app. @throws {TooManyRequests} */
function createHeldLimiter(limits: SharedLimits, queue: string) {
  const limit = limits.create(queue, UNITS_PER_HOUR, WINDOW_MS);
  return async (appId: ObjectId, address: string, bytes: number): Promise<void> => {
    const key = `${appId.toHexString()} ${clientNetwork(address)}`;
    // A submission does not depend on the store of limits.
    const { waitMs } = await limit.take(key, Math.ceil(bytes / UNIT_BYTES)).catch(() => ({ waitMs: 0 }));
    if (waitMs > 0) throw new TooManyRequests('tooManySubmissions', Math.ceil(waitMs / 1_000));
  };
}

/** The bounds of one app's queue for each reason, so that honeypots leave room for people. */
export const MAX_HELD = 1_000;
const MAX_HELD_BYTES = 10 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1_000;
const LIFETIME_MS = 30 * DAY_MS;
/** How long a change waits for the link in its email (spec 4.5.5). */
const CHANGE_WAITS_MS = 7 * DAY_MS;

/** How long a full queue is not counted again, so that a flood costs one count a second. */
const FULL_FOR_MS = 1_000;
const MAX_FULL_APPS = 1_000;
const RETRY_AFTER_SECONDS = 3_600;

/** A page ends after this size, also with fewer entries than its limit. */
const MAX_PAGE_BYTES = 1024 * 1024;
const BATCH_SIZE = 10;
/** The size of a document without its email, page and data, in bytes. */
const OVERHEAD = 300;

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
  limits: SharedLimits,
  files: Pick<FileCleaner, 'releaseHeld'>,
) {
  const limitHeld = createHeldLimiter(limits, 'held submissions');
  // Of its own: refusals of the other one are visible, and would tell that a change was counted.
  const limitChanges = createHeldLimiter(limits, 'waiting changes');
  /** Submissions that this server is adding, by app and reason. */
  const adding = new Map<string, Load>();
  const full = new LRUCache<string, true>({ max: MAX_FULL_APPS, ttl: FULL_FOR_MS });

  async function measureHeld(appId: ObjectId, reason: WaitReason): Promise<Load> {
    const group = { _id: null, count: { $sum: 1 }, bytes: { $sum: '$size' } };
    const [load] = await held
      .aggregate<Load>([{ $match: { appId, reason } }, { $group: group }], { hint: BY_REASON })
      .toArray();
    return load ?? { count: 0, bytes: 0 };
  }

  /**
   * Runs `add` if the queue has room. Concurrent entries of other servers may exceed its bounds.
   * @throws {TooManyRequests} when the queue is full
   */
  async function withRoom<T>({ appId, reason, size: bytes }: HeldDocument, add: () => Promise<T>): Promise<T> {
    const queue = `${appId.toHexString()} ${reason}`;
    const own = adding.get(queue) ?? { count: 0, bytes: 0 };
    adding.set(queue, own);
    own.count += 1;
    own.bytes += bytes;
    try {
      if (full.has(queue)) throw queueFullError();
      const { count, bytes: stored } = await measureHeld(appId, reason);
      if (count + own.count > MAX_HELD || stored + own.bytes > MAX_HELD_BYTES) {
        full.set(queue, true);
        throw queueFullError();
      }
      return await add();
    } finally {
      own.count -= 1;
      own.bytes -= bytes;
      if (own.count === 0) adding.delete(queue);
    }
  }

  /** Inserts an entry; of one with files only if they are claimed for it. */
  async function insert(entry: HeldDocument, claim: Submission['claim']): Promise<void> {
    const guard = await claim?.forHeld(entry._id, entry.recordId);
    if (!guard) return void (await held.insertOne(entry));
    await insertGuarded(guard, insertTarget(held, ONCE), [entry], () => entry.size);
    const { _id, appId, email } = entry;
    const own = { projection: { _id: 1 }, readConcern: 'majority' } as const;
    // A server that was suspended lost its claim.
    if (!(await held.findOne({ _id, appId, email }, own))) throw new Unavailable();
  }

  /** The entry of an earlier request with the same key. */
  async function findRepeat({ appId, email, key, content }: HeldDocument): Promise<HeldDocument | undefined> {
    if (!key) return undefined;
    const entry = await held.findOne({ appId, email, key }, { readConcern: 'majority' });
    if (entry?.content && content && Buffer.compare(entry.content.buffer, content.buffer) !== 0) throw new KeyReused();
    return entry ?? undefined;
  }

  return {
    /** The number of entries for the operators of each app. */
    countByApp: (read: OverviewRead) => numbersByApp(held, read, { where: FOR_OPERATORS, hint: BY_REASON }),

    /**
     * Holds a submission for 30 days, or a change of `recordId` for 7. Resolves with its entry, or
     * with the entry of an earlier request with the same `Idempotency-Key`.
     *
     * @param data the data as sent, under the keys of the schema
     * @throws {TooManyRequests} when the app's queue is full, or the network used its share
     * @throws {KeyReused} when the key came with other data
     */
    async hold(
      { appId, email, schemaVersion, now, facts: { applied }, claim }: Submission,
      data: Record<string, unknown>,
      {
        reason,
        recordId,
        page,
        address,
        lang,
      }: Pick<SubmissionOptions, 'page' | 'address' | 'lang'> & Pick<HeldDocument, 'reason' | 'recordId'>,
    ): Promise<HeldDocument> {
      const size = OVERHEAD + email.length + (page?.length ?? 0) + Buffer.byteLength(JSON.stringify(data));
      const lifetime = recordId ? CHANGE_WAITS_MS : LIFETIME_MS;
      const expiresAt = new Date(clock.later().getTime() + lifetime);
      const entry: HeldDocument = {
        _id: newId(now),
        appId,
        email,
        data,
        reason,
        schemaVersion,
        at: now,
        expiresAt,
        size,
        ...(page !== undefined && { page }),
        ...(lang !== undefined && { lang }),
        ...(applied && { key: keyOf(reason, applied), content: applied.content }),
        ...(recordId && { recordId }),
      };
      const earlier = await findRepeat(entry);
      if (earlier) return earlier;
      const limitNetwork = recordId ? limitChanges : limitHeld;
      if (address !== undefined) await limitNetwork(appId, address, size);
      return withRoom(entry, async () => {
        try {
          await insert(entry, claim);
          return entry;
        } catch (error) {
          const concurrent = isDuplicateKey(error) ? await findRepeat(entry) : undefined;
          if (!concurrent) throw error;
          return concurrent;
        }
      });
    },

    /**
     * Resolves with a page of an app's queue, newest first.
     * @param before the `next` of the page before
     */
    async page(
      appId: ObjectId,
      limit: number,
      before?: RecordId,
    ): Promise<{ held: HeldByOperator[]; next?: RecordId }> {
      const filter = {
        appId,
        ...FOR_OPERATORS,
        expiresAt: { $gt: clock.earlier() },
        ...(before && { _id: { $lt: before } }),
      };
      const found = held.find<HeldByOperator>(filter, { limit: limit + 1, batchSize: BATCH_SIZE }).sort({ _id: -1 });
      const entries: HeldByOperator[] = [];
      let bytes = 0;
      for await (const entry of found) {
        const last = entries.at(-1);
        bytes += entry.size;
        if (last && (entries.length === limit || bytes > MAX_PAGE_BYTES)) return { held: entries, next: last._id };
        entries.push(entry);
      }
      return { held: entries };
    },

    /** Resolves with the number of entries by reason. Expired ones count for up to a minute. */
    async counts(appId: ObjectId): Promise<Partial<Record<HoldReason, number>>> {
      const stages = [{ $match: { appId, ...FOR_OPERATORS } }, { $group: { _id: '$reason', count: { $sum: 1 } } }];
      const counted = held.aggregate<{ _id: HoldReason; count: number }>(stages, {
        hint: BY_REASON,
      });
      return Object.fromEntries((await counted.toArray()).map(({ _id, count }) => [_id, count]));
    },

    async find(appId: ObjectId, id: string): Promise<HeldDocument | undefined> {
      const _id = parseUuid(id);
      const filter = { appId, ...FOR_OPERATORS, expiresAt: { $gt: clock.earlier() } };
      return (_id && (await held.findOne({ _id, ...filter }))) ?? undefined;
    },

    /** Resolves with a change that waits for its person. */
    async findChange(appId: ObjectId, _id: RecordId): Promise<WaitingChange | undefined> {
      const filter = { _id, appId, reason: 'confirm' as const, expiresAt: { $gt: clock.earlier() } };
      return (await held.findOne<WaitingChange>(filter)) ?? undefined;
    },

    /**
     * Removes the data of a change that its link applied, and keeps that it was.
     * @param before by MongoDB's clock: a statement that begins later may meet a restored entry
     */
    async noteApplied({ _id, appId, email, reason }: HeldDocument, before: Date): Promise<void> {
      const $set = { reason: 'applied' as const, data: {}, size: OVERHEAD };
      const $unset = { page: 1, lang: 1, key: 1, content: 1 } as const;
      await held.updateOne({ _id, appId, email, reason, ...beginsBefore(before) }, { $set, $unset });
      await files.releaseHeld(appId, _id);
    },

    /** Resolves with whether the link of a change applied it, while the link is valid. */
    async isApplied(appId: ObjectId, _id: RecordId): Promise<boolean> {
      const filter = { _id, appId, reason: 'applied' as const, expiresAt: { $gt: clock.earlier() } };
      return (await held.findOne(filter, { projection: { _id: 1 }, readConcern: 'majority' })) !== null;
    },

    /**
     * Deletes an entry; resolves with false when it is gone.
     * @param before see `noteApplied`; absent: nobody was told of the entry
     */
    async remove({ _id, appId, email, reason }: HeldDocument, before?: Date): Promise<boolean> {
      const inTime = before && beginsBefore(before);
      const { deletedCount } = await held.deleteOne({ _id, appId, email, reason, ...inTime });
      await files.releaseHeld(appId, _id, before !== undefined);
      return deletedCount === 1;
    },

    /** Whether an entry holds the submission of this email that came with this key. */
    async isOf(appId: ObjectId, _id: UUID, email: string, applied: AppliedKey): Promise<boolean> {
      const own = { _id, appId, email, key: { $in: [applied.key, keyOf('confirm', applied)] } };
      return (await held.findOne(own, { projection: { _id: 1 }, readConcern: 'majority' })) !== null;
    },

    /** The changes of these records that wait for their persons, or were applied. */
    traces: {
      async exist(appIds, ids) {
        const found = await held.findOne(changesOf(appIds, ids), { projection: { _id: 1 }, hint: BY_REASON });
        return found !== null;
      },
      async remove(appIds, ids, guard) {
        const those = changesOf(appIds, ids);
        const changes = await held.find(those, { projection: { appId: 1 }, hint: BY_REASON }).toArray();
        await removeInSteps(held, those, guard, ['appId', 'email']);
        for (const { appId, _id } of changes) await files.releaseHeld(appId, _id);
      },
      async readdress({ appId, _id: record, email }, guard) {
        const those = { ...changesOf([appId], [record]), email: { $ne: email } };
        const changes = await held.find(those, { projection: { _id: 1 }, hint: BY_REASON }).toArray();
        if (changes.length === 0) return;
        await removeInSteps(held, those, guard, ['appId', 'email']);
        for (const { _id } of changes) await files.releaseHeld(appId, _id);
      },
    } satisfies RecordTraces,
  };
}

export type HeldFiles = ReturnType<typeof createHeldFiles>;

/** What held submissions have of files. */
export function createHeldFiles(held: HeldCollection) {
  return {
    /** Whether an entry names a file. */
    async names(appId: ObjectId, _id: UUID, file: string, level: ReadConcernLevel): Promise<boolean> {
      const named = { _id, appId, $expr: namesFile('$data', file) };
      return (await held.findOne(named, { projection: { _id: 1 }, readConcern: { level } })) !== null;
    },

    /** The ids of the entries of a person. */
    async idsOf(appIds: readonly ObjectId[], email: string): Promise<UUID[]> {
      const options = { projection: { _id: 1 }, hint: BY_EMAIL };
      return (await held.find({ email, appId: { $in: [...appIds] } }, options).toArray()).map(({ _id }) => _id);
    },

    /** Marks an infected file in the values of the entry that names it (spec 4.14.7). */
    async markInfected(appId: ObjectId, _id: UUID, file: string): Promise<void> {
      const entry = await held.findOne({ _id, appId }, { projection: { email: 1, data: 1 } });
      for (const key of Object.keys(markedFiles(entry?.data ?? {}, file))) {
        const mark = changing<HeldDocument>({ $set: { [`data.${key}.$[file].infected`]: true } });
        const options = { arrayFilters: [{ 'file.id': file }] };
        await held.updateOne({ _id, appId, email: entry?.email ?? '' }, mark, options);
      }
    },
  };
}

/** The changes of some records, waiting or applied. */
const changesOf = (appIds: readonly ObjectId[], ids: readonly DocumentId[]) =>
  typedFilter<HeldDocument>({
    appId: { $in: [...appIds] },
    reason: { $in: ['confirm', 'applied'] },
    recordId: { $in: [...ids] },
  });

/**
 * The key of an entry. That of a change is another one than that of a held submission: a key that
 * met an entry only for a known email would tell that it is known.
 */
function keyOf(reason: WaitReason, { key }: Pick<AppliedKey, 'key'>): Binary {
  if (reason !== 'confirm') return key;
  return new Binary(createHash('sha256').update('confirm').update(key.buffer).digest().subarray(0, key.length()));
}

function queueFullError(): TooManyRequests {
  return new TooManyRequests('heldFull', RETRY_AFTER_SECONDS);
}

/** The held submissions of a person. */
export function createHeldOfPerson(held: HeldCollection): PersonData {
  return {
    name: 'held',

    async *entriesOf(appIds, email) {
      for await (const entry of held.find(
        { email, appId: { $in: [...appIds] } },
        { hint: BY_EMAIL, batchSize: BATCH_SIZE },
      )) {
        const { _id, appId, data, reason, at, page } = entry;
        const shown = {
          kind: 'held',
          id: _id.toString(),
          email: entry.email,
          data,
          reason,
          at: at.toISOString(),
          ...(page !== undefined && { page }),
        };
        yield { appId, shown };
      }
    },

    async eraseOf(appIds, email, guard) {
      const own = { email, appId: { $in: [...appIds] }, ...beginsBefore(await guard()) };
      const { deletedCount } = await held.deleteMany(own, { hint: BY_EMAIL });
      // Nothing is there, or it began too late.
      if (deletedCount === 0) await guard();
      return deletedCount;
    },
  };
}
