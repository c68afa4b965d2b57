import { isDeepStrictEqual } from 'node:util';
import { BSON, type Document, ObjectId } from 'mongodb';
import type { FileValue } from '../../core/fields/kinds/file.ts';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import {
  type ConflictDeps,
  createConflictReader,
  findBlockedList,
  OutdatedSchema,
  typesExpression,
  type WriteConflict,
} from '../../core/users/conflict.ts';
import { arrayFullError, refuseOversized } from '../../core/users/record-limits.ts';
import { buildInsert, buildUpsert, type RecordView, UNSEEN } from '../../core/users/record-upsert.ts';
import type { Claim, Submission } from '../../core/users/submission.ts';
import { BY_EMAIL, type RecordId, type UserDocument } from '../../core/users/users.model.ts';
import { AppError, Unavailable } from '../../platform/core/errors.ts';
import { beginsBefore } from '../../platform/database/clock.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import { type Guard, insertGuarded, insertTarget } from '../../platform/database/guarded-insert.ts';
import type { RecordHistory } from '../history/history.ts';
import { appendedTo, changesOf, sizedEntry, valuesAre } from '../history/history-entries.ts';
import { updateAsRead } from '../record-reads/record-filters.ts';
import type { EditParts } from './edit-part.ts';
import type { RecordEraser } from './erasure.ts';
import { createdMark, type LineMark, updatedMark } from './import-marks.ts';

/** Records have up to 1 MB each. */
const BATCH_SIZE = 100;
/** The most keys that a read names. Each line may have other keys beyond the schema. */
const MAX_KEYS = 400;
/** The most bytes of values before that the lines of a batch keep. Other lines follow later. */
const MAX_BEFORE_BYTES = 8 * 1024 * 1024;
/** MongoDB applies the updates of a statement in sequence: so many lines are two statements. */
const LINES_OF_TWO_STATEMENTS = 100;

/** A line to apply, or one that is refused unless it was applied before. */
export interface ImportLine {
  number: number;
  email: string;
  submission?: Submission | undefined;
  refusal?: string | undefined;
  files?: LineFiles | undefined;
}

/** The files that a line brings, under the ids that they get. */
export interface LineFiles {
  /** By key. */
  values: Readonly<Record<string, readonly FileValue[]>>;
  /** The ids of those that its record does not have. */
  added?: readonly string[];
  /** The claim of those that the record does not have. */
  claimOf(added: readonly { id: string; path: string }[]): Claim | undefined;
  /** Stores one of them once, or only checks it; resolves with the reason of a refusal. */
  store(id: string, isDry: boolean): Promise<string | undefined>;
}

export type LineResult = 'created' | 'updated' | 'unchanged' | { rejected: string };

export interface WritableLine extends ImportLine {
  submission: Submission;
}

/** `inspect`: the record must be read in more detail; `later`: another attempt decides. */
export type LinePlan =
  | { result: LineResult }
  | { write: 'insert' | 'inspect' | 'later' }
  | { write: 'update'; exactBound?: RecordView['exactBound'] };

export interface PlannedUpdate {
  line: WritableLine;
  /** The record as it was read. */
  facts: RecordFacts;
  exactBound: RecordView['exactBound'];
}

export interface RecordFacts
  extends Pick<
    UserDocument,
    '_id' | 'appId' | 'email' | 'createdAt' | 'updatedAt' | 'schemaVersion' | 'arraySizes' | 'sizeBound' | 'import'
  > {
  /** What the parts of edits read, by their names. */
  parts?: Readonly<Record<string, unknown>>;
  /** The BSON types of the stored values to which lines append. */
  types?: Record<string, string>;
  isSame: boolean;
  /** The values that the line replaces, for the history; absent: too many in this batch. */
  before?: Record<string, unknown>;
}

export type ImportLines = ReturnType<typeof createImportLines>;

/** Applies lines of imports. Late writes of an earlier run have no effect (decision 24). */
export function createImportLines(
  deps: ConflictDeps & {
    newId: (createdAt: Date) => RecordId;
    erase: RecordEraser;
    history: Pick<RecordHistory, 'noteUse' | 'maxEntry'>;
    edits: Pick<EditParts, 'facts' | 'isReady' | 'repair'>;
  },
) {
  const { users, limits, maxArrayItems, newId, erase, history, edits } = deps;
  const conflicts = createConflictReader(deps);
  const records = insertTarget(users, Object.keys(BY_EMAIL));

  const fullList = (key: string) => ({ rejected: arrayFullError(key, maxArrayItems).message });

  function refusalOf(submission: Submission): { rejected: string } | undefined {
    try {
      refuseOversized(submission, limits, maxArrayItems);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { rejected: error.message };
    }
    for (const [key, value] of Object.entries(submission.change.set)) {
      if (Array.isArray(value) && value.length > maxArrayItems) return fullList(key);
    }
    return undefined;
  }

  function buildChange({ line: { number, submission }, facts, exactBound }: PlannedUpdate, importId: ObjectId) {
    const view = exactBound ? { exactBound } : UNSEEN;
    const { change, now: at, schemaVersion: version } = submission;
    const { _id, updatedAt, import: lastMark, before = {} } = facts;
    const by = { kind: 'import', import: importId.toHexString() } as const;
    const changes = [
      ...changesOf(Object.keys(change.set), before, { ...before, ...change.set }),
      ...appendedTo(change),
    ];
    submission.facts.entry = sizedEntry({ at, by, version, changes }, history.maxEntry);
    const { filter, update } = buildUpsert(submission, newId(submission.now), maxArrayItems, view);
    const { $setOnInsert: _, ...rest } = update;
    const mark = updatedMark(importId, number, lastMark);
    // Null matches a record without a mark.
    const asRead = { _id, updatedAt, import: lastMark ?? null, ...valuesAre(before, Object.keys(change.set)) };
    return {
      filter: typedFilter<UserDocument>({ ...filter, ...asRead }),
      update: { ...rest, $set: { ...rest.$set, import: mark } },
    };
  }

  /** As `insert`, of a line with a claim. Resolves with false also when it was late. */
  async function insertClaiming<Import extends Document>(
    { number, submission }: WritableLine,
    importId: ObjectId,
    guard: Guard<Import>,
  ): Promise<boolean> {
    const { claim, appId } = submission;
    if (!claim) return true;
    const { record: _id, guard: claimed } = await claim.forNewRecord(newId(submission.now));
    const { record, bytes } = buildInsert(submission, _id);
    const document: UserDocument = { ...record, import: createdMark(importId, number, record.data) };
    await insertGuarded({ ...claimed, also: guard }, records, [document], () => bytes);
    const own = { projection: { _id: 1 }, readConcern: 'majority' } as const;
    if (await users.findOne({ _id, appId }, own)) return true;
    // The run may not write any more: the batch is not committed.
    return (await guard.collection.findOne(guard.filter, { projection: { _id: 1 } })) === null;
  }

  async function updateClaiming(planned: PlannedUpdate, importId: ObjectId): Promise<boolean> {
    const { claim } = planned.line.submission;
    if (!claim) return true;
    const until = await claim.forRecord(planned.facts._id);
    const { filter, update } = buildChange(planned, importId);
    return updateAsRead(users, [{ filter: { ...filter, ...beginsBefore(until) }, update }]);
  }

  async function resolve(
    submission: Submission,
    facts: RecordFacts | undefined,
    lease: Lease,
  ): Promise<WriteConflict | { reason: 'busy' }> {
    try {
      if (!facts || edits.isReady(facts, lease, false)) return await conflicts.resolve(submission);
      await edits.repair(facts, lease, false);
      return { reason: 'repaired' };
    } catch (error) {
      // The relay must take the events of the record first.
      if (error instanceof Unavailable) return { reason: 'busy' };
      throw error;
    }
  }

  return {
    /** Compares each record as soon as it is read: memory does not grow with its size. */
    async read(lease: Lease, lines: readonly ImportLine[]): Promise<Map<string, RecordFacts>> {
      const byEmail = new Map(lines.map((line) => [line.email, line]));
      for (const line of lines) giveFiles(line, {});
      const changes = lines.flatMap(({ submission }) => submission?.change ?? []);
      const set = new Set(changes.flatMap((change) => Object.keys(change.set)));
      const append = new Set(changes.flatMap((change) => Object.keys(change.append)));
      const values = set.size > MAX_KEYS ? ['data'] : [...set].map((key) => `data.${key}`);
      const projection = {
        appId: 1,
        email: 1,
        createdAt: 1,
        updatedAt: 1,
        schemaVersion: 1,
        arraySizes: 1,
        sizeBound: 1,
        import: 1,
        ...edits.facts(lease),
        ...Object.fromEntries(values.map((path) => [path, 1])),
        ...(append.size > 0 && { types: typesExpression([...append]) }),
      };
      const found = users.find<Found>(
        { appId: lease.app.id, email: { $in: [...byEmail.keys()] } },
        { projection, batchSize: BATCH_SIZE, hint: BY_EMAIL, readConcern: { level: 'majority' } },
      );
      const facts = new Map<string, RecordFacts>();
      let beforeBytes = 0;
      for await (const { data = {}, ...record } of found) {
        const line = byEmail.get(record.email);
        if (line) giveFiles(line, data);
        const change = line?.submission?.change;
        const isSame =
          change !== undefined &&
          Object.values(change.append).every((items) => items.length === 0) &&
          Object.entries(change.set).every(([key, value]) => isSameValue(data[key], value));
        const before = isSame ? {} : ownValues(data, Object.keys(change?.set ?? {}));
        const keeps = beforeBytes < MAX_BEFORE_BYTES;
        if (keeps) beforeBytes += BSON.calculateObjectSize(before);
        facts.set(record.email, { ...record, isSame, ...(keeps && { before }) });
      }
      return facts;
    },

    /** The plan of a line whose person has no record. */
    planInsert(submission: Submission): LinePlan {
      const refusal = refusalOf(submission);
      return refusal ? { result: refusal } : { write: 'insert' };
    },

    /** @throws {OutdatedSchema} when the record has a newer schema version than the lease */
    planUpdate(submission: Submission, facts: RecordFacts, lease: Lease): LinePlan {
      if (facts.schemaVersion > lease.schema.version) throw new OutdatedSchema();
      // A value under an old key may displace the one that was compared (decision 22).
      const mayMove = lease.renames !== undefined && facts.schemaVersion < lease.renames.version;
      if (facts.isSame && !mayMove) return { result: 'unchanged' };
      if (!edits.isReady(facts, lease, false)) return { write: 'inspect' };
      if (facts.isSame) return { result: 'unchanged' };
      const refusal = refusalOf(submission);
      if (refusal) return { result: refusal };
      if (!facts.before) return { write: 'later' };
      const { growth, maxBound } = submission;
      const blocked = findBlockedList(facts, submission, maxArrayItems);
      if (blocked) return blocked.isFull ? { result: fullList(blocked.key) } : { write: 'inspect' };
      if (growth > 0 && (facts.sizeBound ?? 0) + growth > maxBound) return { write: 'inspect' };
      return { write: 'update' };
    },

    /**
     * Moves the record or its history, or makes a value a list, if necessary.
     * @throws {OutdatedSchema}
     */
    async inspect(submission: Submission, facts: RecordFacts | undefined, lease: Lease): Promise<LinePlan> {
      const conflict = await resolve(submission, facts, lease);
      switch (conflict.reason) {
        case 'array-full':
          return { result: fullList(conflict.key) };
        case 'record-full':
          return { result: { rejected: 'the record would be too large' } };
        case 'too-many-keys':
          return { result: { rejected: 'the record would have too many keys' } };
        case 'retry':
          return { write: 'update', exactBound: conflict.view.exactBound };
        default:
          return { write: 'later' };
      }
    },

    /**
     * Inserts records if the guard, which matches while the run may write, matches at the commit.
     * Resolves with false when a person has a record; any of the others may be stored then.
     */
    async insert<Import extends Document>(
      lines: readonly WritableLine[],
      importId: ObjectId,
      guard: Guard<Import>,
    ): Promise<boolean> {
      const sizes = new Map<UserDocument, number>();
      const claiming = lines.filter(({ submission }) => submission.claim);
      for (const { number, submission } of lines) {
        if (submission.claim) continue;
        const { record, bytes } = buildInsert(submission, newId(submission.now));
        sizes.set({ ...record, import: createdMark(importId, number, record.data) }, bytes);
      }
      try {
        await insertGuarded(guard, records, [...sizes.keys()], (document) => sizes.get(document) ?? 0);
        for (const line of claiming) if (!(await insertClaiming(line, importId, guard))) return false;
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return false;
      }
    },

    /** Resolves with whether all records were as read. @throws {Unavailable} if unknown */
    async update(lines: readonly PlannedUpdate[], importId: ObjectId): Promise<boolean> {
      if (lines.length === 0) return true;
      history.noteUse();
      const plain = lines.filter(({ line }) => !line.submission.claim);
      const claiming = lines.filter(({ line }) => line.submission.claim);
      const half = plain.length < LINES_OF_TWO_STATEMENTS ? plain.length : Math.ceil(plain.length / 2);
      const halves = [plain.slice(0, half), plain.slice(half)].filter(({ length }) => length > 0);
      const results = await Promise.all(
        halves.map((some) =>
          updateAsRead(
            users,
            some.map((line) => buildChange(line, importId)),
          ),
        ),
      );
      for (const line of claiming) results.push(await updateClaiming(line, importId));
      return results.every(Boolean);
    },

    /** Makes updates of other runs fail, also those still to arrive. It may be late. */
    async fence(appId: ObjectId, emails: readonly string[]): Promise<void> {
      const filter = { appId, email: { $in: [...emails] } };
      await users.updateMany(filter, { $set: { 'import.fence': new ObjectId() } }, { hint: BY_EMAIL });
    },

    /** Erases the record that a line created, unless it has changed since. */
    async withdraw(appId: ObjectId, email: string, { id, line }: Pick<LineMark, 'id' | 'line'>): Promise<void> {
      const mark = { 'import.id': id, 'import.line': line, 'import.result': 'created' as const };
      const filter = { appId, email, ...mark, $expr: { $eq: ['$createdAt', '$updatedAt'] } };
      const found = await users.findOne(filter, { projection: { _id: 1 } });
      if (found) await erase(appId, [found._id], filter);
    },
  };
}

/** Gives a line its files as values: those that the record has already stay, others are new. */
function giveFiles({ submission, files }: ImportLine, data: Readonly<Record<string, unknown>>): void {
  if (!submission || !files) return;
  const added: { id: string; path: string }[] = [];
  const set = { ...submission.change.set };
  for (const [key, values] of Object.entries(files.values)) {
    const stored = Object.hasOwn(data, key) ? data[key] : [];
    const left: unknown[] = Array.isArray(stored) ? [...stored] : [];
    set[key] = values.map((value, index) => {
      const at = left.findIndex((one) => isDeepStrictEqual(one, { ...value, id: idOf(one) }));
      if (at >= 0) return left.splice(at, 1)[0];
      added.push({ id: value.id, path: `data.${key}.${index}` });
      return value;
    });
  }
  submission.change = { ...submission.change, set };
  files.added = added.map(({ id }) => id);
  submission.claim = files.claimOf(added);
}

const idOf = (file: unknown): unknown => (file as { id?: unknown } | null)?.id;

/** The result of an earlier attempt, from the mark in the record. */
export function appliedBefore(
  { number }: ImportLine,
  facts: RecordFacts | undefined,
  importId: ObjectId,
): LineMark['result'] | undefined {
  const { id, line = 0, result } = facts?.import ?? {};
  return id?.equals(importId) && line >= number ? result : undefined;
}

interface Found extends Omit<RecordFacts, 'isSame'> {
  data?: Record<string, unknown>;
}

function ownValues(data: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(data, key)).map((key) => [key, data[key]]));
}

/** Compares items of lists without their times. */
function isSameValue(stored: unknown, value: unknown): boolean {
  if (stored === value) return true;
  if (!Array.isArray(stored) || !Array.isArray(value)) return isDeepStrictEqual(stored, value);
  return isDeepStrictEqual(stored.map(withoutTime), value.map(withoutTime));
}

function withoutTime(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  const { timestamp: _, ...rest } = item as Record<string, unknown>;
  return rest;
}
