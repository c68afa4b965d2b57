import type { ObjectId } from 'mongodb';
import type { RecordId } from '../../core/users/users.model.ts';
import { Conflict, NotFound, Unavailable } from '../../platform/core/errors.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import { changing, typedFilter } from '../../platform/database/filters.ts';
import { LATE_WRITE_ENDS_MS } from '../../platform/database/lateness.ts';
import { lookup } from '../../platform/database/lookups.ts';
import { firstOfEachApp } from '../../platform/jobs/turn-job.ts';
import type { HistoryAuthor } from '../history/history-entries.ts';
import type { UndoCounts } from '../records/import-undo.ts';
import { KEEP_IMPORT_MS } from './import-documents.ts';
import type { ImportCollection, ImportDocument, UndoBatch } from './imports.model.ts';

const MAX_RUNNING = 1_000;

export type UndoneImport = ImportDocument & { undo: NonNullable<ImportDocument['undo']> };

type ImportState = ImportDocument['state'];
const ENDED: ImportState[] = ['completed', 'aborted', 'failed'];
const RUNNING = { 'undo.state': 'running', state: { $ne: 'deleting' } } as const;

/** Matches an import while this run of its undo may write: their number only grows. */
const whileRunBy = ({ _id, undo: { runner } }: UndoneImport) => ({ _id, ...RUNNING, 'undo.runner': runner });

export type UndoStore = ReturnType<typeof createUndoStore>;

/** The undos of imports. @param now returns the time from which MongoDB keeps the import */
export function createUndoStore(imports: ImportCollection, now: () => Date) {
  const newExpiry = (): Date => new Date(now().getTime() + KEEP_IMPORT_MS);

  async function update(filter: object, change: Parameters<typeof changing<ImportDocument>>[0]) {
    const options = { returnDocument: 'after', projection: { chunks: 0, excluded: 0, searched: 0 } } as const;
    const updated = await imports.findOneAndUpdate(filter, changing<ImportDocument>(change), options);
    return (updated as UndoneImport | null) ?? undefined;
  }

  return {
    /**
     * Begins the undo of an import that has ended, and prolongs its expiry.
     * @throws {NotFound} @throws {Conflict} unless it ended within 30 days, and for a second undo
     */
    async begin(appId: ObjectId, _id: ObjectId, by: HistoryAuthor, until: Until): Promise<UndoneImport> {
      const found = await imports.findOne({ _id, appId, state: { $ne: 'deleting' } });
      if (!found) throw new NotFound('importNotFound');
      const { state, endedAt, runner, settings } = found;
      const endedMs = endedAt ? now().getTime() - endedAt.getTime() : 0;
      // A run that was ended by the erasure of a person may still write its last batch.
      const isWriting = runner !== undefined && endedMs < LATE_WRITE_ENDS_MS;
      if (!ENDED.includes(state) || !endedAt || isWriting) throw new Conflict('importNotEnded');
      if (found.undo) throw new Conflict('importUndone');
      if (settings.dryRun) throw new Conflict('importDryRun');
      if (endedMs >= KEEP_IMPORT_MS) throw new Conflict('importTooOld');
      const unchanged = { _id, appId, state, undo: { $exists: false }, ...beginsBefore(await until()) };
      const undo = {
        state: 'running',
        by,
        startedAt: new Date(),
        restored: 0,
        erased: 0,
        kept: 0,
        runner: 0,
      };
      const begun = await update(unchanged, { $set: { undo, expiresAt: newExpiry() } });
      if (begun) return begun;
      const isUndone = { _id, undo: { $exists: true } };
      throw (await imports.findOne(isUndone, { projection: { _id: 1 } }))
        ? new Conflict('importUndone')
        : new Unavailable();
    },

    /** Looks for an undo that runs. */
    anyRunning: lookup(imports, typedFilter<ImportDocument>({ 'undo.state': 'running' })),

    /** The undos to run: of each app the one that was begun first. */
    async heads(): Promise<UndoneImport[]> {
      const options = {
        projection: { appId: 1, undo: 1 },
        sort: { 'undo.startedAt': 1 },
        limit: MAX_RUNNING,
      } as const;
      const found = await imports.find(typedFilter<ImportDocument>(RUNNING), options).toArray();
      return firstOfEachApp(found as UndoneImport[]);
    },

    /** Starts a run, from now on the only one that may write; undefined: another one has begun. */
    claim: (head: UndoneImport): Promise<UndoneImport | undefined> =>
      update(whileRunBy(head), { $inc: { 'undo.runner': 1 } }),

    /** Stores which records a batch concerns, before it writes; undefined: the run is over. */
    beginBatch: (one: UndoneImport, batch: UndoBatch): Promise<UndoneImport | undefined> =>
      update(whileRunBy(one), { $set: { 'undo.batch': batch } }),

    /** Adds the results of a batch; undefined: the run is over, and they do not count. */
    commit: (one: UndoneImport, counts: UndoCounts, position: RecordId): Promise<UndoneImport | undefined> =>
      update(whileRunBy(one), {
        $inc: Object.fromEntries(Object.entries(counts).map(([name, count]) => [`undo.${name}`, count])),
        $set: { 'undo.position': position },
        $unset: { 'undo.batch': 1 },
      }),

    /** Ends an undo. */
    async end(one: UndoneImport): Promise<void> {
      const ended = { 'undo.state': 'completed', expiresAt: newExpiry() };
      await update(whileRunBy(one), { $set: ended, $unset: { 'undo.position': 1 } });
    },
  };
}
