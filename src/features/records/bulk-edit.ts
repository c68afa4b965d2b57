import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId, type UUID } from 'mongodb';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import { extraKeysExpression } from '../../core/users/record-limits.ts';
import { theseRecords, type UserDocument } from '../../core/users/users.model.ts';
import { limitAttempts } from '../../platform/core/attempts.ts';
import { AppError, Unavailable } from '../../platform/core/errors.ts';
import { createTurns } from '../../platform/core/turns.ts';
import { decode } from '../../platform/database/collections.ts';
import type { RecordHistory } from '../history/history.ts';
import { type HistoryAuthor, type HistoryEntry, underPresentKeys, undoOf } from '../history/history-entries.ts';
import { updateAsRead } from '../record-reads/record-filters.ts';
import { type PendingRenames, presentKey } from '../renames/renames.ts';
import {
  type ChangeMark,
  EDITED_PROJECTION,
  type EditDeps,
  type EditedRecord,
  type EditWrite,
  editWrite,
  prepareEdit,
  refuseInvalid,
} from './record-edit.ts';

const PAUSE_MS = 10;
/** The most records that one read holds. Each has only the values that the change names. */
const BATCH_SIZE = 100;
/** Writes are sent when the values that they read, and their entries, have this size in bytes. */
const MAX_WRITE_BYTES = 128 * 1024;

/** A change of many records: the same values for all, or the end of that. */
interface BulkEdit {
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

export type BulkResult = {
  result: 'changed' | 'unchanged' | 'refused';
  message?: string | undefined;
  isErased?: true;
};

interface FoundRecord extends EditedRecord, Pick<UserDocument, 'change' | 'revision' | 'movedHistory'> {
  ofChange: HistoryEntry[];
  extraKeys: number;
}

interface Planned extends Omit<EditWrite, 'hasChanges'> {
  id: UUID;
  message: string | undefined;
}

export type BulkEditor = ReturnType<typeof createBulkEditor>;

/** Applies changes of many records. The marks in records make repeats harmless (decision 47). */
export function createBulkEditor(
  deps: EditDeps & {
    history: Pick<RecordHistory, 'findOfChange'>;
  },
) {
  const { users, revalidation, history, renamesSince, parts, edits } = deps;

  function read(lease: Lease, ids: readonly UUID[], edit: BulkEdit) {
    const keys = [...Object.keys(edit.set), ...edit.unset];
    const isOwn = { $eq: ['$$this.by.change', edit.id.toHexString()] };
    const projection = {
      ...EDITED_PROJECTION,
      bytes: parts.bytes(),
      ...edits.facts(lease),
      ...Object.fromEntries(keys.map((key) => [`data.${key}`, 1])),
      change: 1,
      revision: 1,
      movedHistory: 1,
      ofChange: { $filter: { input: { $ifNull: ['$history', []] }, cond: isOwn } },
      extraKeys: { $size: extraKeysExpression(lease.validator.fieldKeys) },
    };
    const batches = { batchSize: BATCH_SIZE, readConcern: { level: 'majority' }, raw: true } as const;
    return users.find<Uint8Array>(
      { appId: lease.app.id, _id: { $in: [...ids] } },
      { projection, hint: { _id: 1 }, ...batches },
    );
  }

  /** The newest entry of the change or of its undo. */
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
    const { change, data = {} } = record;
    const { isUndo } = edit;
    const mark: ChangeMark = { id: edit.id, ...(isUndo && { undone: true }) };
    if (change?.id?.equals(edit.id) && (change.undone === true) === isUndo) return { result: 'changed' };
    if (edit.isStopping) return { result: 'unchanged' };
    let message: string | undefined;
    let values = { set: edit.set, unset: edit.unset, lists: {} };
    if (isUndo) {
      const entry = await entryOf(record, edit);
      if (!entry) return { result: 'unchanged' };
      // An undo that was stopped restored it; the mark is that of a later change.
      if (entry.by.kind === 'revert') return { result: 'changed' };
      const changes = underPresentKeys(entry, renames);
      if (changes.some(({ omitted }) => omitted)) {
        return { result: 'refused', message: 'the values before were too large to keep' };
      }
      const undo = await undoOf(changes, data, lease.validator.isList);
      if (undo.changed.length > 0) message = `changed since: ${undo.changed.join(', ')}`;
      if (undo.changed.length === changes.length) return { result: 'refused', message };
      values = undo;
    }
    try {
      if (isUndo) refuseInvalid(values, lease);
      const { filter, update, hasChanges, ...write } = editWrite(
        { ...record, data },
        { ...values, removeItems: [] },
        {
          ...deps,
          lease,
          by: { ...edit.by, change: edit.id.toHexString() },
          bulk: { mark, lastMark: change, extraKeys: record.extraKeys },
        },
      );
      if (!hasChanges) return { result: 'unchanged' };
      const added = { ...values.set, ...values.lists };
      const inTime = await edits.claim(lease, { ...record, data }, added);
      return { ...write, filter: { ...filter, ...inTime }, update, id: record._id, message };
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      return { result: 'refused', message: describe(error) };
    }
  }

  /** Resolves with whether the record can be planned now; otherwise another attempt reads it. */
  async function prepare(record: FoundRecord, lease: Lease): Promise<boolean> {
    try {
      return await prepareEdit(record, lease, edits, false);
    } catch (error) {
      // The relay must take the events of the record first.
      if (error instanceof Unavailable) return false;
      throw error;
    }
  }

  async function write(planned: readonly Planned[], lease: Lease): Promise<boolean> {
    try {
      const areAsRead = await updateAsRead(users, planned);
      for (const { noteStored } of planned) noteStored();
      if (!lease.isCurrent()) for (const { checked } of planned) await revalidation.revalidateEdit(lease, checked);
      return areAsRead;
    } catch (error) {
      for (const { checked } of planned) revalidation.scheduleRepair(checked, lease);
      throw error;
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
      const entries = Object.entries(given.set).map(([key, value]) => [presentKey(key, renames), value]);
      const edit: BulkEdit = {
        ...given,
        set: Object.fromEntries(entries),
        unset: given.unset.map((key) => presentKey(key, renames)),
      };
      const refusal = edit.isUndo || edit.isStopping ? undefined : refusalOf(edit, lease);
      const turn = createTurns();
      let left = ids;
      const again = limitAttempts();
      let count = 0;
      while (left.length > 0) {
        if (count > 2) await sleep(PAUSE_MS * count);
        const erased = new Set(left.map((id) => id.toHexString()));
        const later: UUID[] = [];
        let planned: Planned[] = [];
        let bytes = 0;
        const writePlanned = async (): Promise<void> => {
          checkOwner();
          const areWritten = planned.length > 0 && (await write(planned, lease));
          for (const { id, message } of planned) {
            if (areWritten) results.set(id.toHexString(), { result: 'changed', message });
            // The next attempt reads which records have the mark.
            else later.push(id);
          }
          planned = [];
          bytes = 0;
        };
        for await (const found of read(lease, left, edit)) {
          await turn();
          const record = decode<FoundRecord>(found);
          const id = record._id.toHexString();
          erased.delete(id);
          const isMarked = record.change?.id?.equals(edit.id) === true;
          if (refusal !== undefined && !isMarked) results.set(id, { result: 'refused', message: refusal });
          else if (!(await prepare(record, lease))) later.push(record._id);
          else {
            const plan = await planOf(record, edit, lease, renames);
            if ('result' in plan) results.set(id, plan);
            else {
              planned.push(plan);
              bytes += found.length + plan.bytes;
              if (bytes >= MAX_WRITE_BYTES) await writePlanned();
            }
          }
        }
        await writePlanned();
        for (const id of erased) results.set(id, { result: 'refused', message: 'was erased', isErased: true });
        left = later;
        if (left.length > 0) count = again();
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
    return describe(error);
  }
}

const describe = ({ message, issues = [] }: AppError): string =>
  [message, ...issues.map((issue) => `${issue.path} ${issue.message}`)].join('; ');
