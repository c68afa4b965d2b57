import { Readable } from 'node:stream';
import { Binary, type ObjectId } from 'mongodb';
import { insertGuarded, insertTarget } from '../../platform/database/guarded-insert.ts';
import { type RemovalGuard, removeInSteps, removeSome } from '../../platform/database/removal.ts';
import { cell } from '../exports/cell-text.ts';
import { exclusionKeyFor, KEEP_IMPORT_MS, type RunningImport, whileRunBy } from './import-documents.ts';
import type { ImportCollection, ImportDocument, Omission, RejectCollection, RejectDocument } from './imports.model.ts';

const IMPORT_BYTES = 12;
const LINE_BYTES = 6;
/** More than the ids of rejected lines have: MongoDB orders binary values by their length first. */
const ID_BYTES = IMPORT_BYTES + 1 + 16;
const BATCH_SIZE = 100;
/** The size of a note without its texts. */
const OVERHEAD_BYTES = 300;

/** What a note is about: the omitted values of a line, or a person whom a dry run would create. */
const OMISSIONS = 1;
const PERSON = 2;
const ALL = { first: 0, last: 0xff };

/** A run, and what identifies persons in the notes of its import. */
export type NotingRun = RunningImport & Pick<ImportDocument, 'appId' | 'exclusionKey'>;

export type LineNotes = ReturnType<typeof createLineNotes>;

/** What an import keeps of lines that it applied, beside the rejected ones in one collection. */
export function createLineNotes(notes: RejectCollection, imports: ImportCollection) {
  const target = insertTarget(notes);

  const rangeOf = (importId: ObjectId, { first, last } = ALL, fromLine = 0) => ({
    _id: { $gte: noteId(importId, first, lineBytes(fromLine)), $lte: noteId(importId, last, Buffer.alloc(16, 0xff)) },
  });
  const omissions = { first: OMISSIONS, last: OMISSIONS };
  const persons = { first: PERSON, last: PERSON };

  function noteOf(run: NotingRun, line: number, _id: Binary): RejectDocument {
    const at = new Date();
    const expiresAt = new Date(at.getTime() + KEEP_IMPORT_MS);
    return { _id, appId: run.appId, at, expiresAt, run: run.runner, line };
  }

  const insert = (run: NotingRun, documents: readonly RejectDocument[]): Promise<void> =>
    insertGuarded({ collection: imports, filter: whileRunBy(run) }, target, documents, sizeOf, 'replace');

  const personId = (run: NotingRun, email: string): Binary =>
    noteId(run._id, PERSON, Buffer.from(exclusionKeyFor(run, email).buffer));

  return {
    /** Stores which values lines were applied without, if the run may still write. */
    async addOmissions(run: NotingRun, all: readonly Omission[]): Promise<void> {
      const byLine = new Map<number, Omission[]>();
      for (const one of all) byLine.set(one.line, [...(byLine.get(one.line) ?? []), one]);
      const documents = [...byLine].map(([line, omitted]): RejectDocument => {
        const _id = noteId(run._id, OMISSIONS, lineBytes(line));
        return { ...noteOf(run, line, _id), omitted };
      });
      await insert(run, documents);
    },

    async *omissionsOf(importId: ObjectId, beforeLine: number): AsyncGenerator<Omission> {
      const options = { batchSize: BATCH_SIZE, sort: { _id: 1 } } as const;
      for await (const { line, omitted = [] } of notes.find(rangeOf(importId, omissions), options)) {
        if (line >= beforeLine) return;
        yield* omitted;
      }
    },

    /** Removes the omissions of a run, and of earlier runs, from a line on. */
    removeOmissionsFrom: ({ _id, runner }: Pick<RunningImport, '_id' | 'runner'>, line: number): Promise<number> =>
      removeInSteps(notes, { ...rangeOf(_id, omissions, line), run: { $not: { $gt: runner } } }),

    /** Resolves with the line of each person whom an earlier line of the dry run would create. */
    async linesOfPersons(run: NotingRun, emails: readonly string[]): Promise<Map<string, number>> {
      const byId = new Map(emails.map((email) => [personId(run, email).toString('hex'), email]));
      const ids = [...byId.keys()].map((id) => new Binary(Buffer.from(id, 'hex')));
      const options = { projection: { line: 1 }, hint: { _id: 1 } } as const;
      const found = await notes.find({ _id: { $in: ids } }, options).toArray();
      return new Map(found.map(({ _id, line }) => [byId.get(_id.toString('hex')) ?? '', line]));
    },

    /** Keeps hashes of the persons whom these lines would create. */
    addPersons: (run: NotingRun, lines: readonly { number: number; email: string }[]): Promise<void> =>
      insert(
        run,
        lines.map(({ number, email }) => noteOf(run, number, personId(run, email))),
      ),

    /** Resolves with whether none of the persons of a dry run is left. */
    removePersons: (importId: ObjectId, forMs: number, guard: RemovalGuard): Promise<boolean> =>
      removeSome(notes, rangeOf(importId, persons), forMs, guard),

    /** Resolves with whether no note is left. */
    removeSome: (importId: ObjectId, forMs: number, guard: RemovalGuard): Promise<boolean> =>
      removeSome(notes, rangeOf(importId), forMs, guard),
  };
}

function sizeOf({ omitted = [] }: RejectDocument): number {
  return OVERHEAD_BYTES + omitted.reduce((sum, { path, message }) => sum + 3 * (path.length + message.length), 0);
}

function lineBytes(line: number): Buffer {
  const bytes = Buffer.alloc(LINE_BYTES);
  bytes.writeUIntBE(line, 0, LINE_BYTES);
  return bytes;
}

function noteId(importId: ObjectId, kind: number, of: Uint8Array): Binary {
  const id = Buffer.alloc(ID_BYTES);
  id.set(importId.id);
  id[IMPORT_BYTES] = kind;
  id.set(of, IMPORT_BYTES + 1);
  return new Binary(id);
}

const ROW_END = '\r\n';

/** Writes the omitted values as CSV: the line, the path and the reason of each. */
export function omissionsAsCsv(omissions: AsyncIterable<Omission>): Readable {
  async function* rows(): AsyncGenerator<string> {
    yield `line,path,message${ROW_END}`;
    for await (const { line, path, message } of omissions) yield `${line},${cell(path)},${cell(message)}${ROW_END}`;
  }
  return Readable.from(rows(), { objectMode: false, highWaterMark: 64 * 1024 });
}
