import { type ObjectId, UUID } from 'mongodb';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import type { RecordParts } from '../../core/users/record-part.ts';
import { NEWEST_FIRST, type RecordFilter, type RecordId, type UserDocument } from '../../core/users/users.model.ts';
import { AppError } from '../../platform/core/errors.ts';
import type { RecordHistory } from '../history/history.ts';
import { type HistoryAuthor, type NumberedEntry, underPresentKeys, undoOf } from '../history/history-entries.ts';
import { recordFilter } from '../record-reads/record-filters.ts';
import type { PendingRenames } from '../renames/renames.ts';
import type { BulkWriter, RecordPlan } from './bulk-write.ts';
import { createdBy, isAsCreated, markExpressions } from './import-marks.ts';
import { type EditDeps, type EditedRecord, editWrite, refuseInvalid } from './record-edit.ts';

declare module '../../core/users/record-part.ts' {
  interface RecordPart {
    /**
     * Its members that only a submission, or its person, writes: a record that has one is not as an
     * import or an operator left it, whatever its times are.
     */
    readonly ofPersons?: readonly string[];
  }
}

/** No id of a record is higher. */
const LAST_ID = new UUID('ffffffff-ffff-ffff-ffff-ffffffffffff');

/** What an undo does with a record. `none`: the import did not write it. */
type Result = 'restored' | 'kept' | 'none';

/** The number of records by what an undo did with them. */
export interface UndoCounts {
  restored: number;
  erased: number;
  kept: number;
}

interface Undo {
  importId: ObjectId;
  by: HistoryAuthor;
}

/** A record that a pass of an undo reads. */
interface Passed {
  _id: RecordId;
  /** Whether the import may have written it. */
  isOf: boolean;
  isCreated: boolean;
}

interface FoundRecord
  extends EditedRecord,
    Pick<UserDocument, 'createdAt' | 'import' | 'history' | 'revision' | 'movedHistory' | 'eventCount'> {
  /** Whether a submission left something in it that is no value. */
  isOfPerson: boolean;
}

type Values = Readonly<Record<string, unknown>>;

/** The values of a record without what an import did to them. */
interface Undone {
  data: Values;
  /** The keys whose values are others than stored. */
  keys: Set<string>;
  /** The lists of which all items were removed. */
  emptied: Set<string>;
}

export type ImportUndo = ReturnType<typeof createImportUndo>;

/**
 * Undoes imports, from what records store: the mark of the import, a checksum of the values that it
 * created them with, and the entries of the history (decision 55). A record is erased only if the
 * checksum proves that it is as the import left it.
 */
export function createImportUndo(
  deps: EditDeps & {
    writer: BulkWriter;
    history: Pick<RecordHistory, 'findOfImport'>;
    parts: Pick<RecordParts, 'all'>;
  },
) {
  const { users, writer, history, renamesSince, parts, edits } = deps;
  const ofPersons = () => parts.all().flatMap((part) => part.ofPersons ?? []);

  /** Reads the next records after an id, newest first: at most `limit`, or those up to `to`. */
  function readPassed(
    appId: ObjectId,
    importId: ObjectId,
    { after, to, limit }: { after: RecordId | undefined; to: RecordId | undefined; limit: number },
  ): Promise<Passed[]> {
    const { names, created } = markExpressions(importId);
    const isAuthor = { $in: [importId.toHexString(), { $ifNull: ['$history.by.import', []] }] };
    const projection = { isOf: { $or: [names, isAuthor, { $eq: ['$movedHistory', true] }] }, isCreated: created };
    const range = { ...(after ? { $lt: after } : { $lte: LAST_ID }), ...(to && { $gte: to }) };
    const most = to ? {} : { limit };
    const options = { projection, sort: NEWEST_FIRST, hint: NEWEST_FIRST, ...most };
    return users.find<Passed>({ appId, _id: range }, { ...options, readConcern: { level: 'majority' } }).toArray();
  }

  /** @param entries newest first */
  async function withoutEntries(
    data: Values,
    entries: readonly NumberedEntry[],
    lease: Lease,
    renames: readonly PendingRenames[],
  ): Promise<Undone> {
    const undone: Undone = { data, keys: new Set(), emptied: new Set() };
    for (const entry of entries) {
      const changes = underPresentKeys(entry, renames).filter(({ omitted }) => !omitted);
      const { set, unset, lists } = await undoOf(changes, undone.data, lease.validator.isList);
      const restored = { ...undone.data, ...set, ...lists };
      for (const key of unset) delete restored[key];
      undone.data = restored;
      for (const key of [...Object.keys(set), ...Object.keys(lists), ...unset]) undone.keys.add(key);
      for (const [key, list] of Object.entries(lists)) if (list.length === 0) undone.emptied.add(key);
    }
    return undone;
  }

  /** The erasure of a record that is as the import left it; undefined: it is not. */
  function planErasure(
    record: FoundRecord,
    sum: number,
    entries: readonly NumberedEntry[],
    { data, emptied }: Undone,
    renames: readonly PendingRenames[],
  ): RecordFilter | undefined {
    const { _id, email, createdAt, updatedAt, eventCount, revision, import: mark } = record;
    const writtenAt = Math.max(createdAt.getTime(), ...entries.map(({ at }) => at.getTime()));
    const isUntouched =
      !record.isOfPerson &&
      updatedAt.getTime() === writtenAt &&
      (revision ?? 0) === entries.length &&
      (eventCount ?? 0) <= entries.length + 1 &&
      hadValues(data, emptied, sum, renames);
    if (!isUntouched) return undefined;
    const absent = ofPersons().map((member) => [member, { $exists: false }]);
    return recordFilter({
      _id,
      email,
      updatedAt,
      import: mark,
      eventCount: eventCount ?? { $exists: false },
      revision: revision ?? { $exists: false },
      data: { $eq: record.data },
      ...Object.fromEntries(absent),
    });
  }

  async function planOf(
    found: FoundRecord,
    { importId, by }: Undo,
    lease: Lease,
    renames: readonly PendingRenames[],
  ): Promise<RecordPlan<Result>> {
    const record = { ...found, data: found.data ?? {} };
    const id = importId.toHexString();
    const { import: mark } = record;
    const sum = createdBy(mark, importId);
    const entries = await history.findOfImport(record, id);
    const [newest] = entries;
    if (newest?.by.kind === 'revert') return { result: 'restored' };
    if (!newest && sum === undefined) return { result: mark?.id?.equals(importId) ? 'kept' : 'none' };
    const undone = await withoutEntries(record.data, entries, lease, renames);
    if (sum !== undefined) {
      const erases = planErasure(record, sum, entries, undone, renames);
      return erases ? { erases } : { result: 'kept' };
    }
    const edit = editOf(undone, lease);
    try {
      refuseInvalid(edit, lease);
      const author = { ...by, import: id };
      const { filter, update, hasChanges, ...write } = editWrite(record, edit, { ...deps, lease, by: author });
      if (!hasChanges) return { result: 'kept' };
      const inTime = await edits.claim(lease, record, { ...edit.set, ...edit.lists });
      const fenced = recordFilter({ ...filter, ...inTime, import: mark ?? null });
      return { ...write, filter: fenced, update, id: record._id, result: 'restored' };
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      return { result: 'kept' };
    }
  }

  return {
    readPassed,

    /** Makes writes of other runs to these records fail, also those still to arrive. */
    fence: (appId: ObjectId, ids: readonly UUID[]): Promise<void> => writer.fence(appId, ids, 'import', false),

    /**
     * Undoes an import in these records, each once; resolves with how many it restored, erased and
     * kept.
     * @param created those that the import created: one that does not exist counts as erased
     * @param checkOwner throws when another run may write
     * @throws {OutdatedSchema} when a record is later than the lease; a repeat continues
     * @throws {Unavailable} when a result is unknown
     */
    async apply(
      lease: Lease,
      ids: readonly UUID[],
      created: readonly UUID[],
      undo: Undo,
      checkOwner: () => void,
    ): Promise<UndoCounts> {
      const renames = await renamesSince(lease.app.id, 0);
      const touched = ofPersons().map((member) => ({ $ne: [{ $type: `$${member}` }, 'missing'] }));
      const projection = {
        data: 1,
        createdAt: 1,
        import: 1,
        history: 1,
        revision: 1,
        movedHistory: 1,
        eventCount: 1,
        isOfPerson: { $or: touched },
      };
      const pass = {
        projection,
        isWhole: true,
        plan: (record: FoundRecord) => planOf(record, undo, lease, renames),
      };
      const results = await writer.apply<FoundRecord, Result>(lease, ids, pass, checkOwner);
      const all = [...results.values()];
      return {
        restored: all.filter((result) => result === 'restored').length,
        erased: created.filter((id) => !results.has(id.toHexString())).length,
        kept: all.filter((result) => result === 'kept').length,
      };
    },
  };
}

/** Whether a record was created with these values, under their present keys or earlier ones. */
function hadValues(
  data: Values,
  emptied: ReadonlySet<string>,
  sum: number,
  renames: readonly PendingRenames[],
): boolean {
  // A list that the first line did not have is empty without the items of a later one.
  const kept = Object.entries(data).filter(([key]) => !emptied.has(key));
  for (let values of emptied.size > 0 ? [Object.fromEntries(kept), data] : [data]) {
    if (isAsCreated(values, sum)) return true;
    for (const { pairs } of renames.toReversed()) {
      const before = new Map(pairs.map(({ from, to }) => [to, from]));
      values = Object.fromEntries(Object.entries(values).map(([key, value]) => [before.get(key) ?? key, value]));
      if (isAsCreated(values, sum)) return true;
    }
  }
  return false;
}

/** The edit of a record that gives it these values. */
function editOf({ data, keys }: Undone, { validator }: Pick<Lease, 'validator'>) {
  const set: Record<string, unknown> = {};
  const lists: Record<string, unknown[]> = {};
  const unset: string[] = [];
  for (const key of keys) {
    const value = data[key];
    if (!Object.hasOwn(data, key)) unset.push(key);
    else if (validator.isList(key) && Array.isArray(value)) lists[key] = value;
    else set[key] = value;
  }
  return { set, unset, lists, removeItems: [] };
}
