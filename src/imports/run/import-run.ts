import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Types } from 'mongoose';
import { isSameSlots } from '../../apps/index-slots.ts';
import { Unavailable } from '../../core/errors.ts';
import type { Lease, SchemaLeases } from '../../schemas/schema-leases.ts';
import type { RecordLimits } from '../../submissions/store/record-limits.ts';
import { OutdatedSchema } from '../../submissions/store/submission-store.ts';
import type { RecordEraser } from '../../users/outbox/record-eraser.ts';
import { ALL_APPS, type Suppressions } from '../../users/people/suppressions.ts';
import type { UserCollection } from '../../users/users.model.ts';
import type { ContentStore } from '../content/content-store.ts';
import { exclusionTest } from '../exclusions.ts';
import { type BatchOutcome, type ImportStore, noCounts } from '../import-store.ts';
import type { ImportDocument, Position } from '../imports.model.ts';
import { createLineReader, type Line } from '../lines/line-reader.ts';
import type { RejectStore } from '../rejects/reject-store.ts';
import { type CheckedLine, checkLine } from '../values/line-submission.ts';
import { createValueReader, type ReadValues } from '../values/line-values.ts';
import { type BatchWriter, isRejected, type LineResult } from './batch-writer.ts';
import type { BatchLine } from './record-facts.ts';

const MAX_BATCH_BYTES = 1024 * 1024;
/** The longest time in which the lines of a batch are read and checked. */
const MAX_COLLECT_MS = 200;
/** The event loop is given to requests this often. */
const TURN_MS = 3;
/** How often a batch is checked again because the schema was replaced meanwhile. */
const MAX_SCHEMA_CHANGES = 5;
const MAX_COMMITS = 24;

const ERASED = 'the person was erased';
const SUPPRESSED = 'the person was erased and must not be imported again';

/** The lines of an app that no longer exists are not applied. */
export class AppIsGone extends Error {
  override readonly name = 'AppIsGone';
}

/** Another server runs the import, or it was deleted. */
export class RunIsOver extends Error {
  override readonly name = 'RunIsOver';
}

interface Entry {
  line: Line;
  checked: CheckedLine;
}

/** Lines with different emails. */
interface Batch {
  entries: Entry[];
  /** The emails that are suppressed. Later ones are excluded from the import (exclusions.ts). */
  suppressed: ReadonlySet<string>;
  lease: Lease;
  end: Position;
  isLast: boolean;
}

export interface RunDeps {
  store: ImportStore;
  content: ContentStore;
  rejects: RejectStore;
  writer: BatchWriter;
  users: UserCollection;
  eraseRecords: RecordEraser;
  leases: SchemaLeases;
  suppressions: Pick<Suppressions, 'among' | 'has'>;
  limits: RecordLimits;
}

export type ImportRun = ReturnType<typeof createImportRun>;

/**
 * Applies the lines of one import, batch by batch, from the position that is stored. While a batch
 * is written, the next one is read. After an error the run must not be used again: a new one
 * repeats the batch.
 *
 * @param started the import, which this run has claimed
 * @param runner identifies this run
 */
export function createImportRun(deps: RunDeps, started: ImportDocument, runner: Types.ObjectId) {
  const { store, content, rejects, writer, users, eraseRecords, leases, suppressions, limits } = deps;
  const { _id: importId, appId, sourceAppId, settings, layout, chunks, position } = started;
  if (!layout || !position) throw new Error('the import was not started');
  let known = { ...started, runner, position };
  const reader = createLineReader((offset) => content.readFrom(chunks, offset), layout, settings.format, position);
  let carried: Line | undefined;
  let next: Batch | undefined;
  let reading: { schemaId: string; timeZone: string | undefined; read: ReadValues } | undefined;

  async function holdLease(): Promise<Lease> {
    const lease = await leases.hold(sourceAppId);
    if (!lease?.app.id.equals(appId)) throw new AppIsGone();
    return lease;
  }

  function readerFor({ app, schema, schemaId }: Lease, { columns, delimiter }: NonNullable<typeof layout>): ReadValues {
    const timeZone = app.form?.timeZone;
    if (reading?.schemaId !== schemaId || reading.timeZone !== timeZone) {
      const read = createValueReader(schema, settings, { columns, delimiter }, timeZone);
      reading = { schemaId, timeZone, read };
    }
    return reading.read;
  }

  function check({ text, problem }: Line, lease: Lease, now: Date): CheckedLine {
    if (text === undefined || problem !== undefined || !layout) return { email: undefined, refusal: problem ?? '' };
    return checkLine(readerFor(lease, layout)(text), lease, settings, limits, now);
  }

  /** Reads and checks the lines of the next batch. It ends before an email occurs twice. */
  async function collect(maxLines: number): Promise<Batch> {
    const lease = await holdLease();
    const begun = performance.now();
    let turn = begun;
    const now = new Date();
    const emails = new Set<string>();
    const batch: Batch = { entries: [], suppressed: new Set(), lease, end: known.position, isLast: false };
    await fill();
    batch.end = batch.isLast ? reader.position() : (batch.entries.at(-1)?.line.next() ?? batch.end);
    batch.suppressed = await suppressedOf([...emails]);
    return batch;

    async function fill(): Promise<void> {
      for (let bytes = 0; batch.entries.length < maxLines && bytes < MAX_BATCH_BYTES; ) {
        const line = carried ?? (await reader.next());
        carried = undefined;
        if (!line) {
          batch.isLast = true;
          return;
        }
        const checked = check(line, lease, now);
        if (checked.email !== undefined && emails.has(checked.email)) {
          carried = line;
          return;
        }
        if (checked.email !== undefined) emails.add(checked.email);
        batch.entries.push({ line, checked });
        bytes += line.bytes;
        if (performance.now() - turn < TURN_MS) continue;
        if (performance.now() - begun > MAX_COLLECT_MS) return;
        await nextTurn();
        turn = performance.now();
      }
    }
  }

  /** The batch under a valid lease: checked again when what it depends on changed. */
  async function renewed(batch: Batch): Promise<Batch> {
    const lease = await holdLease();
    if (isSameState(lease, batch.lease)) return { ...batch, lease };
    const now = new Date();
    return { ...batch, lease, entries: batch.entries.map(({ line }) => ({ line, checked: check(line, lease, now) })) };
  }

  async function renewLease(before: Lease): Promise<Lease> {
    const lease = await holdLease();
    if (!isSameState(lease, before)) throw new OutdatedSchema();
    return lease;
  }

  /** The lines that name a person, with what keeps them from being applied. */
  function linesOf({ entries, suppressed }: Batch): BatchLine[] {
    const isExcluded = exclusionTest(known);
    return entries.flatMap(({ line, checked: { email, submission, refusal } }): BatchLine[] => {
      if (email === undefined) return [];
      const { number } = line;
      if (isExcluded(email)) return [{ number, email, refusal: ERASED }];
      if (suppressed.has(email)) return [{ number, email, refusal: SUPPRESSED }];
      return [{ number, email, submission, refusal }];
    });
  }

  /** Most apps have no suppressions, and looking each email up costs hashes. */
  async function suppressedOf(emails: readonly string[]): Promise<Set<string>> {
    if (emails.length === 0) return new Set();
    const begin = new Date(0);
    const any = await Promise.all([appId, ALL_APPS].map((id) => suppressions.has(id, 'since', begin)));
    return any.includes(true) ? suppressions.among(appId, emails) : new Set();
  }

  async function applied(batch: Batch, checkOwner: () => void): Promise<{ batch: Batch; results: Results }> {
    for (let attempt = 0; attempt < MAX_SCHEMA_CHANGES; attempt += 1) {
      const current = await renewed(batch);
      const lines = linesOf(current);
      const writable = settings.invalid === 'abort' ? linesBeforeUnreadable(current, lines) : lines;
      try {
        const results: Results = await writer.apply({
          ...{ importId, settings, lease: current.lease, lines: writable, checkOwner },
          renewLease: () => renewLease(current.lease),
        });
        return { batch: current, results };
      } catch (error) {
        if (!(error instanceof OutdatedSchema)) throw error;
        leases.forget(sourceAppId);
      }
    }
    throw new Unavailable('The schema of this app is changing');
  }

  /** Withdraws what a batch created for persons who were erased while it was written. */
  async function withdrawErased({ entries }: Batch, results: Results): Promise<void> {
    const isExcluded = exclusionTest(known);
    for (const { line, checked } of entries) {
      if (checked.email === undefined || !results.has(line.number) || !isExcluded(checked.email)) continue;
      const mark = { 'import.id': importId, 'import.line': line.number, 'import.result': 'created' as const };
      // Not a record to which the person has submitted since.
      const isUntouched = { $expr: { $eq: ['$createdAt', '$updatedAt'] } };
      const filter = { appId, email: checked.email, ...mark, ...isUntouched };
      const found = await users.findOne(filter, { projection: { _id: 1 } });
      if (found) await eraseRecords(appId, [found._id], filter);
      results.set(line.number, { rejected: ERASED });
    }
  }

  async function record({ batch, results }: { batch: Batch; results: Results }): Promise<boolean> {
    await withdrawErased(batch, results);
    for (let attempt = 0; attempt < MAX_COMMITS; attempt += 1) {
      const { outcome, rejected } = outcomeOf(batch, results, settings.invalid === 'abort');
      await rejects.add(importId, appId, rejected, known.counters.rejected);
      if (await store.commit(known, outcome)) {
        known.position = outcome.position;
        known.counters = { ...known.counters, rejected: known.counters.rejected + rejected.length };
        return outcome.end === undefined;
      }
      const current = await store.running(importId);
      const isOwn = current?.runner?.equals(runner) && current.position?.offset === known.position.offset;
      if (!current || !isOwn || current.excluded.length === known.excluded.length) throw new RunIsOver();
      // A person was erased meanwhile.
      known = { ...known, excluded: current.excluded };
      await rejects.removeFrom(importId, known.position.line);
      await withdrawErased(batch, results);
    }
    throw new Unavailable();
  }

  return {
    /**
     * Applies the next batch; resolves with whether lines are left.
     *
     * @param checkOwner throws when another server runs the job
     * @throws {AppIsGone} @throws {RunIsOver}
     */
    async step(maxLines: number, checkOwner: () => void): Promise<boolean> {
      const batch = next ?? (await collect(maxLines));
      next = undefined;
      const done = applied(batch, checkOwner).then(record);
      const [hasMore, following] = await Promise.all([done, batch.isLast ? undefined : collect(maxLines)]);
      next = following;
      return hasMore;
    },

    /** Ends the import, because it cannot go on. */
    fail: (reason: string): Promise<void> => store.fail(known, reason),
  };
}

type Results = Map<number, LineResult>;

/** Whether what a line becomes is the same under two leases. */
function isSameState(one: Lease, other: Lease): boolean {
  return (
    one.schemaId === other.schemaId &&
    isSameSlots(one.app.slots, other.app.slots) &&
    one.app.form?.timeZone === other.app.form?.timeZone &&
    one.app.hasConsumers === other.app.hasConsumers
  );
}

/** The lines before the first one that names no person: that one ends the import. */
function linesBeforeUnreadable({ entries }: Batch, lines: readonly BatchLine[]): readonly BatchLine[] {
  const first = entries.find(({ checked }) => checked.email === undefined);
  return first ? lines.filter(({ number }) => number < first.line.number) : lines;
}

/** Counts the results of a batch. */
function outcomeOf({ entries, end, isLast }: Batch, results: Results, aborts: boolean) {
  const counters = noCounts();
  const outcome: BatchOutcome = { counters, errors: [], position: end, ...(isLast && { end: 'completed' }) };
  const rejected = [];
  for (const { line, checked } of entries) {
    const isUnread = checked.email === undefined && outcome.end !== 'aborted';
    const result = isUnread ? { rejected: checked.refusal ?? '' } : results.get(line.number);
    if (result === undefined) continue;
    counters.read += 1;
    if (!isRejected(result)) {
      counters[result] += 1;
      continue;
    }
    counters.rejected += 1;
    const { number, text } = line;
    // What says why keeps nothing of a person who was erased.
    const isErased = result.rejected === ERASED || result.rejected === SUPPRESSED;
    rejected.push({ line: number, reason: result.rejected, ...(!isErased && { email: checked.email, text }) });
    outcome.errors.push({ line: number, message: result.rejected });
    if (aborts) outcome.end = 'aborted';
  }
  outcome.errors = outcome.errors.slice(0, 20);
  return { outcome, rejected };
}
