import type { ObjectId, UUID } from 'mongodb';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import { extraKeysExpression } from '../../core/users/record-limits.ts';
import type { UserDocument } from '../../core/users/users.model.ts';
import { AppError } from '../../platform/core/errors.ts';
import type { RecordHistory } from '../history/history.ts';
import { type HistoryAuthor, type HistoryEntry, underPresentKeys, undoOf } from '../history/history-entries.ts';
import { type PendingRenames, presentKey } from '../renames/renames.ts';
import type { BulkWriter, RecordPlan } from './bulk-write.ts';
import { type ChangeMark, type EditDeps, type EditedRecord, editWrite, refuseInvalid } from './record-edit.ts';

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

export type BulkEditor = ReturnType<typeof createBulkEditor>;

/** Applies changes of many records. The marks in records make repeats harmless (decision 47). */
export function createBulkEditor(
  deps: EditDeps & {
    history: Pick<RecordHistory, 'findOfChange'>;
    writer: BulkWriter;
  },
) {
  const { writer, history, renamesSince, edits } = deps;

  function projectionOf(lease: Lease, edit: BulkEdit) {
    const keys = [...Object.keys(edit.set), ...edit.unset];
    const isOwn = { $eq: ['$$this.by.change', edit.id.toHexString()] };
    return {
      // Only the values that the change names: a batch has many records.
      ...Object.fromEntries(keys.map((key) => [`data.${key}`, 1])),
      change: 1,
      revision: 1,
      movedHistory: 1,
      ofChange: { $filter: { input: { $ifNull: ['$history', []] }, cond: isOwn } },
      extraKeys: { $size: extraKeysExpression(lease.validator.fieldKeys) },
    };
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
  ): Promise<RecordPlan<BulkResult>> {
    const { change, data = {} } = record;
    const { isUndo } = edit;
    const mark: ChangeMark = { id: edit.id, ...(isUndo && { undone: true }) };
    if (change?.id?.equals(edit.id) && (change.undone === true) === isUndo) return { result: { result: 'changed' } };
    if (edit.isStopping) return { result: { result: 'unchanged' } };
    let message: string | undefined;
    let values = { set: edit.set, unset: edit.unset, lists: {} };
    if (isUndo) {
      const entry = await entryOf(record, edit);
      if (!entry) return { result: { result: 'unchanged' } };
      // An undo that was stopped restored it; the mark is that of a later change.
      if (entry.by.kind === 'revert') return { result: { result: 'changed' } };
      const changes = underPresentKeys(entry, renames);
      if (changes.some(({ omitted }) => omitted)) {
        return { result: { result: 'refused', message: 'the values before were too large to keep' } };
      }
      const undo = await undoOf(changes, data, lease.validator.isList);
      if (undo.changed.length > 0) message = `changed since: ${undo.changed.join(', ')}`;
      if (undo.changed.length === changes.length) return { result: { result: 'refused', message } };
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
      if (!hasChanges) return { result: { result: 'unchanged' } };
      const added = { ...values.set, ...values.lists };
      const inTime = await edits.claim(lease, { ...record, data }, added);
      const result: BulkResult = { result: 'changed', message };
      return { ...write, filter: { ...filter, ...inTime }, update, id: record._id, result };
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      return { result: { result: 'refused', message: describe(error) } };
    }
  }

  return {
    /** Makes writes of other runs to these records fail, also those still to arrive. */
    fence: (appId: ObjectId, ids: readonly UUID[]): Promise<void> => writer.fence(appId, ids, 'change', true),

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
      const renames = await renamesSince(lease.app.id, given.version);
      const entries = Object.entries(given.set).map(([key, value]) => [presentKey(key, renames), value]);
      const edit: BulkEdit = {
        ...given,
        set: Object.fromEntries(entries),
        unset: given.unset.map((key) => presentKey(key, renames)),
      };
      const refusal = edit.isUndo || edit.isStopping ? undefined : refusalOf(edit, lease);
      const refused: BulkResult = { result: 'refused', message: refusal };
      const results = await writer.apply<FoundRecord, BulkResult>(
        lease,
        ids,
        {
          projection: projectionOf(lease, edit),
          isWhole: false,
          decided: ({ change }) =>
            refusal !== undefined && change?.id?.equals(edit.id) !== true ? refused : undefined,
          plan: (record) => planOf(record, edit, lease, renames),
        },
        checkOwner,
      );
      for (const id of ids.map((one) => one.toHexString())) {
        if (!results.has(id)) results.set(id, { result: 'refused', message: 'was erased', isErased: true });
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
