import { setTimeout as sleep } from 'node:timers/promises';
import { mongo, type Types } from 'mongoose';
import { AppError, Unavailable } from '../../core/errors.ts';
import { isOnlyDuplicates } from '../../database/failures.ts';
import type { Lease } from '../../schemas/schema-leases.ts';
import type { Revalidation } from '../../submissions/revalidation.ts';
import { createConflictReader, turnIntoArray } from '../../submissions/store/conflict.ts';
import type { IdempotencyKeys } from '../../submissions/store/idempotency-keys.ts';
import { insertOf } from '../../submissions/store/record-insert.ts';
import type { RecordLimits } from '../../submissions/store/record-limits.ts';
import { upsertOf } from '../../submissions/store/record-upsert.ts';
import type { Submission } from '../../submissions/store/submission.ts';
import { OutdatedSchema, refuseOversized } from '../../submissions/store/submission-store.ts';
import type { RecordId } from '../../users/record-id.ts';
import type { RecordMoves } from '../../users/renames/record-moves.ts';
import type { ImportMark, UserCollection, UserDocument } from '../../users/users.model.ts';
import type { ImportSettings } from '../imports.model.ts';
import { type BatchLine, type RecordFacts, readFacts } from './record-facts.ts';

/** Each further attempt means that concurrent writes changed records of the batch. */
const MAX_ATTEMPTS = 24;
const PAUSE_MS = 10;
const BY_EMAIL = { appId: 1, email: 1 } as const;

/** What became of a line. */
export type LineResult = 'created' | 'updated' | 'unchanged' | { rejected: string };

export type BatchWriter = ReturnType<typeof createBatchWriter>;

interface Batch {
  importId: Types.ObjectId;
  settings: Pick<ImportSettings, 'mode' | 'arrays' | 'invalid' | 'dryRun'>;
  /** The lease under which the lines were checked. */
  lease: Lease;
  /**
   * Resolves with a valid lease of the same schema, slots and consumers.
   * @throws {OutdatedSchema} when they have changed
   */
  renewLease(): Promise<Lease>;
  lines: readonly BatchLine[];
  /** Called before each write. Throws when another server runs the import. */
  checkOwner(): void;
}

/**
 * Applies lines of an import to records, each exactly once (spec 4.7).
 *
 * A record that a line created or changed carries the import's id and the number of the line. A
 * line that finds its own number was applied by an earlier attempt, and the filter of each write
 * excludes records with that number or a later one of the same import. So a batch that is repeated
 * changes nothing twice, and has the same results.
 */
export function createBatchWriter(deps: {
  users: UserCollection;
  keys: Pick<IdempotencyKeys, 'find'>;
  limits: RecordLimits;
  maxArrayItems: number;
  newId: (createdAt: Date) => RecordId;
  revalidation: Revalidation;
  moves: Pick<RecordMoves, 'one'>;
}) {
  const { users, limits, maxArrayItems, newId, revalidation, moves } = deps;
  const conflicts = createConflictReader(deps);

  /** What a line does to the record of its person, if it may. Nothing is written. */
  function planOf(line: BatchLine, facts: RecordFacts | undefined, { importId, settings, lease }: Batch): Plan {
    const applied = appliedBefore(line, facts, importId);
    if (applied) return { result: applied };
    const { submission, refusal } = line;
    if (!submission) return { result: { rejected: refusal ?? 'is refused' } };
    if (!facts) {
      if (settings.mode === 'update') return { result: { rejected: 'no record has this email' } };
      return tooLargeAlone(submission) ?? { write: 'insert' };
    }
    if (settings.mode === 'insert') return { result: { rejected: 'a record of this email exists' } };
    if (facts.schemaVersion > lease.schema.version) throw new OutdatedSchema();
    // The record is moved first (decision 22).
    if (lease.renames && facts.schemaVersion < lease.renames.version) return { write: 'explain' };
    if (facts.isSame) return { result: 'unchanged' };
    return tooLargeAlone(submission) ?? planUpdate(submission, facts);
  }

  function tooLargeAlone(submission: Submission): Plan | undefined {
    try {
      refuseOversized(submission, limits, maxArrayItems);
      for (const [key, value] of Object.entries(submission.change.set)) {
        if (Array.isArray(value) && value.length > maxArrayItems) return { result: { rejected: arrayFull(key) } };
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { result: { rejected: error.message } };
    }
  }

  function planUpdate({ change, growth, maxBound }: Submission, facts: RecordFacts): Plan {
    for (const [key, items] of Object.entries(change.append)) {
      const type = facts.types?.[key] ?? 'missing';
      if (type !== 'missing' && type !== 'array') return { write: 'explain' };
      if ((facts.arraySizes?.[key] ?? 0) + items.length > maxArrayItems) {
        return { result: { rejected: arrayFull(key) } };
      }
    }
    if (growth > 0 && (facts.sizeBound ?? 0) + growth > maxBound) return { write: 'explain' };
    return { write: 'update' };
  }

  /** The message of a submission that finds the list full. */
  const arrayFull = (key: string): string => `data.${key} is full: it holds at most ${maxArrayItems} items`;

  /** Decides a line whose record is near its limits, or has a value that has to become a list. */
  async function explain(submission: Submission): Promise<Plan> {
    const conflict = await conflicts.explain(submission);
    switch (conflict.reason) {
      case 'not-an-array':
        await turnIntoArray(users, submission, conflict.key);
        return { write: 'later' };
      case 'unmoved': {
        const { appId, email, renames } = submission;
        if (renames) await moves.one({ appId, email }, renames);
        return { write: 'later' };
      }
      case 'newer-schema':
        throw new OutdatedSchema();
      case 'array-full':
        return { result: { rejected: arrayFull(conflict.key) } };
      case 'record-full':
        return { result: { rejected: 'the record would be too large' } };
      case 'too-many-keys':
        return { result: { rejected: 'the record would have too many keys' } };
      case 'retry':
        return { write: 'update', exactBound: conflict.view.exactBound };
      default:
        return { write: 'later' };
    }
  }

  /** Inserts records; resolves with the lines whose person has got a record meanwhile. */
  async function insert(lines: readonly Planned[], importId: Types.ObjectId): Promise<Set<number>> {
    if (lines.length === 0) return new Set();
    const documents = lines.map(({ line, submission }) => {
      const { record } = insertOf(submission, newId(submission.now));
      return { ...record, import: { id: importId, line: line.number, result: 'created' } satisfies ImportMark };
    });
    try {
      await users.insertMany(documents, { ordered: false });
      return new Set();
    } catch (error) {
      if (!isOnlyDuplicates(error)) throw error;
      const failures = [(error as mongo.MongoBulkWriteError).writeErrors].flat();
      return new Set(failures.flatMap(({ index }) => lines[index]?.line.number ?? []));
    }
  }

  /** Changes records; resolves with whether all were changed. */
  async function update(lines: readonly Planned[], importId: Types.ObjectId): Promise<boolean> {
    if (lines.length === 0) return true;
    const operations = lines.map(({ line, submission, plan }) => {
      const { exactBound } = plan as UpdatePlan;
      const view = { keyEpoch: 0, ...(exactBound && { exactBound }) };
      const { filter, update: change } = upsertOf(submission, newId(submission.now), maxArrayItems, view);
      const { $setOnInsert: _, ...rest } = change;
      const mark: ImportMark = { id: importId, line: line.number, result: 'updated' };
      const isLater = { 'import.id': importId, 'import.line': { $gte: line.number } };
      return {
        updateOne: {
          filter: { ...filter, $nor: [...(filter.$nor ?? []), isLater] } as mongo.Filter<UserDocument>,
          update: { ...rest, $set: { ...rest.$set, import: mark } } as mongo.UpdateFilter<UserDocument>,
          // Without it MongoDB compares plans for each write.
          hint: BY_EMAIL,
        },
      };
    });
    try {
      const { matchedCount } = await users.bulkWrite(operations, { ordered: false });
      return matchedCount === operations.length;
    } catch (error) {
      // A stored value has another type since it was read; another attempt reads it again.
      const failures = error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
      if (failures.length === 0) throw error;
      if ((error as mongo.MongoBulkWriteError).result.getWriteConcernError()) throw new Unavailable();
      return false;
    }
  }

  /** One attempt for lines that are not decided; adds results, resolves with the lines left. */
  async function attempt(
    batch: Batch,
    lines: readonly BatchLine[],
    results: Map<number, LineResult>,
  ): Promise<BatchLine[]> {
    const { importId, settings, lease, checkOwner } = batch;
    const found = await readFacts(users, lease.app.id, lines);
    const planned: Planned[] = [];
    const left: BatchLine[] = [];
    let isAborted = false;
    for (const line of lines) {
      const facts = found.get(line.email);
      // Nothing after the line that ends the import is written, but it may have been before.
      if (isAborted) {
        const applied = appliedBefore(line, facts, importId);
        if (applied) results.set(line.number, applied);
        continue;
      }
      let plan = planOf(line, facts, batch);
      if ('write' in plan && plan.write === 'explain' && line.submission) {
        if (!settings.dryRun) checkOwner();
        plan = settings.dryRun ? { result: 'updated' } : await explain(line.submission);
      }
      if ('result' in plan) results.set(line.number, plan.result);
      else if (plan.write === 'later' || !line.submission) left.push(line);
      else planned.push({ line, submission: line.submission, plan });
      isAborted = settings.invalid === 'abort' && 'result' in plan && isRejected(plan.result);
    }
    return write(planned, left);

    async function write(all: readonly Planned[], rest: BatchLine[]): Promise<BatchLine[]> {
      const inserts = all.filter(({ plan }) => plan.write === 'insert');
      const updates = all.filter(({ plan }) => plan.write === 'update');
      if (settings.dryRun) {
        for (const { line } of inserts) results.set(line.number, 'created');
        for (const { line } of updates) results.set(line.number, 'updated');
        return rest;
      }
      // Reading may have taken longer than the lease.
      if (!batch.lease.isCurrent()) batch.lease = await batch.renewLease();
      checkOwner();
      const [refused, isComplete] = await Promise.all([insert(inserts, importId), update(updates, importId)]);
      for (const { line } of inserts) {
        if (refused.has(line.number)) rest.push(line);
        else results.set(line.number, 'created');
      }
      for (const { line } of updates) {
        // The next attempt reads which records have the mark of their line.
        if (isComplete) results.set(line.number, 'updated');
        else rest.push(line);
      }
      return rest;
    }
  }

  /** Every record is dealt with before the first error is thrown. */
  async function revalidateAll({ lines, lease }: Batch, results: ReadonlyMap<number, LineResult>): Promise<void> {
    let failure: { error: unknown } | undefined;
    for (const { number, submission } of lines) {
      const result = results.get(number);
      if (!submission || (result !== 'created' && result !== 'updated')) continue;
      await revalidation.revalidate(lease, submission).catch((error: unknown) => {
        failure ??= { error };
      });
    }
    if (failure) throw failure.error;
  }

  return {
    /**
     * Applies the lines, which have different emails, in any order; resolves with the result of
     * each by its number. With `invalid: abort`, lines after the first rejected one have none.
     *
     * @throws {OutdatedSchema} when a record has a newer schema version than the lease; some lines
     *   may be applied, and a repeat has their results
     * @throws {UnknownApp} when the app was deleted; nothing of the batch is left
     * @throws {Unavailable} when a result is unknown
     */
    async apply(begun: Batch): Promise<Map<number, LineResult>> {
      const batch = { ...begun };
      const { lines } = batch;
      const results = new Map<number, LineResult>();
      let left: readonly BatchLine[] = lines;
      try {
        for (let count = 0; left.length > 0; count += 1) {
          if (count === MAX_ATTEMPTS) throw new Unavailable();
          // Something else keeps changing the records, or has to take their events first.
          if (count > 2) await sleep(PAUSE_MS * count);
          left = await attempt(batch, left, results);
        }
      } catch (error) {
        for (const { submission } of lines) if (submission) revalidation.settleLater(submission, batch.lease);
        throw error;
      }
      if (!batch.lease.isCurrent() && !batch.settings.dryRun) await revalidateAll(batch, results);
      return results;
    },
  };
}

/** The result of an earlier attempt, which left the mark of the line in the record. */
function appliedBefore(
  { number }: BatchLine,
  facts: RecordFacts | undefined,
  importId: Types.ObjectId,
): ImportMark['result'] | undefined {
  const mark = facts?.import;
  return mark?.id.equals(importId) && mark.line >= number ? mark.result : undefined;
}

export function isRejected(result: LineResult | undefined): result is { rejected: string } {
  return typeof result === 'object';
}

interface UpdatePlan {
  write: 'update';
  exactBound?: { was: number | undefined; becomes: number } | undefined;
}

/** `explain`: the record must be read more closely; `later`: another attempt decides. */
type Plan = { result: LineResult } | { write: 'insert' | 'explain' | 'later' } | UpdatePlan;

interface Planned {
  line: BatchLine;
  submission: Submission;
  plan: Exclude<Plan, { result: LineResult }>;
}
