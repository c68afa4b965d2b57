import type { Lease, SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { OutdatedSchema } from '../../core/users/conflict.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import { RunIsOver } from '../../platform/jobs/turn-job.ts';
import type { ImportLine, ImportLines } from '../records/import-lines.ts';
import { type BatchWriter, isRejected, type Results } from './batch-writer.ts';
import {
  type BatchOutcome,
  exclusionTest,
  type ImportStore,
  MAX_ERRORS,
  noCounts,
  type RunningImport,
} from './import-documents.ts';
import type { FilePosition, ImportDocument, Omission } from './imports.model.ts';
import { isSameState, type LineBatch, type LineBatches, type StartedImport } from './line-batches.ts';
import type { LineNotes } from './line-notes.ts';
import type { Reject, RejectStore } from './rejects.ts';

const MAX_SCHEMA_CHANGES = 5;
const MAX_COMMITS = 24;
/** With this share of new persons, the next lines are inserted without reading records first. */
const MOSTLY = 0.9;

export interface RunDeps {
  store: ImportStore;
  rejects: RejectStore;
  notes: LineNotes;
  writer: BatchWriter;
  records: Pick<ImportLines, 'withdraw'>;
  leases: Pick<SchemaLeases, 'forget'>;
  batchesOf(started: StartedImport): LineBatches;
}

export type ImportRun = ReturnType<typeof createImportRun>;

/**
 * Applies an import batch by batch. After an error a new run must repeat the batch.
 * @param run.contested how many of the next lines an earlier run may still write
 */
export function createImportRun(
  deps: RunDeps,
  started: ImportDocument,
  { runner, contested }: { runner: number; contested: number },
) {
  const { store, rejects, notes, writer, records, leases } = deps;
  const { _id: importId, appId, sourceAppId, settings, layout, position } = started;
  if (!layout || !position) throw new Error('the import was not started');
  const batches = deps.batchesOf({ ...started, layout, position });
  let known: ImportDocument & RunningImport & { position: FilePosition } = { ...started, runner, position };
  let contestedLeft = contested;
  let next: LineBatch | undefined;
  let isMostlyNew = false;

  async function renewLease(before: Lease): Promise<Lease> {
    const lease = await batches.holdLease();
    if (!isSameState(lease, before)) throw new OutdatedSchema();
    return lease;
  }

  function acceptedLines({ entries, suppressed }: LineBatch): ImportLine[] {
    const isExcluded = exclusionTest(known);
    return entries.flatMap(({ line, checked: { email, submission, refusal, files } }): ImportLine[] => {
      if (email === undefined) return [];
      const { number } = line;
      if (isExcluded(email)) return [{ number, email, refusal: ERASED }];
      if (suppressed.has(email)) return [{ number, email, refusal: SUPPRESSED }];
      return [{ number, email, submission, refusal, files }];
    });
  }

  async function applied(batch: LineBatch, checkOwner: () => void): Promise<{ batch: LineBatch; results: Results }> {
    for (let attempt = 0; attempt < MAX_SCHEMA_CHANGES; attempt += 1) {
      const current = await batches.renewed(batch);
      const lines = acceptedLines(current);
      const writable = settings.invalid === 'abort' ? linesBeforeUnreadable(current, lines) : lines;
      try {
        const results = await writer.apply({
          run: known,
          settings,
          lease: current.lease,
          lines: writable,
          isMostlyNew,
          checkOwner,
          isContested: contestedLeft > 0,
          renewLease: () => renewLease(current.lease),
        });
        isMostlyNew = isMostlyCreated(results);
        return { batch: current, results };
      } catch (error) {
        if (!(error instanceof OutdatedSchema)) throw error;
        leases.forget(sourceAppId);
      }
    }
    throw new Unavailable('schemaIsChanging');
  }

  /** Withdraws records that a batch created for persons who were erased meanwhile. */
  async function withdrawErased({ entries }: LineBatch, results: Results): Promise<void> {
    const isExcluded = exclusionTest(known);
    for (const { line, checked } of entries) {
      if (checked.email === undefined || !results.has(line.number) || !isExcluded(checked.email)) continue;
      await records.withdraw(appId, checked.email, { id: importId, line: line.number });
      results.set(line.number, { rejected: ERASED });
    }
  }

  async function settle(read: LineBatch, checkOwner: () => void): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_COMMITS; attempt += 1) {
      const { batch, results } = await applied(read, checkOwner);
      await withdrawErased(batch, results);
      const { outcome, rejected, omitted } = countOutcome(batch, results, settings.invalid === 'abort');
      await rejects.add(known, appId, rejected);
      const allOmitted = (known.counters.omitted ?? 0) + omitted.length;
      if (omitted.length > 0 && allOmitted <= MAX_REJECTS) await notes.addOmissions(known, omitted);
      const allRejected = known.counters.rejected + rejected.length;
      if (!outcome.end && allRejected >= MAX_REJECTS) Object.assign(outcome, TOO_MANY_REJECTS);
      if (await store.commit(known, outcome)) {
        known.position = outcome.position;
        known.counters = { ...known.counters, rejected: allRejected, omitted: allOmitted };
        contestedLeft -= batch.entries.length;
        return outcome.end === undefined;
      }
      const current = await store.running(importId);
      const isOwn = current?.runner === runner && current.position?.offset === known.position.offset;
      if (!current || !isOwn || current.excluded.length === known.excluded.length) throw new RunIsOver();
      // A person was erased meanwhile. The batch is repeated: applied lines have their marks.
      known = { ...known, excluded: current.excluded };
      isMostlyNew = false;
      await rejects.removeFrom(known, known.position.line);
      await notes.removeOmissionsFrom(known, known.position.line);
    }
    throw new Unavailable();
  }

  return {
    /**
     * Applies the next batch; resolves with whether lines are left. `checkOwner` throws when
     * another server runs the job. @throws {AppIsGone} @throws {RunIsOver}
     */
    async step(maxLines: number, checkOwner: () => void): Promise<boolean> {
      const batch = next ?? (await batches.next(maxLines, known.position));
      next = undefined;
      const following = batch.isLast ? undefined : batches.next(maxLines, batch.end);
      // The batch ends first, so that no write of the run is in progress when this fails.
      following?.catch(() => undefined);
      const hasMore = await settle(batch, checkOwner);
      next = await following;
      return hasMore;
    },

    /** Whether no earlier run can still write lines that this one has not decided. */
    isUncontested: (): boolean => contestedLeft <= 0,

    fail: (reason: string): Promise<void> => store.fail(known, reason),
  };
}

/** The lines before the first one without an email, which ends the import. */
function linesBeforeUnreadable({ entries }: LineBatch, lines: readonly ImportLine[]): readonly ImportLine[] {
  const first = entries.find(({ checked }) => checked.email === undefined);
  return first ? lines.filter(({ number }) => number < first.line.number) : lines;
}

function isMostlyCreated(results: Results): boolean {
  const created = [...results.values()].filter((result) => result === 'created');
  return created.length >= results.size * MOSTLY;
}

/** Bounds the stored rejects (spec 8): a file may have a line for every two bytes. */
export const MAX_REJECTS = 1_000_000;
const TOO_MANY_REJECTS: Pick<BatchOutcome, 'end' | 'failure'> = {
  end: 'failed',
  failure: 'A million lines were rejected; correct the rest of the file and import it again',
};

export const ERASED = 'the person was erased';
const SUPPRESSED = 'the person was erased and must not be imported again';

/** Counts results and lists rejected lines. `aborts`: the first one ends the import. */
function countOutcome(
  { entries, end, isLast }: LineBatch,
  results: Results,
  aborts: boolean,
): { outcome: BatchOutcome; rejected: Reject[]; omitted: Omission[] } {
  const counters = noCounts();
  const outcome: BatchOutcome = { counters, errors: [], position: end, ...(isLast && { end: 'completed' }) };
  const rejected: Reject[] = [];
  const omitted: Omission[] = [];
  for (const { line, checked } of entries) {
    const isUnread = checked.email === undefined && outcome.end !== 'aborted';
    const result = isUnread ? { rejected: checked.refusal ?? '' } : results.get(line.number);
    if (result === undefined) continue;
    counters.read += 1;
    if (!isRejected(result)) {
      counters[result] += 1;
      for (const one of checked.omitted ?? []) omitted.push({ line: line.number, ...one });
      continue;
    }
    counters.rejected += 1;
    const { number, text } = line;
    // The reason contains nothing of a person who was erased.
    const isErased = result.rejected === ERASED || result.rejected === SUPPRESSED;
    rejected.push({ line: number, reason: result.rejected, ...(!isErased && { email: checked.email, text }) });
    outcome.errors.push({ line: number, message: result.rejected });
    if (aborts) outcome.end = 'aborted';
  }
  outcome.errors = outcome.errors.slice(0, MAX_ERRORS);
  if (omitted.length > 0) {
    counters.omitted = omitted.length;
    outcome.omissions = omitted.slice(0, MAX_ERRORS);
  }
  return { outcome, rejected, omitted };
}
