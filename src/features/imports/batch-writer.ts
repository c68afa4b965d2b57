import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import type { Revalidation } from '../../core/users/revalidation.ts';
import { limitAttempts } from '../../platform/core/attempts.ts';
import {
  appliedBefore,
  type ImportLine,
  type ImportLines,
  type LinePlan,
  type LineResult,
  type PlannedUpdate,
  type RecordFacts,
  type WritableLine,
} from '../records/import-lines.ts';
import { type RunningImport, whileRunBy } from './import-documents.ts';
import type { ImportCollection, ImportSettings } from './imports.model.ts';
import type { LineNotes, NotingRun } from './line-notes.ts';

const PAUSE_MS = 10;

function isWritable(line: ImportLine): line is WritableLine {
  return line.submission !== undefined;
}

export function isRejected(result: LineResult | undefined): result is { rejected: string } {
  return typeof result === 'object';
}

export type Results = Map<number, LineResult>;

export type BatchWriter = ReturnType<typeof createBatchWriter>;

interface Batch {
  run: NotingRun;
  settings: Pick<ImportSettings, 'mode' | 'arrays' | 'invalid' | 'dryRun'>;
  lease: Lease;
  /** Resolves with a valid lease of the same state. @throws {OutdatedSchema} when it has changed */
  renewLease(): Promise<Lease>;
  lines: readonly ImportLine[];
  /** Whether most persons probably have no record. A wrong value costs time only. */
  isMostlyNew: boolean;
  /** Whether an earlier run may still send updates for these lines. */
  isContested: boolean;
  checkOwner(): void;
}

/** Applies each line exactly once (spec 4.7): the marks in records make repeats harmless. */
export function createBatchWriter(deps: {
  records: Omit<ImportLines, 'withdraw'>;
  imports: ImportCollection;
  notes: Pick<LineNotes, 'linesOfPersons' | 'addPersons'>;
  revalidation: Revalidation;
  onEvents: () => void;
}) {
  const { records, imports, notes, revalidation, onEvents } = deps;

  const insert = (lines: readonly WritableLine[], run: RunningImport): Promise<boolean> =>
    records.insert(lines, run._id, { collection: imports, filter: whileRunBy(run) });

  /** Stores the new files of a line that is written, or refuses it. @throws as `planUpdate` */
  async function planOf(
    line: ImportLine,
    facts: RecordFacts | undefined,
    batch: Batch,
    wouldExist: boolean,
  ): Promise<LinePlan> {
    const { dryRun } = batch.settings;
    const plan = await planWrite(line, facts, batch, wouldExist);
    const isWritten = 'write' in plan ? plan.write !== 'later' : dryRun && plan.result === 'updated';
    for (const id of (isWritten && line.files?.added) || []) {
      batch.checkOwner();
      const rejected = await line.files?.store(id, dryRun);
      if (rejected !== undefined) return { result: { rejected } };
    }
    return plan;
  }

  /** Resolves with the plan of a line. @throws {OutdatedSchema} as `planUpdate` */
  async function planWrite(
    line: ImportLine,
    facts: RecordFacts | undefined,
    batch: Batch,
    wouldExist: boolean,
  ): Promise<LinePlan> {
    const { run, settings, lease } = batch;
    const applied = appliedBefore(line, facts, run._id);
    if (applied) return { result: applied };
    const { submission, refusal } = line;
    if (!submission) return { result: { rejected: refusal ?? 'is refused' } };
    if (!facts && wouldExist) {
      if (settings.mode === 'insert') return { result: { rejected: 'a record of this email exists' } };
      const plan = records.planInsert(submission);
      return 'result' in plan ? plan : { result: 'updated' };
    }
    if (!facts) {
      if (settings.mode === 'update') return { result: { rejected: 'no record has this email' } };
      return records.planInsert(submission);
    }
    if (settings.mode === 'insert') return { result: { rejected: 'a record of this email exists' } };
    const plan = records.planUpdate(submission, facts, lease);
    if (!('write' in plan) || plan.write !== 'inspect') return plan;
    if (settings.dryRun) return { result: 'updated' };
    batch.checkOwner();
    return records.inspect(submission, facts, lease);
  }

  async function prepareWrite(batch: Batch): Promise<void> {
    if (!batch.lease.isCurrent()) batch.lease = await batch.renewLease();
    batch.checkOwner();
  }

  /**
   * Inserts lines without reading records first. Resolves with the lines that are left: all when
   * the unique index refused one, because MongoDB does not name the others that it refused.
   */
  async function insertUnread(batch: Batch, results: Results): Promise<readonly ImportLine[]> {
    const { run, lines, settings } = batch;
    const { mode, invalid, dryRun } = settings;
    // With `abort`, the lines after the first rejected one must not be written.
    if (!batch.isMostlyNew || mode === 'update' || invalid === 'abort' || dryRun) return lines;
    const planned = lines
      .filter(isWritable)
      .filter(({ submission, files }) => !files && 'write' in records.planInsert(submission));
    await prepareWrite(batch);
    if (!(await insert(planned, run))) return lines;
    for (const { number } of planned) results.set(number, 'created');
    return lines.filter(({ number }) => !results.has(number));
  }

  /** The lines of an earlier batch of a dry run that would create persons who have no record. */
  function personsCreated(run: NotingRun, lines: readonly ImportLine[], found: ReadonlyMap<string, RecordFacts>) {
    const emails = lines.map(({ email }) => email).filter((email) => !found.has(email));
    return notes.linesOfPersons(run, emails);
  }

  async function attempt(batch: Batch, lines: readonly ImportLine[], results: Results): Promise<ImportLine[]> {
    const { run, settings, lease } = batch;
    const found = await records.read(lease, lines);
    const created = settings.dryRun && settings.mode !== 'update' ? await personsCreated(run, lines, found) : undefined;
    const inserts: WritableLine[] = [];
    const updates: PlannedUpdate[] = [];
    const left: ImportLine[] = [];
    let isAborted = false;
    for (const line of lines) {
      const facts = found.get(line.email);
      // Lines after the one that ends the import are not written, but may have been before.
      if (isAborted) {
        const applied = appliedBefore(line, facts, run._id);
        if (applied) results.set(line.number, applied);
        continue;
      }
      const plan = await planOf(line, facts, batch, (created?.get(line.email) ?? line.number) < line.number);
      if ('result' in plan) results.set(line.number, plan.result);
      else if (!isWritable(line)) left.push(line);
      else if (plan.write === 'insert') inserts.push(line);
      else if (plan.write === 'update' && facts) updates.push({ line, facts, exactBound: plan.exactBound });
      else left.push(line);
      isAborted = settings.invalid === 'abort' && 'result' in plan && isRejected(plan.result);
    }
    let areInserted = true;
    let areUpdated = true;
    if (!settings.dryRun) {
      await prepareWrite(batch);
      [areInserted, areUpdated] = await Promise.all([insert(inserts, run), records.update(updates, run._id)]);
    } else if (inserts.length > 0) await notes.addPersons(run, inserts);
    const updated = updates.map(({ line }) => line);
    if (areInserted) for (const { number } of inserts) results.set(number, 'created');
    if (areUpdated) for (const { number } of updated) results.set(number, 'updated');
    // The next attempt reads which records have the mark of their line.
    return [...left, ...(areInserted ? [] : inserts), ...(areUpdated ? [] : updated)];
  }

  /** Every record is revalidated before the first error is thrown. */
  async function revalidateAll({ lines, lease }: Batch, results: Results): Promise<void> {
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
     * Applies the lines, which have different emails, in any order; resolves with the results by
     * line number. With `invalid: abort`, lines after the first rejected one have none. The results
     * are valid only if the batch is committed.
     * @throws {OutdatedSchema} when a record has a newer schema version than the lease; some lines
     * may be applied, and a repeat has their results
     * @throws {UnknownApp} when the app was deleted; nothing of the batch is left
     * @throws {Unavailable} when a result is unknown
     */
    async apply(begun: Batch): Promise<Results> {
      const batch = { ...begun };
      const { lines } = batch;
      const results: Results = new Map();
      try {
        if (batch.isContested && !batch.settings.dryRun) {
          const emails = lines.map(({ email }) => email);
          await records.fence(batch.lease.app.id, emails);
        }
        let left = await insertUnread(batch, results);
        const again = limitAttempts();
        let count = 0;
        while (left.length > 0) {
          // Concurrent writes change the records, or the relay must take their events first.
          if (count > 2) await sleep(PAUSE_MS * count);
          left = await attempt(batch, left, results);
          if (left.length > 0) count = again();
        }
      } catch (error) {
        for (const { submission } of lines) if (submission) revalidation.scheduleRepair(submission, batch.lease);
        throw error;
      }
      if (batch.lease.app.hasConsumers) onEvents();
      if (!batch.lease.isCurrent() && !batch.settings.dryRun) await revalidateAll(batch, results);
      return results;
    },
  };
}
