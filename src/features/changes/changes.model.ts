import { Binary, ObjectId, UUID } from 'mongodb';
import { type AppModel, NOT_BEING_DELETED } from '../../core/apps/apps.model.ts';
import type { DocumentId } from '../../platform/bson/documents.ts';
import { Conflict, NamedError, NotFound, Unavailable } from '../../platform/core/errors.ts';
import type { Connection } from '../../platform/database/client.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { changing } from '../../platform/database/filters.ts';
import { insertGuarded, insertTarget } from '../../platform/database/guarded-insert.ts';
import { lookup } from '../../platform/database/lookups.ts';
import { createModel, type DocumentOf, type Model, schema } from '../../platform/database/mongoose.ts';
import { type RemovalGuard, removeInSteps } from '../../platform/database/removal.ts';
import { firstOfEachApp } from '../../platform/jobs/turn-job.ts';
import { say } from '../../platform/languages/reasons.ts';
import { authorSchema, type HistoryAuthor } from '../history/history-entries.ts';
import { type PackedIds, unpackUuids } from '../search/matching-ids.ts';

/** `stopping`: the batch in progress ends first. */
export const CHANGE_STATES = ['running', 'completed', 'stopping', 'stopped', 'undoing', 'undone', 'failed'] as const;
export type ChangeState = (typeof CHANGE_STATES)[number];

/** How far a pass over the records is, and what it did. */
const passSchema = schema({
  /** The number of processed records, which is also the position. */
  done: { type: Number, required: true },
  changed: { type: Number, required: true },
  refused: { type: Number, required: true },
  /** The first ones. */
  errors: {
    type: [schema({ id: { type: String, required: true }, message: { type: String, required: true } })],
    required: true,
  },
});
export type Pass = DocumentOf<typeof passSchema>;

/** A change of many records (spec 4.3.6). Its records are in `change_records`. */
const changeSchema = schema(
  {
    _id: { type: ObjectId, required: true },
    appId: { type: ObjectId, required: true },
    sourceAppId: { type: String, required: true },
    state: { type: String, required: true, enum: CHANGE_STATES },
    set: { type: Object, required: true },
    unset: { type: [String], required: true },
    /** The schema version whose keys they have. */
    version: { type: Number, required: true },
    by: { type: authorSchema, required: true },
    undoneBy: authorSchema,
    total: { type: Number, required: true },
    /** Its records that were erased since, of at most 1,000. */
    erased: [UUID],
    pass: { type: passSchema, required: true },
    undo: passSchema,
    failure: String,
    createdAt: { type: Date, required: true },
    /** When the change or its undo began to wait for its turn. */
    startedAt: { type: Date, required: true },
    endedAt: Date,
    expiresAt: { type: Date, required: true },
    /** The number of runs, and the run that may write (import-documents.ts has the same). */
    runs: Number,
    runner: Number,
  },
  { collection: 'changes', placement: 'at most 50 for each app' },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ appId: 1, _id: -1 })
  .index({ state: 1, startedAt: 1 });
export type ChangeDocument = DocumentOf<typeof changeSchema>;

/** Ids of records of a change: at most 1,000. `_id`: the change and the number of the part. */
const changeRecordsSchema = schema(
  {
    _id: { type: String, required: true },
    appId: { type: ObjectId, required: true },
    changeId: { type: ObjectId, required: true },
    at: { type: Date, required: true },
    uuids: { type: Binary, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'change_records', placement: 'ids of the records of kept changes' },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ changeId: 1 })
  .index({ appId: 1, at: 1 });
type ChangeRecords = DocumentOf<typeof changeRecordsSchema>;

type ChangeCollection = Collection<ChangeDocument>;
type ChangeRecordCollection = Collection<ChangeRecords>;

export const createChangeModel = (connection: Connection): Model<ChangeDocument> =>
  createModel(connection, changeSchema);

export const createChangeRecordModel = (connection: Connection): Model<ChangeRecords> =>
  createModel(connection, changeRecordsSchema);

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Less than the TTL of the ids. */
const KEEP_MS = 30 * DAY_MS;
/** Spec 4.3.6. */
export const MAX_ERRORS = 20;
const MAX_UNFINISHED = 5;
const MAX_KEPT = 50;
const MAX_RUNNING = 1_000;

/** The approximate size of a change, in bytes. */
const CHANGE_BYTES = 10_000;
const IDS_OF_PART = 1_000;
const INSERTED_AT_ONCE = 100;
const ACTIVE: ChangeState[] = ['running', 'undoing', 'stopping'];

const partId = (id: ObjectId, part: number): string => `${id.toHexString()}:${part}`;

export const newPass = (): Pass => ({ done: 0, changed: 0, refused: 0, errors: [] });

interface NewChange extends Pick<ChangeDocument, 'appId' | 'sourceAppId' | 'set' | 'unset' | 'version' | 'by'> {
  parts: readonly PackedIds[];
}

/** The ids of the records of a change are gone. */
export class MissingRecords extends NamedError {
  constructor() {
    super('The list of its records is gone');
  }
}

export type ChangeStore = ReturnType<typeof createChangeStore>;

/** A change of few records, and which of the searched records are among them. */
interface Naming {
  change: ChangeDocument;
  ids: UUID[];
}

/** @param deps.now returns the time from which MongoDB keeps them */
export function createChangeStore(deps: {
  changes: ChangeCollection;
  records: ChangeRecordCollection;
  apps: Pick<AppModel, 'collection'>;
  now: () => Date;
}) {
  const { changes, records, apps, now } = deps;

  async function find(appId: ObjectId, id: string): Promise<ChangeDocument> {
    const found = ObjectId.isValid(id) && (await changes.findOne({ _id: new ObjectId(id), appId }));
    if (!found) throw new NotFound('changeNotFound');
    return found;
  }

  /**
   * Removes the oldest ended changes of an app above the number that is kept. The change goes
   * first: no undo can begin without its ids, and ids that a stopped process leaves expire.
   */
  async function trim(appId: ObjectId, until: Until): Promise<void> {
    const options = { projection: { _id: 1 }, sort: { _id: -1 }, skip: MAX_KEPT - 1, limit: MAX_KEPT } as const;
    const old = await changes.find({ appId, state: { $nin: ACTIVE } }, options).toArray();
    for (const { _id } of old) {
      const ended = { _id, state: { $nin: ACTIVE }, ...beginsBefore(await until()) };
      const { deletedCount } = await changes.deleteOne(ended);
      if (deletedCount > 0) await removeInSteps(records, { changeId: _id }, until);
    }
  }

  /**
   * Requests that arrive at once may pass together: the changes of an app run one after the other,
   * so more of them only wait.
   */
  async function refuseTooMany(appId: ObjectId): Promise<void> {
    const options = { limit: MAX_UNFINISHED };
    if ((await changes.countDocuments({ appId, state: { $in: ACTIVE } }, options)) < MAX_UNFINISHED) return;
    throw new Conflict(say('changeLimit', { max: MAX_UNFINISHED }));
  }

  /** Yields the changes of few records that have one of these. */
  async function* naming(appIds: readonly ObjectId[], ids: readonly DocumentId[]): AsyncGenerator<Naming> {
    const searched = new Set(ids.map(String));
    const few = { appId: { $in: [...appIds] }, total: { $lte: IDS_OF_PART } };
    for await (const change of changes.find(few, { sort: { appId: 1, _id: -1 } })) {
      const part = await records.findOne({ _id: partId(change._id, 0) });
      const found = part ? unpackUuids(part.uuids.value()).filter((id) => searched.has(String(id))) : [];
      if (found.length > 0) yield { change, ids: found };
    }
  }

  return {
    find,
    refuseTooMany,
    naming,

    list: (appId: ObjectId, limit: number): Promise<ChangeDocument[]> =>
      changes.find({ appId }, { sort: { _id: -1 }, limit }).toArray(),

    /** Resolves with the number of users and the time of each change that is kept, by its id. */
    async named(ids: readonly ObjectId[]): Promise<Map<string, { users: number; createdAt: Date }>> {
      const options = { projection: { total: 1, createdAt: 1 } } as const;
      const found = await changes.find({ _id: { $in: [...ids] } }, options).toArray();
      return new Map(found.map(({ _id, total, createdAt }) => [_id.toHexString(), { users: total, createdAt }]));
    },

    /**
     * Stores the ids first: a change has all of its records.
     * @throws {Unavailable} when the time is over, or the app is being deleted
     */
    async create({ parts, appId, ...change }: NewChange, until: Until): Promise<ObjectId> {
      await trim(appId, until);
      const _id = new ObjectId();
      const at = new Date();
      const packed = repacked(parts);
      const expiresAt = new Date(now().getTime() + KEEP_MS + DAY_MS);
      const documents = packed.map((uuids, part) => ({
        _id: partId(_id, part),
        appId,
        changeId: _id,
        at,
        uuids: new Binary(uuids),
        expiresAt,
      }));
      for (let first = 0; first < documents.length; first += INSERTED_AT_ONCE) {
        await records.insertMany(documents.slice(first, first + INSERTED_AT_ONCE));
      }
      const total = packed.reduce((sum, { length }) => sum + length / 16, 0);
      const created: ChangeDocument = {
        _id,
        appId,
        ...change,
        total,
        state: 'running',
        pass: newPass(),
        createdAt: at,
        startedAt: at,
        expiresAt: new Date(now().getTime() + KEEP_MS),
      };
      // A late one would change what was restored meanwhile.
      const live = { _id: appId, ...NOT_BEING_DELETED, ...beginsBefore(await until()) };
      const guard = { collection: apps.collection, filter: live };
      await insertGuarded(guard, insertTarget(changes), [created], () => CHANGE_BYTES);
      if (!(await changes.findOne({ _id }, { projection: { _id: 1 } }))) throw new Unavailable();
      return _id;
    },

    /** The ids of at most `limit` records from a position on, of one part. */
    async ids({ _id, total }: ChangeDocument, from: number, limit: number): Promise<UUID[]> {
      if (from >= total) return [];
      const part = await records.findOne({ _id: partId(_id, Math.floor(from / IDS_OF_PART)) });
      if (!part) throw new MissingRecords();
      const first = from % IDS_OF_PART;
      return unpackUuids(part.uuids.value()).slice(first, first + limit);
    },

    /**
     * Notes the erasure of records, and removes a change of few records with the last one; resolves
     * with whether it did. A run in progress ends then.
     * @param guard asked before each write
     * @throws {Unavailable} when the write came too late
     */
    async forget({ _id, total }: ChangeDocument, ids: readonly UUID[], guard: RemovalGuard): Promise<boolean> {
      if (ids.length === 0 || total > IDS_OF_PART) return false;
      const update = { $addToSet: { erased: { $each: [...ids] } } };
      const inTime = { _id, ...beginsBefore(await guard()) };
      const noted = await changes.findOneAndUpdate(inTime, update, { returnDocument: 'after' });
      if (!noted && (await changes.findOne({ _id }, { projection: { _id: 1 } }))) throw new Unavailable();
      if (!noted?.erased || noted.erased.length < total) return false;
      await removeInSteps(changes, { _id }, guard);
      await removeInSteps(records, { changeId: _id }, guard);
      return true;
    },

    /** Undoes a change that ended. @throws {NotFound} @throws {Conflict} */
    async undo(appId: ObjectId, id: string, by: HistoryAuthor, until: Until): Promise<void> {
      const { _id, state } = await find(appId, id);
      await refuseTooMany(appId);
      const hasEnded = { $in: ['completed', 'stopped', 'failed'] as ChangeState[] };
      const filter = { _id, state: hasEnded, ...beginsBefore(await until()) };
      const update = { $set: { state: 'undoing' as const, undoneBy: by, startedAt: new Date(), undo: newPass() } };
      const { matchedCount } = await changes.updateOne(filter, { ...update, $unset: { endedAt: 1, failure: 1 } });
      if (matchedCount > 0) return;
      throw new Conflict(state === 'undone' || state === 'undoing' ? 'changeUndone' : 'changeNotEnded');
    },

    /** Stops a change or its undo. One that has ended stays as it is. @throws {NotFound} */
    async stop(appId: ObjectId, id: string, until: Until): Promise<void> {
      const { _id } = await find(appId, id);
      const state = { $in: ['running', 'undoing'] as ChangeState[] };
      const running = { _id, state, ...beginsBefore(await until()) };
      await changes.updateOne(running, { $set: { state: 'stopping' } });
    },

    /** Looks for a change to run. */
    anyActive: lookup(changes, { state: { $in: ACTIVE } }),

    /** The changes to run: of each app the one that began to wait first. */
    async heads(): Promise<ChangeDocument[]> {
      const projection = { appId: 1, runs: 1, startedAt: 1 };
      const options = { projection, sort: { startedAt: 1 }, limit: MAX_RUNNING } as const;
      return firstOfEachApp(await changes.find({ state: { $in: ACTIVE } }, options).toArray());
    },

    /**
     * Starts a run, from now on the only one whose results count. `isClean`: no write of an earlier
     * run can arrive. Undefined when the change has ended, or another run has begun.
     */
    async claim({ _id, runs }: ChangeDocument): Promise<{ change: ChangeDocument; isClean: boolean } | undefined> {
      const runner = (runs ?? 0) + 1;
      const filter = { _id, state: { $in: ACTIVE }, runs: runs ?? { $exists: false } };
      const before = await changes.findOneAndUpdate(filter, { $set: { runner, runs: runner } });
      if (!before) return undefined;
      return { change: { ...before, runner, runs: runner }, isClean: before.runner === undefined };
    },

    /** Ends a run that has no writes in flight. */
    async release({ _id, runner }: ChangeDocument): Promise<void> {
      if (runner !== undefined) await changes.updateOne({ _id, runner }, { $unset: { runner: 1 } });
    },

    /** Adds the results of a batch; undefined: the run is over, and they do not count. */
    async commit(
      { _id, runner, ...known }: ChangeDocument,
      name: 'pass' | 'undo',
      { errors, ...counts }: Pass,
    ): Promise<ChangeDocument | undefined> {
      if (runner === undefined) return undefined;
      const filter = { _id, runner, [`${name}.done`]: known[name]?.done };
      const update = changing<ChangeDocument>({
        $inc: Object.fromEntries(Object.entries(counts).map(([member, count]) => [`${name}.${member}`, count])),
        $push: { [`${name}.errors`]: { $each: errors, $slice: MAX_ERRORS } },
      });
      return (await changes.findOneAndUpdate(filter, update, { returnDocument: 'after' })) ?? undefined;
    },

    /** Ends a change. */
    async end({ _id, runner, state }: ChangeDocument, end: ChangeState, failure?: string): Promise<void> {
      if (runner === undefined) return;
      const ended = { state: end, endedAt: new Date(), ...(failure !== undefined && { failure }) };
      await changes.updateOne({ _id, runner, state }, { $set: ended, $unset: { runner: 1 } });
    },
  };
}

/** In parts of exactly 1,000 but the last. Ids that are no UUIDs come from manual edits only. */
function repacked(parts: readonly PackedIds[]): Buffer[] {
  const all = Buffer.concat(parts.map(({ uuids }) => uuids));
  const bytes = IDS_OF_PART * 16;
  return Array.from({ length: Math.ceil(all.length / bytes) }, (_, part) =>
    Buffer.from(all.subarray(part * bytes, (part + 1) * bytes)),
  );
}
