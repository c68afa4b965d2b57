import { createHash } from 'node:crypto';
import { BSON, ObjectId } from 'mongodb';
import { momentIn } from '../../core/schemas/checked-data.ts';
import type { Lease, SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { OutdatedSchema } from '../../core/users/conflict.ts';
import type { UserRecord } from '../../core/users/record-json.ts';
import {
  arrayFullError,
  exactBound,
  exceededLimit,
  listExtraKeys,
  RecordHasTooManyKeys,
  type RecordLimits,
  recordFullError,
} from '../../core/users/record-limits.ts';
import type { RecordPart, RecordParts } from '../../core/users/record-part.ts';
import type { Revalidation } from '../../core/users/revalidation.ts';
import type { SubmissionFacts } from '../../core/users/submission.ts';
import type {
  RecordFilter,
  RecordId,
  RecordUpdate,
  UserCollection,
  UserDocument,
} from '../../core/users/users.model.ts';
import { type CheckedWrite, type Growth, type Statement, unset } from '../../core/users/write-part.ts';
import { limitAttempts } from '../../platform/core/attempts.ts';
import {
  AppNotFound,
  Conflict,
  InvalidInput,
  NotFound,
  PreconditionFailed,
  Unavailable,
} from '../../platform/core/errors.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import { changing, typedFilter } from '../../platform/database/filters.ts';
import { type DocumentOf, schema } from '../../platform/database/mongoose.ts';
import { parseUuid } from '../../platform/database/ordered-ids.ts';
import { type Issue, say } from '../../platform/languages/reasons.ts';
import type { RecordHistory } from '../history/history.ts';
import {
  changesOf,
  type HistoryAuthor,
  type HistoryChange,
  underPresentKeys,
  undoOf,
  valuesAre,
} from '../history/history-entries.ts';
import type { DetailedRecord, RecordDetails } from '../record-reads/record-details.ts';
import type { RenameStore } from '../renames/rename-store.ts';
import { oldKeyIssues } from '../renames/renames.ts';
import type { EditParts } from './edit-part.ts';

/** The last change of many records that wrote a record, or undid that. As an import mark. */
const changeMarkSchema = schema({
  id: ObjectId,
  undone: Boolean,
  fence: ObjectId,
});
export type ChangeMark = DocumentOf<typeof changeMarkSchema>;

declare module '../../core/users/users.model.ts' {
  interface UserDocument {
    change?: ChangeMark;
  }
}

/** The mark of changes of many records. Only those write it. */
export const changePart: RecordPart = { name: 'change', members: { change: changeMarkSchema }, under: () => undefined };

const DIGEST_LENGTH = 16;

type Versioned = Pick<UserRecord, 'updatedAt' | 'data'>;

/** The ETag (spec 4.3). Late submissions change `data` without `updatedAt`, so both are in it. */
export function recordEtag({ updatedAt, data }: Versioned): string {
  const digest = createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, DIGEST_LENGTH);
  return `"${updatedAt.toISOString()}-${digest}"`;
}

/** Whether a tag names this state of the record, by its ETag or its `updatedAt` alone. */
export function isNamed(tags: readonly string[], record: Versioned): boolean {
  return tags.includes(`"${record.updatedAt.toISOString()}"`) || tags.includes(recordEtag(record));
}

/**
 * A change of a record by an operator (spec 4.3), or by its person (4.16). No key is in two of its
 * parts.
 */
interface RecordEdit {
  set: Record<string, unknown>;
  unset: readonly string[];
  /** Lists that replace the stored ones, for reverts. */
  lists?: Readonly<Record<string, unknown[]>>;
  /** All items of the key with that timestamp are removed from its list. */
  removeItems: readonly { key: string; timestamp: string }[];
  /** Another email, which has no record, and what else the record has to match for it. */
  email?: { to: string; requires: object };
  /** What is known of how the person itself sent it. Absent: an operator did. */
  sent?: SubmissionFacts;
}

export interface EditedRecord
  extends Pick<
    UserDocument,
    '_id' | 'appId' | 'email' | 'emailChange' | 'data' | 'updatedAt' | 'schemaVersion' | 'sizeBound'
  > {
  /** The size of the record without its history, in bytes. */
  bytes: number;
  /** What the parts of edits read, by their names. */
  parts?: Readonly<Record<string, unknown>>;
}

/** The members of a record that an edit depends on, besides `data` and its size. */
export const EDITED_PROJECTION = {
  appId: 1,
  email: 1,
  emailChange: 1,
  updatedAt: 1,
  schemaVersion: 1,
  sizeBound: 1,
};

/** What changes records for operators, one or many. */
export interface EditDeps {
  users: UserCollection;
  revalidation: Pick<Revalidation, 'revalidateEdit' | 'scheduleRepair'>;
  renamesSince: RenameStore['since'];
  limits: RecordLimits;
  maxArrayItems: number;
  newId: (at: Date) => RecordId;
  parts: Pick<RecordParts, 'bytes'>;
  edits: EditParts;
  details: Pick<RecordDetails, 'projection'>;
}

interface EditContext extends Pick<EditDeps, 'limits' | 'maxArrayItems' | 'newId' | 'edits'> {
  lease: Lease;
  by: HistoryAuthor;
  /** For one of many records, of which only the named values were read. */
  bulk?: {
    mark: ChangeMark;
    lastMark: ChangeMark | undefined;
    extraKeys: number;
  };
}

export interface EditWrite {
  filter: RecordFilter;
  update: RecordUpdate;
  /** Whether the edit changes a value. */
  hasChanges: boolean;
  /** The size of what its parts add, in bytes. */
  bytes: number;
  checked: CheckedWrite;
  /** Called when it is stored. */
  noteStored(): void;
}

/**
 * Builds the write of an edit to the record as it was read. The filter has `data`, because some
 * submissions do not change `updatedAt`, which grows strictly: edits in one millisecond differ.
 * @throws {Conflict} when an item to remove does not exist, or a list would be too long
 * @throws {TooLarge | InvalidInput} when the record would exceed its limits
 */
export function editWrite(record: EditedRecord, edit: RecordEdit, context: EditContext): EditWrite {
  const { _id, appId, email: former, data, updatedAt, sizeBound } = record;
  const email = edit.email?.to ?? former;
  const { lease, by, bulk, edits, maxArrayItems, newId } = context;
  const { app, validator } = lease;
  const schemaVersion = lease.schema.version;
  const at = new Date(Math.max(Date.now(), updatedAt.getTime() + 1));
  const statement: Statement = { filter: {}, update: { $set: {} }, newId: newId(new Date()), bytes: 0 };
  const { filter, update } = statement;
  const after = { ...data };
  const { lists = {} } = edit;
  for (const [key, list] of Object.entries(lists)) {
    if (list.length > maxArrayItems) throw arrayFullError(key, maxArrayItems);
  }
  const set = { ...validator.storedValues(edit.set), ...lists };
  for (const [key, value] of Object.entries(set)) {
    after[key] = value;
    update.$set[`data.${key}`] = value;
    // Every array has a size, because its key may become an array field later.
    if (Array.isArray(value)) update.$set[`arraySizes.${key}`] = value.length;
    else unset(statement, `arraySizes.${key}`);
  }
  for (const key of edit.unset) {
    delete after[key];
    unset(statement, `data.${key}`);
    unset(statement, `arraySizes.${key}`);
  }
  const removals: HistoryChange[] = [];
  for (const [key, timestamps] of timestampsByKey(edit)) {
    const { left, removed } = splitItems(data, key, timestamps);
    after[key] = left;
    update.$pull ??= {};
    update.$pull[`data.${key}`] = { timestamp: { $in: [...timestamps] } };
    update.$set[`arraySizes.${key}`] = left.length;
    removals.push({ path: `data.${key}[]`, before: removed });
  }
  const named = [...Object.keys(set), ...edit.unset];
  const keys = [...named, ...new Set(edit.removeItems.map(({ key }) => key))];
  const changes: HistoryChange[] = [...changesOf(named, data, after), ...removals];
  // No value: an erasure of the former email would have to find it.
  if (edit.email) changes.push({ path: 'email', omitted: true });
  const isReaddressed = edit.email !== undefined;
  const state = { email, isReaddressed, after, isWhole: !bulk };
  const how = { at, by, sent: edit.sent, schemaVersion };
  const applied = { ...state, ...how, set, unset: edit.unset, keys, changes };
  Object.assign(update.$set, {
    schemaVersion,
    updatedAt: at,
    sizeBound: sizeBoundAfter(record, after, keys, edits.growth(applied, record, lease), context),
    ...(edit.email && { email }),
    ...(bulk && { change: bulk.mark }),
  });
  Object.assign(filter, {
    _id,
    appId,
    // The whole key of a sharded collection, also where the write changes it.
    email: former,
    updatedAt,
    schemaVersion: { $lte: schemaVersion },
    // A late submission to other values passes.
    ...(bulk ? { ...valuesAre(data, keys), change: bulk.lastMark ?? null } : { data: { $eq: data } }),
    sizeBound: sizeBound === undefined ? { $exists: false } : sizeBound,
    ...edit.email?.requires,
  });
  const noteStored = edits.add(statement, applied, record, lease);
  return {
    filter: typedFilter<UserDocument>(filter),
    update: changing<UserDocument>(update),
    hasChanges: changes.length > 0,
    bytes: statement.bytes,
    checked: { appId: app.id, sourceAppId: app.sourceAppId, email, schemaVersion },
    noteStored: () => noteStored(record),
  };
}

function timestampsByKey({ removeItems }: RecordEdit): Map<string, Set<string>> {
  const byKey = new Map<string, Set<string>>();
  for (const { key, timestamp } of removeItems) byKey.set(key, (byKey.get(key) ?? new Set()).add(timestamp));
  return byKey;
}

/** Divides the items of a list by their times. @throws {Conflict} when no item has one of them */
function splitItems(data: Record<string, unknown>, key: string, timestamps: ReadonlySet<string>) {
  const items = Object.hasOwn(data, key) ? data[key] : undefined;
  const list: unknown[] = Array.isArray(items) ? items : [];
  const found = new Set(list.map(readTimestamp));
  if ([...timestamps].some((timestamp) => !found.has(timestamp))) {
    throw new Conflict('noSuchItem', [{ path: `data.${key}`, ...say('noItemOfTime') }]);
  }
  const isRemoved = (item: unknown): boolean => timestamps.has(readTimestamp(item) ?? '');
  return { left: list.filter((item) => !isRemoved(item)), removed: list.filter(isRemoved) };
}

function readTimestamp(item: unknown): string | undefined {
  const { timestamp } = (item ?? {}) as { timestamp?: unknown };
  return typeof timestamp === 'string' ? timestamp : undefined;
}

function sizeBoundAfter(
  record: EditedRecord,
  edited: Record<string, unknown>,
  changed: readonly string[],
  growth: Growth,
  { lease, limits, bulk }: EditContext,
): number {
  const count = (data: object): number => listExtraKeys(data, lease.validator.fieldKeys).length;
  const known = count(record.data);
  const extraKeys = bulk?.extraKeys ?? known;
  const bytes = record.bytes - sizeOf(record.data, changed) + sizeOf(edited, changed);
  const after = { bytes: bytes + growth.limited, extraKeys: extraKeys - known + count(edited) };
  const exceeded = exceededLimit(limits, { bytes: record.bytes, extraKeys }, after);
  if (exceeded === 'record-full') throw recordFullError(limits);
  if (exceeded === 'too-many-keys') throw new RecordHasTooManyKeys('invalidChange');
  return exactBound(limits, { ...after, bytes: bytes + growth.bytes });
}

/** The size in bytes of a document with these members of `data`. */
function sizeOf(data: Record<string, unknown>, keys: readonly string[]): number {
  const present = keys.filter((key) => Object.hasOwn(data, key));
  return BSON.calculateObjectSize(Object.fromEntries(present.map((key) => [key, data[key]])));
}

/**
 * Resolves with whether an edit of the record can be built now; otherwise it is to be read again.
 * @throws {OutdatedSchema} when the record is later than the lease
 */
export async function prepareEdit(
  record: EditedRecord,
  lease: Lease,
  edits: EditDeps['edits'],
  isWhole: boolean,
): Promise<boolean> {
  if (record.schemaVersion > lease.schema.version) throw new OutdatedSchema();
  if (edits.isReady(record, lease, isWhole)) return true;
  await edits.repair(record, lease, isWhole);
  return false;
}

export type RecordEditor = ReturnType<typeof createRecordEditor>;

/**
 * An edit; a function computes it from the record as it was read. Undefined: it changes nothing.
 */
type EditSource = RecordEdit | ((record: EditedRecord, lease: Lease) => Promise<RecordEdit | undefined>);

/** `tags` are the states of the record that may be changed; undefined: any. */
type ChangeRecord<Source> = (
  app: Pick<Lease['app'], 'id' | 'sourceAppId'>,
  id: string,
  source: Source,
  by: HistoryAuthor,
  leftMs: () => number,
  tags?: readonly string[],
) => Promise<DetailedRecord>;

/** The revision to undo; `paths`: only these of its changes. */
interface RevertRequest {
  revision: number;
  paths?: readonly string[] | undefined;
}

/** Changes single records for operators (spec 4.3) and for their persons (4.16). */
export function createRecordEditor(
  deps: EditDeps & {
    leases: Pick<SchemaLeases, 'hold' | 'forget'>;
    history: Pick<RecordHistory, 'find'>;
  },
) {
  const { users, leases, revalidation, history, renamesSince, parts, edits, details } = deps;

  async function attempt(
    _id: RecordId,
    lease: Lease,
    source: EditSource,
    tags: readonly string[] | undefined,
    by: HistoryAuthor,
    leftMs: () => number,
  ): Promise<DetailedRecord | undefined> {
    const { app } = lease;
    const filter = { _id, appId: app.id };
    const projection = { ...EDITED_PROJECTION, bytes: parts.bytes(), data: 1, ...edits.facts(lease) };
    const record = await users.findOne<EditedRecord>(filter, { projection });
    if (!record) throw new NotFound('userNotFound');
    // The write depends on the record as it was read; only a read that is late could mislead it.
    if (leftMs() <= 0) throw new Unavailable();
    // First: the tag of a record whose values are still to be moved is another one.
    if (!(await prepareEdit(record, lease, edits, true))) return undefined;
    if (tags && !isNamed(tags, record)) throw new PreconditionFailed('recordChanged');
    const edit = typeof source === 'function' ? await source(record, lease) : source;
    const options = { projection: details.projection, returnDocument: 'after' } as const;
    if (!edit) return (await users.findOne<DetailedRecord>(filter, options)) ?? undefined;
    const { filter: unchanged, update, checked, noteStored } = editWrite(record, edit, { ...deps, lease, by });
    const inTime = await edits.claim(lease, record, { ...edit.set, ...edit.lists });
    try {
      const edited = await users.findOneAndUpdate({ ...unchanged, ...inTime }, update, options);
      if (!edited) return undefined;
      noteStored();
      if (!lease.isCurrent()) await revalidation.revalidateEdit(lease, checked);
      return edited;
    } catch (error) {
      // Another record has the email: the function finds it.
      if (edit.email && isDuplicateKey(error)) return undefined;
      revalidation.scheduleRepair(checked, lease);
      if (edit.email) revalidation.scheduleRepair({ ...checked, email: record.email }, lease);
      throw error;
    }
  }

  /** An edit that depends on the record; the caller has checked what the function returns. */
  const change: ChangeRecord<EditSource> = async (app, id, source, by, leftMs, tags) => {
    const _id = parseUuid(id);
    for (const again = limitAttempts('recordChanging', 1); ; again()) {
      const lease = await leases.hold(app.sourceAppId);
      if (!lease?.app.id.equals(app.id)) throw new AppNotFound();
      const { fileKeys } = lease.validator;
      const setsFiles =
        fileKeys && typeof source !== 'function' && Object.keys(source.set).some((key) => fileKeys.has(key));
      const given: EditSource = setsFiles ? async (record) => editWithFiles(record, source, fileKeys, lease) : source;
      if (typeof given !== 'function') refuseInvalid(given, lease);
      if (!_id) throw new NotFound('userNotFound');
      try {
        const edited = await attempt(_id, lease, given, tags, by, leftMs);
        if (edited) return edited;
      } catch (error) {
        if (!(error instanceof OutdatedSchema)) throw error;
        leases.forget(app.sourceAppId);
      }
    }
  };

  /** @throws {NotFound} @throws {Conflict} with the paths that changed since */
  async function editOfRevert(record: EditedRecord, lease: Lease, request: RevertRequest): Promise<RecordEdit> {
    const { _id, appId } = record;
    const entry = await history.find(appId, _id, request.revision);
    if (!entry) throw new NotFound('noSuchRevision');
    if (entry.by.kind === 'submission' || entry.by.kind === 'scan') throw new Conflict('onlyEditsUndone');
    if (entry.changes.some(({ path }) => path === 'email')) throw new Conflict('emailNotUndone');
    const renames = await renamesSince(appId, entry.version);
    const all = underPresentKeys(entry, renames);
    const unknown = request.paths?.findIndex((path) => all.every((one) => one.path !== path)) ?? -1;
    if (unknown >= 0) {
      throw new InvalidInput('invalidRevert', [{ path: `paths.${unknown}`, ...say('notPathOfRevision') }]);
    }
    const changes = request.paths ? all.filter(({ path }) => request.paths?.includes(path)) : all;
    const undo = await undoOf(changes, record.data, lease.validator.isList);
    const issues = undo.changed.map((path) => ({ path, ...say('changedSince') }));
    const isOmitted = changes.find(({ omitted }) => omitted);
    if (isOmitted) issues.unshift({ path: isOmitted.path, ...say('tooLargeToKeep') });
    if (issues.length > 0) throw new Conflict('changedSinceRevision', issues);
    const edit = { ...undo, removeItems: [] };
    refuseInvalid(edit, lease);
    return edit;
  }

  /**
   * Changes a record in one atomic step, checked by the newest schema; concurrent submissions keep
   * their effect on other values.
   * @throws {InvalidInput} when the schema or the number of keys refuses the change
   * @throws {NotFound} when the record or this incarnation of the app does not exist
   * @throws {PreconditionFailed} when the record is in another state
   * @throws {Conflict} when an item to remove does not exist
   * @throws {TooLarge} when the record would exceed its size limit
   * @throws {Unavailable} when the record keeps changing
   */
  const edit: ChangeRecord<RecordEdit> = change;

  /**
   * Restores the values before an entry of the history, as an edit of its own.
   * @throws {AppError} as `edit`; {NotFound} also for an unknown revision
   * @throws {Conflict} with the paths whose values changed since
   */
  const revert: ChangeRecord<RevertRequest> = (app, id, request, by, leftMs, tags) =>
    change(app, id, (record, lease) => editOfRevert(record, lease, request), by, leftMs, tags);

  return { edit, revert, change };
}

/**
 * Returns an edit with the files of the record in place of what it names of them: ids, or objects
 * that have one. @throws {InvalidInput} when the schema refuses it, or the record has no such file
 */
function editWithFiles(
  { data }: EditedRecord,
  edit: RecordEdit,
  fileKeys: ReadonlySet<string>,
  lease: Lease,
): RecordEdit {
  const set = { ...edit.set };
  const issues: Issue[] = [];
  for (const key of fileKeys) {
    const given = Object.hasOwn(set, key) ? set[key] : undefined;
    if (!Array.isArray(given)) continue;
    const stored: unknown = Object.hasOwn(data, key) ? data[key] : undefined;
    const left = new Map((Array.isArray(stored) ? stored : []).map((file) => [idOf(file), file]));
    set[key] = given.flatMap((one, index) => {
      const id = typeof one === 'string' ? one : idOf(one);
      const file: unknown = id === undefined ? undefined : left.get(id);
      // Each file once.
      left.delete(id);
      if (file === undefined) issues.push({ path: `data.${key}.${index}`, ...say('notFileOfRecord') });
      return file === undefined ? [] : [file];
    });
  }
  if (issues.length > 0) throw new InvalidInput('invalidChange', issues);
  const resolved = { ...edit, set };
  refuseInvalid(resolved, lease);
  return resolved;
}

const idOf = (file: unknown): unknown => (file as { id?: unknown } | null)?.id;

/** @throws {InvalidInput} when the schema refuses an edit */
export function refuseInvalid(edit: Pick<RecordEdit, 'set' | 'unset'>, lease: Lease): void {
  const { validator, renames } = lease;
  const issues = validator.editIssues(edit.set, edit.unset, momentIn(lease));
  if (renames && issues.length === 0) issues.push(...oldKeyIssues(edit.set, renames));
  if (issues.length > 0) throw new InvalidInput('invalidChange', issues);
}
