import { setTimeout as sleep } from 'node:timers/promises';
import { Binary, ObjectId, type ReadConcernLevel } from 'mongodb';
import type { AppOwned } from '../../core/feature.ts';
import { BY_EMAIL, type RecordId, type UserCollection, type UserDocument } from '../../core/users/users.model.ts';
import type { Connection } from '../../platform/database/client.ts';
import { beginsBefore } from '../../platform/database/clock.ts';
import { type Collection, decode } from '../../platform/database/collections.ts';
import { isMissingHint } from '../../platform/database/failures.ts';
import { insertGuarded, insertTarget } from '../../platform/database/guarded-insert.ts';
import { INDEX_BUILD_TIME_MS } from '../../platform/database/indexes.ts';
import { createModel, type DocumentOf, type Model, schema } from '../../platform/database/mongoose.ts';
import { prefixRange } from '../../platform/database/ordered-ids.ts';
import { type Older, ownedBy, type RemovalGuard, removeInSteps } from '../../platform/database/removal.ts';
import { changesName } from '../files/file-places.ts';
import type { EventConsumer } from '../outbox/outbox.ts';
import type { PersonData } from '../people/person-data.ts';
import type { ErasureGuard, RecordTraces } from '../records/erasure.ts';
import { historyEntry, MAX_INLINE_BYTES, NOT_MOVING, type NumberedEntry, numbered } from './history-entries.ts';
import type { KeptSubmissions } from './kept-submissions.ts';

const BY_AGE = { appId: 1, newestAt: 1 } as const;

/** Entries that one move took out of a record, all of submissions or none. */
const movedEntriesSchema = schema(
  {
    /** The app's id, the record's id, the class, the first revision. */
    _id: { type: Binary, required: true },
    appId: { type: ObjectId, required: true },
    newestAt: { type: Date, required: true },
    entries: {
      type: [schema({ ...historyEntry, revision: { type: Number, required: true } })],
      required: true,
    },
  },
  {
    collection: 'history',
    shardKey: { _id: 1 },
    placement: 'one for each 16 changes of a record; the id begins with that of the app',
  },
).index(BY_AGE);

type MovedEntries = DocumentOf<typeof movedEntriesSchema>;
type HistoryCollection = Collection<MovedEntries>;

/** The model of `history`. */
export const createHistoryModel = (connection: Connection): Model<MovedEntries> =>
  createModel(connection, movedEntriesSchema);

/** The records with entries. The index exists from the first entry on. */
const BY_FIRST_ENTRY = { appId: 1, 'history.0.at': 1 } as const;
const WITH_ENTRIES = { 'history.0.at': { $exists: true } } as const;

/** Submissions of strangers displace no other entries: each class has its own bounds. */
const CLASSES = { submissions: 0, others: 1 } as const;
type EntryClass = keyof typeof CLASSES;
const CLASS_NAMES = Object.keys(CLASSES) as EntryClass[];
/** The most documents of one record and class: about a thousand entries. */
const MAX_MOVED = 64;

/** A move that stalled ends by itself after this time. */
const MOVE_MS = 8_000;
/** The time limit of its insert, and a second: an insert that began has ended by `until`. */
const INSERT_MS = 4_000;
const BUSY_PAUSE_MS = 50;

/** A page with entries of this size, in the record or of one class, reads no more of them. */
const PAGE_BYTES = 256 * 1024;
const DROPPED_AT_ONCE = 500;
const NEVER = new Date(0);

const ID_BYTES = 12 + 16 + 1 + 4;
const MAX_REVISION = 0xffffffff;

function movedId(appId: ObjectId, record: RecordId, ofClass: EntryClass, revision: number): Binary {
  const bytes = Buffer.alloc(ID_BYTES);
  bytes.set(appId.id, 0);
  bytes.set(record.buffer, 12);
  bytes.writeUInt8(CLASSES[ofClass], 28);
  bytes.writeUInt32BE(revision, 29);
  return new Binary(bytes);
}

const idRange = (...parts: Uint8Array[]) => prefixRange(ID_BYTES, ...parts);

/** The members of a record that its history is read from. */
const PROJECTION = { appId: 1, email: 1, history: 1, historyBytes: 1, revision: 1, movedHistory: 1 };

type RecordRef = Pick<UserDocument, '_id' | 'appId' | 'email'>;

interface HistoryPage {
  email: string;
  /** Newest first. */
  entries: NumberedEntry[];
  hasMore: boolean;
}

export type RecordHistory = ReturnType<typeof createRecordHistory>;

/**
 * The history of records (decision 47). The write of a change appends its entry to the record; a
 * write that finds the record full moves the entries to `history`. A move holds a lock in the
 * record, by MongoDB's clock, and every statement of it requires the lock.
 *
 * @param keep stores the submissions of a record whose events wait: their values leave the record
 */
export function createRecordHistory(deps: {
  users: UserCollection;
  moved: HistoryCollection;
  keep: KeptSubmissions['keep'];
  guardOfErased: ErasureGuard;
  /** The maximum of an entry, in bytes. */
  maxEntry: number;
}) {
  const { users, moved, keep, guardOfErased, maxEntry } = deps;

  let isIndexed = false;

  /** Creates the index at the first use: a service without edits does not maintain it. */
  function noteUse(): void {
    if (isIndexed) return;
    isIndexed = true;
    const options = { partialFilterExpression: WITH_ENTRIES, maxTimeMS: INDEX_BUILD_TIME_MS };
    users.createIndex(BY_FIRST_ENTRY, options).catch(() => {
      isIndexed = false; // the next entry tries again
    });
  }

  async function trim({ _id, appId }: RecordRef, ofClass: EntryClass): Promise<void> {
    const own = { _id: idRange(appId.id, _id.buffer, Buffer.of(CLASSES[ofClass])) };
    const options = { projection: { _id: 1 }, sort: { _id: -1 }, skip: MAX_MOVED, limit: DROPPED_AT_ONCE } as const;
    const old = await moved.find(own, options).toArray();
    if (old.length > 0) await moved.deleteMany({ _id: { $in: old.map((one) => one._id) } });
  }

  /** Resolves with false when another server moves the entries. */
  async function move({ _id, appId, email }: RecordRef): Promise<boolean> {
    const token = new ObjectId();
    const until = { $add: ['$$NOW', MOVE_MS] };
    const locked = await users.findOneAndUpdate(
      { _id, appId, email, 'history.0': { $exists: true }, ...NOT_MOVING },
      [{ $set: { historyMove: { token, until }, movedHistory: true } }],
      {
        returnDocument: 'after',
        projection: { history: 1, revision: 1, historyBytes: 1, historyMove: 1, 'outbox.id': 1 },
      },
    );
    if (!locked?.historyMove) return false;
    if (locked.outbox?.length) await keep({ appId, _id });
    const entries = numbered(locked);
    const documents = CLASS_NAMES.flatMap((ofClass) => {
      const own = entries.filter(({ by }) => (by.kind === 'submission') === (ofClass === 'submissions'));
      const [first] = own;
      if (!first) return [];
      const newestAt = new Date(Math.max(...own.map(({ at }) => at.getTime())));
      return [
        { ofClass, document: { _id: movedId(appId, _id, ofClass, first.revision), appId, newestAt, entries: own } },
      ];
    });
    const inTime = beginsBefore(new Date(locked.historyMove.until.getTime() - INSERT_MS));
    const isOwn = { _id, appId, email, 'historyMove.token': token, ...inTime };
    await insertGuarded(
      { collection: users, filter: isOwn },
      insertTarget(moved),
      documents.map(({ document }) => document),
      () => locked.historyBytes ?? MAX_INLINE_BYTES,
      // Of a move that stopped before it removed the entries: this one has the same and later ones.
      'replace',
    );
    const count = entries.length;
    const left = { $slice: ['$history', count, { $max: [1, { $subtract: [{ $size: '$history' }, count] }] }] };
    const bytes = { $subtract: ['$historyBytes', locked.historyBytes ?? 0] };
    const { matchedCount } = await users.updateOne(isOwn, [
      { $set: { history: left, historyBytes: bytes } },
      { $unset: 'historyMove' },
    ]);
    if (matchedCount > 0) for (const { ofClass } of documents) await trim({ _id, appId, email }, ofClass);
    return true;
  }

  /** Yields the moved entries of one class before a revision, by document, with its size. */
  async function* movedBefore({ appId, _id }: Omit<RecordRef, 'email'>, ofClass: EntryClass, before: number) {
    const range = idRange(appId.id, _id.buffer, Buffer.of(CLASSES[ofClass]));
    const filter = { _id: { $gte: range.$gte, $lt: movedId(appId, _id, ofClass, before) } };
    const found = moved.find<Uint8Array>(filter, { sort: { _id: -1 }, batchSize: 2, raw: true });
    for await (const document of found) {
      const { entries } = decode<MovedEntries>(document);
      yield { entries: entries.filter(({ revision }) => revision < before).reverse(), bytes: document.length };
    }
  }

  async function pageOf(
    record: UserDocument,
    { before, limit, since }: { before: number; limit: number; since: Date },
  ): Promise<HistoryPage> {
    const found = new Map<number, NumberedEntry>();
    const isShown = ({ revision, at }: NumberedEntry): boolean => revision < before && at >= since;
    for (const entry of numbered(record)) if (isShown(entry)) found.set(entry.revision, entry);
    /** Entries below this revision may be missing. */
    let complete = 0;
    const isLarge = found.size > 0 && (record.historyBytes ?? 0) >= PAGE_BYTES;
    if (record.movedHistory && isLarge) complete = Math.min(...found.keys());
    else if (record.movedHistory && found.size <= limit) {
      for (const ofClass of CLASS_NAMES) {
        let count = 0;
        let bytes = 0;
        for await (const { entries, bytes: read } of movedBefore(record, ofClass, before)) {
          for (const entry of entries) if (isShown(entry)) found.set(entry.revision, entry);
          count += entries.length;
          bytes += read;
          if (count <= limit && bytes < PAGE_BYTES) continue;
          complete = Math.max(complete, entries.at(-1)?.revision ?? 0);
          break;
        }
      }
    }
    const sorted = [...found.values()].sort((a, b) => b.revision - a.revision);
    const sure = sorted.filter(({ revision }) => revision >= complete);
    return {
      email: record.email,
      entries: sure.slice(0, limit),
      hasMore: sorted.length > Math.min(limit, sure.length) || complete > 1,
    };
  }

  async function removeOf(records: readonly { appId: ObjectId; id: RecordId }[], guard: RemovalGuard): Promise<number> {
    if (records.length === 0) return 0;
    const ranges = records.map(({ appId, id }) => ({ _id: idRange(appId.id, id.buffer) }));
    return removeInSteps(moved, { $or: ranges }, guard);
  }

  const removeOfErased = (records: readonly { appId: ObjectId; id: RecordId }[]): Promise<number> => {
    const appIds = records.map(({ appId }) => appId);
    return removeOf(
      records,
      guardOfErased(
        appIds,
        records.map(({ id }) => id),
      ),
    );
  };

  return {
    maxEntry,
    noteUse,

    /** Moves the entries out of a record, or waits a moment while another server does. */
    async moveOut(record: RecordRef): Promise<void> {
      if (!(await move(record))) await sleep(BUSY_PAUSE_MS);
    },

    /** A page of the entries before a revision; undefined: no such record. */
    async page(
      appId: ObjectId,
      _id: RecordId,
      range: { before: number; limit: number; since: Date },
    ): Promise<HistoryPage | undefined> {
      // The record first: entries are stored in `history` before they leave the record.
      const record = await users.findOne({ _id, appId }, { projection: PROJECTION });
      return record ? pageOf(record, range) : undefined;
    },

    /** The entry of a revision. */
    async find(appId: ObjectId, _id: RecordId, wanted: number): Promise<NumberedEntry | undefined> {
      const record = await users.findOne({ _id, appId }, { projection: PROJECTION });
      if (!record) return undefined;
      const inline = numbered(record).find(({ revision }) => revision === wanted);
      if (inline || !record.movedHistory) return inline;
      for (const ofClass of CLASS_NAMES) {
        for await (const { entries } of movedBefore(record, ofClass, wanted + 1)) {
          const found = entries.find(({ revision }) => revision === wanted);
          if (found) return found;
          break;
        }
      }
      return undefined;
    },

    /** The newest entry of a bulk change or of its undo, among those of operators. */
    async findOfChange(
      record: Pick<UserDocument, '_id' | 'appId' | 'history' | 'revision' | 'movedHistory'>,
      change: string,
    ): Promise<NumberedEntry | undefined> {
      const isWanted = ({ by }: NumberedEntry): boolean => by.change === change;
      const inline = numbered(record).findLast(isWanted);
      if (inline || !record.movedHistory) return inline;
      const last = (record.revision ?? 0) + 1;
      for await (const { entries } of movedBefore(record, 'others', last)) {
        const found = entries.find(isWanted);
        if (found) return found;
      }
      return undefined;
    },

    /** The entries of an import and of its undo, newest first. */
    async findOfImport(
      record: Pick<UserDocument, '_id' | 'appId' | 'history' | 'revision' | 'movedHistory'>,
      id: string,
    ): Promise<NumberedEntry[]> {
      const found = new Map<number, NumberedEntry>();
      const add = (entries: readonly NumberedEntry[]): void => {
        for (const entry of entries) if (entry.by.import === id) found.set(entry.revision, entry);
      };
      add(numbered(record));
      if (record.movedHistory) {
        const { appId, _id } = record;
        const own = { _id: idRange(appId.id, _id.buffer, Buffer.of(CLASSES.others)), 'entries.by.import': id };
        for await (const { entries } of moved.find(own, { batchSize: 2 })) add(entries);
      }
      return [...found.values()].sort((one, other) => other.revision - one.revision);
    },

    /** Whether a moved entry of a record names a file. */
    async movedNames(appId: ObjectId, record: RecordId, file: string, level: ReadConcernLevel): Promise<boolean> {
      const own = { _id: idRange(appId.id, record.buffer), $or: changesName('entries', file) };
      return (await moved.findOne(own, { projection: { _id: 1 }, readConcern: { level } })) !== null;
    },

    /** Drops entries of an app that are older; resolves with whether more may be. */
    async dropOld(appId: ObjectId, { before, until }: Older): Promise<boolean> {
      const inTime = beginsBefore(until);
      const old = { appId, newestAt: { $lt: before } };
      const options = { projection: { _id: 1 }, limit: DROPPED_AT_ONCE, hint: BY_AGE } as const;
      const found = await moved.find({ _id: idRange(appId.id), ...old }, options).toArray();
      if (found.length > 0) {
        await moved.deleteMany({ _id: { $in: found.map(({ _id }) => _id) }, ...old, ...inTime });
      }
      const records = await recordsWithOld(appId, before);
      const drops = records.map((one) => dropWrite(one, before, inTime));
      if (drops.length > 0) await users.bulkWrite(drops, { ordered: false });
      return Math.max(found.length, records.length) === DROPPED_AT_ONCE;
    },

    /** The history as a trace of records that are erased. */
    traces: {
      remove: async (appIds, ids) => {
        for (const appId of appIds) await removeOfErased(ids.map((id) => ({ appId, id })));
      },
    } satisfies Pick<RecordTraces, 'remove'>,

    /** Erases the history of erased records. */
    consumer: {
      async consume(events) {
        const erased = events.filter(({ type }) => type === 'user.erased');
        await removeOfErased(erased.map(({ appId, recordId: id }) => ({ appId, id })));
      },
    } satisfies EventConsumer,

    /** What the history holds of a person. The erasure of the record erases it. */
    personal: {
      name: 'history',
      async *entriesOf(appIds, email) {
        const filter = { appId: { $in: [...appIds] }, email };
        for await (const record of users.find(filter, { projection: PROJECTION, hint: BY_EMAIL, batchSize: 1 })) {
          let before = MAX_REVISION;
          for (let hasMore = true; hasMore; ) {
            const page = await pageOf(record, { before, limit: 100, since: NEVER });
            for (const { revision, at, by, changes } of page.entries) {
              const shown = { record: String(record._id), revision, at: at.toISOString(), by, changes };
              yield { appId: record.appId, shown: { kind: 'history', ...shown } };
            }
            before = page.entries.at(-1)?.revision ?? 0;
            hasMore = page.hasMore && page.entries.length > 0;
          }
        }
      },
      async eraseOf(appIds, email, guard) {
        const filter = { appId: { $in: [...appIds] }, email };
        const options = { projection: { appId: 1, movedHistory: 1 }, hint: BY_EMAIL };
        let erased = 0;
        for await (const { _id: id, appId, movedHistory } of users.find(filter, options)) {
          if (movedHistory) erased += await removeOf([{ appId, id }], guard);
        }
        return erased;
      },
    } satisfies PersonData,

    ...ownedBy(moved, 'newestAt', { of: (appId) => ({ _id: idRange(appId.id) }) }),
  } satisfies AppOwned & Record<string, unknown>;

  async function recordsWithOld(appId: ObjectId, before: Date) {
    const filter = { appId, 'history.0.at': { $lt: before } };
    const options = {
      projection: { appId: 1, email: 1, 'history.at': 1, revision: 1 },
      hint: BY_FIRST_ENTRY,
      limit: DROPPED_AT_ONCE,
    };
    try {
      return await users.find(filter, options).toArray();
    } catch (error) {
      // The index does not exist: there was never an entry.
      if (isMissingHint(error)) return [];
      throw error;
    }
  }
}

/** Drops the first entries of a record if it has the same ones and no one moves them. */
function dropWrite({ _id, appId, email, history = [], revision }: UserDocument, before: Date, inTime: object) {
  const firstKept = history.findIndex(({ at }) => at >= before);
  const dropped = firstKept === -1 ? history.length : firstKept;
  const left = { $slice: ['$history', dropped, { $max: [1, history.length - dropped] }] };
  const isSame = { revision: revision as number, history: { $size: history.length } };
  return {
    updateOne: {
      filter: { _id, appId, email, ...isSame, $and: [NOT_MOVING, inTime] },
      update: [{ $set: { history: left } }, { $set: { historyBytes: { $bsonSize: { history: '$history' } } } }],
    },
  };
}
