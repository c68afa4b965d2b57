import { setTimeout as sleep } from 'node:timers/promises';
import { MongoBulkWriteError, ObjectId, type UUID } from 'mongodb';
import { keepsWords } from '../apps/index-slots.ts';
import { AppError, Unavailable } from '../core/errors.ts';
import type { PendingRenames } from '../fields/renames.ts';
import type { RenameStore } from '../schemas/pending-renames.ts';
import type { Lease } from '../schemas/schema-leases.ts';
import { OutdatedSchema } from './conflict.ts';
import type { RecordHistory } from './history.ts';
import { isFull, underPresentKeys, undoOf } from './history-entries.ts';
import {
  BY_EMAIL,
  type ChangeMark,
  type HistoryAuthor,
  type HistoryEntry,
  theseRecords,
  type UserCollection,
  type UserDocument,
} from './record.ts';
import { EDITED_PROJECTION, type EditedRecord, editWrite, refuseInvalid } from './record-edit.ts';
import type { RecordId } from './record-id.ts';
import type { RecordLimits } from './record-limits.ts';
import type { RecordMoves } from './record-moves.ts';
import { FULL_WORDS } from './record-words.ts';
import type { Revalidation } from './revalidation.ts';
import { type SlotWrite, slotWrites } from './slot-records.ts';
import type { SlotStore } from './slot-store.ts';
import type { WordRecords } from './word-records.ts';

const MAX_ATTEMPTS = 24;
const PAUSE_MS = 10;
/** The most records that one read holds. Each has only the values that the change names. */
const BATCH_SIZE = 100;

/** A change of many records: the same values for all, or the end of that. */
export interface BulkEdit {
  id: ObjectId;
  set: Record<string, unknown>;
  unset: readonly string[];
  /** The schema version whose keys `set` and `unset` have. */
  version: number;
  by: HistoryAuthor;
  /** Restores the values before, where those of the change are still stored. */
  isUndo: boolean;
  /** Writes nothing, and finds what was written. */
  isStopping: boolean;
}

/** `left`: values that were changed since stay as they are. */
export type BulkResult = { result: 'changed' | 'unchanged' | 'refused'; message?: string };

interface FoundRecord extends EditedRecord, Pick<UserDocument, 'change' | 'movedHistory'> {
  ofChange: HistoryEntry[];
  wordCount: number;
  extraKeys: number;
}

interface Planned extends Pick<ReturnType<typeof editWrite>, 'filter' | 'update'> {
  id: string;
  email: string;
  slots: readonly SlotWrite[] | undefined;
  message?: string;
}

export type BulkEditor = ReturnType<typeof createBulkEditor>;

/** Applies changes of many records. The marks in records make repeats harmless (decision 47). */
export function createBulkEditor(deps: {
  users: UserCollection;
  revalidation: Pick<Revalidation, 'revalidateEdit' | 'settleLater'>;
  moves: Pick<RecordMoves, 'one'>;
  words: Pick<WordRecords, 'shorten'>;
  history: Pick<RecordHistory, 'moveOut' | 'noteUse' | 'findOfChange'>;
  renamesSince: RenameStore['since'];
  limits: RecordLimits;
  maxArrayItems: number;
  newId: (at: Date) => RecordId;
  catchUp: SlotStore['catchUp'];
  onEvents: () => void;
}) {
  const { users, revalidation, moves, words, history, renamesSince, limits, maxArrayItems, newId, catchUp } = deps;
  const { onEvents } = deps;

  function read(appId: ObjectId, ids: readonly UUID[], edit: BulkEdit, fieldKeys: readonly string[]) {
    const keys = [...Object.keys(edit.set), ...edit.unset];
    const isOwn = { $and: [{ $eq: ['$$this.by.change', edit.id.toHexString()] }, { $eq: ['$$this.by.kind', 'edit'] }] };
    const projection = {
      ...EDITED_PROJECTION,
      ...Object.fromEntries(keys.map((key) => [`data.${key}`, 1])),
      ...{ change: 1, movedHistory: 1 },
      wordCount: { $size: { $ifNull: ['$words', []] } },
      ofChange: { $filter: { input: { $ifNull: ['$history', []] }, cond: isOwn } },
      extraKeys: {
        $size: { $setDifference: [{ $map: { input: { $objectToArray: '$data' }, in: '$$this.k' } }, [...fieldKeys]] },
      },
    };
    return users
      .find<FoundRecord>(
        { appId, _id: { $in: [...ids] } },
        { projection, hint: { _id: 1 }, batchSize: BATCH_SIZE, readConcern: { level: 'majority' } },
      )
      .toArray();
  }

  /** What an undo restores; undefined: nothing of this change. */
  async function entryOf(record: FoundRecord, { id }: BulkEdit) {
    if (record.ofChange.length > 0 || !record.movedHistory) return record.ofChange.at(-1);
    return history.findOfChange(record, id.toHexString());
  }

  /** @param renames those since the change was made: no entry of it has an earlier version */
  async function planOf(
    record: FoundRecord,
    edit: BulkEdit,
    lease: Lease,
    renames: readonly PendingRenames[],
  ): Promise<Planned | BulkResult> {
    const { app, schema, validator } = lease;
    const { change, email, data = {} } = record;
    const { isUndo } = edit;
    const mark: ChangeMark = { id: edit.id, ...(isUndo && { undone: true }) };
    if (change?.id?.equals(edit.id) && (change.undone === true) === isUndo) return { result: 'changed' };
    if (edit.isStopping) return { result: 'unchanged' };
    let message: string | undefined;
    let values = { set: edit.set, unset: edit.unset, lists: {} };
    if (isUndo) {
      const entry = await entryOf(record, edit);
      if (!entry) return { result: 'unchanged' };
      const since = renames.filter(({ version }) => version > entry.version);
      const changes = underPresentKeys(entry, since);
      const undo = undoOf(changes, data, validator.isList);
      if (undo.changed.length > 0) message = `changed since: ${undo.changed.join(', ')}`;
      if (changes.some(({ omitted }) => omitted)) message = 'the values before were too large to keep';
      if (undo.changed.length === changes.length || changes.some(({ omitted }) => omitted)) {
        return { result: 'refused', ...(message !== undefined && { message }) };
      }
      values = undo;
    }
    try {
      if (isUndo) refuseInvalid(values, lease);
      const stored = { ...values, set: validator.storedValues(values.set) };
      const removed = Object.fromEntries(values.unset.map((key) => [key, undefined]));
      const slots = slotWrites(app.slots, { set: { ...stored.set, ...removed }, append: {} });
      const own = Object.keys(data).filter((key) => !validator.fieldKeys.includes(key)).length;
      const { filter, update, entry } = editWrite(
        { ...record, data },
        { ...stored, removeItems: [] },
        {
          ...{ schemaVersion: schema.version, fieldKeys: validator.fieldKeys, limits, maxArrayItems },
          eventId: app.hasConsumers ? newId(new Date()) : undefined,
          hasWords: keepsWords(app),
          ...{ slots, slotEpoch: app.slotEpoch, by: { ...edit.by, change: edit.id.toHexString() } },
          bulk: { mark, lastMark: change, otherExtraKeys: record.extraKeys - own },
        },
      );
      if (!entry) return { result: 'unchanged' };
      const id = record._id.toHexString();
      return { filter, update, id, email, slots, ...(message !== undefined && { message }) };
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      return { result: 'refused', message: [error.message, ...(error.issues ?? []).map(describeIssue)].join('; ') };
    }
  }

  /** Resolves with whether the record can be planned now; otherwise another attempt reads it. */
  async function prepare(record: FoundRecord, isFirst: boolean, { app, schema, renames }: Lease): Promise<boolean> {
    const { appId, email, slotEpoch = 0 } = record;
    if (record.schemaVersion > schema.version) throw new OutdatedSchema();
    if (slotEpoch > (app.slotEpoch ?? 0)) {
      await catchUp(app.id, slotEpoch);
      throw new OutdatedSchema();
    }
    // A record without an old key stays at its version.
    if (isFirst && renames && record.schemaVersion < renames.version) {
      await moves.one({ appId, email }, renames);
      return false;
    }
    if (isFull(record)) {
      await history.moveOut(record);
      return false;
    }
    if (!keepsWords(app) || record.wordCount < FULL_WORDS) return true;
    await words.shorten({ appId, email }, app.slotEpoch ?? 0);
    return false;
  }

  async function write(planned: readonly Planned[], lease: Lease): Promise<boolean> {
    const { app, schema } = lease;
    const writes = planned.map(({ email, slots }) => {
      const known = { appId: app.id, sourceAppId: app.sourceAppId, email, slots, schemaVersion: schema.version };
      return { ...known, ...(keepsWords(app) && { words: [] }) };
    });
    try {
      const operations = planned.map(({ filter, update }) => ({ updateOne: { filter, update, hint: BY_EMAIL } }));
      const { matchedCount } = await users.bulkWrite(operations, { ordered: false });
      history.noteUse();
      if (app.hasConsumers) onEvents();
      if (!lease.isCurrent()) for (const one of writes) await revalidation.revalidateEdit(lease, one);
      return matchedCount === planned.length;
    } catch (error) {
      for (const one of writes) revalidation.settleLater(one, lease);
      const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
      if (failures.length === 0) throw error;
      if ((error as MongoBulkWriteError).result.getWriteConcernError()) throw new Unavailable();
      return false;
    }
  }

  return {
    /** Makes writes of other runs to these records fail, also those still to arrive. */
    async fence(appId: ObjectId, ids: readonly UUID[]): Promise<void> {
      const options = { projection: { email: 1 }, hint: { _id: 1 } };
      const found = await users.find({ appId, _id: { $in: [...ids] } }, options).toArray();
      if (found.length === 0) return;
      const fenced = { $set: { 'change.fence': new ObjectId() } };
      await users.updateMany(theseRecords(appId, found), fenced, { hint: { _id: 1 } });
    },

    /**
     * Applies a change to these records, each once; resolves with the results by id.
     * @param checkOwner throws when another run may write
     * @throws {OutdatedSchema} when a record is later than the lease; a repeat continues
     * @throws {Unavailable} when a result is unknown
     */
    async apply(
      lease: Lease,
      ids: readonly UUID[],
      given: BulkEdit,
      checkOwner: () => void,
    ): Promise<Map<string, BulkResult>> {
      const results = new Map<string, BulkResult>();
      const renames = await renamesSince(lease.app.id, given.version);
      const presentKey = (key: string): string =>
        renames.reduce((from, { pairs }) => pairs.find((pair) => pair.from === from)?.to ?? from, key);
      const edit: BulkEdit = {
        ...given,
        set: Object.fromEntries(Object.entries(given.set).map(([key, value]) => [presentKey(key), value])),
        unset: given.unset.map(presentKey),
      };
      const refusal = edit.isUndo || edit.isStopping ? undefined : refusalOf(edit, lease);
      let left = ids;
      for (let count = 0; left.length > 0; count += 1) {
        if (count === MAX_ATTEMPTS) throw new Unavailable();
        if (count > 2) await sleep(PAUSE_MS * count);
        const found = await read(lease.app.id, left, edit, lease.validator.fieldKeys);
        const existing = new Set(found.map(({ _id }) => _id.toHexString()));
        for (const id of left) {
          if (!existing.has(id.toHexString()))
            results.set(id.toHexString(), { result: 'refused', message: 'was erased' });
        }
        const planned: Planned[] = [];
        const later: UUID[] = [];
        for (const record of found) {
          const id = record._id.toHexString();
          const isMarked = record.change?.id?.equals(edit.id) === true;
          if (refusal !== undefined && !isMarked) results.set(id, { result: 'refused', message: refusal });
          else if (!(await prepare(record, count === 0, lease))) later.push(record._id);
          else {
            const plan = await planOf(record, edit, lease, renames);
            if ('result' in plan) results.set(id, plan);
            else planned.push(plan);
          }
        }
        checkOwner();
        if (planned.length > 0 && (await write(planned, lease))) {
          for (const { id, message } of planned) {
            results.set(id, { result: 'changed', ...(message !== undefined && { message }) });
          }
        } else {
          // The next attempt reads which records have the mark.
          const ofPlanned = new Set(planned.map(({ id }) => id));
          later.push(...left.filter((id) => ofPlanned.has(id.toHexString())));
        }
        left = later;
      }
      return results;
    },
  };
}

function refusalOf(edit: BulkEdit, lease: Lease): string | undefined {
  try {
    refuseInvalid(edit, lease);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [error.message, ...(error.issues ?? []).map(describeIssue)].join('; ');
  }
}

const describeIssue = ({ path, message }: { path: string; message: string }): string => `${path} ${message}`;
