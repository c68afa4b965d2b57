import { mongo, type Types } from 'mongoose';
import { KEEP_IMPORT_MS, type RunningImport, whileRunBy } from '../import-store.ts';
import type { ImportCollection, RejectCollection, RejectDocument } from '../imports.model.ts';
import { insertWhile, targetOf } from '../insert-while.ts';
import { removeInSteps, removeSome } from '../removal.ts';
import { emailsIn } from './emails-in.ts';

const ID_BYTES = 12;
const LINE_BYTES = 6;
/** The longest line whose text is kept. */
const MAX_ROW_LENGTH = 16 * 1024;
const BATCH_SIZE = 100;
/** The bytes of a rejected line beside its text and the emails in it. */
const OVERHEAD_BYTES = 300;
const BYTES_OF_CHARACTER = 3;

/** A line that was not applied. */
export interface Reject {
  line: number;
  reason: string;
  email?: string | undefined;
  text?: string | undefined;
}

export type RejectStore = ReturnType<typeof createRejectStore>;

/** The rejected lines of imports. */
export function createRejectStore(rejects: RejectCollection, imports: ImportCollection) {
  const target = targetOf(rejects);
  const ofImport = (importId: Types.ObjectId, fromLine = 0) => ({
    _id: { $gte: idOf(importId, fromLine), $lte: idOf(importId, 2 ** (8 * LINE_BYTES) - 1) },
  });

  return {
    /** Stores rejected lines, none of which is stored, if the run may still write. */
    async add(run: RunningImport, appId: Types.ObjectId, lines: readonly Reject[]): Promise<void> {
      const at = new Date();
      const expiresAt = new Date(at.getTime() + KEEP_IMPORT_MS);
      const documents = lines.map(
        ({ line, reason, email, text }): RejectDocument => ({
          ...{ _id: idOf(run._id, line), appId, at, expiresAt, run: run.runner, line, reason },
          ...textOf(text, email),
        }),
      );
      await insertWhile(imports, whileRunBy(run), target, documents, bytesOf);
    },

    /** Yields the rejected lines of an import before a line, in their order. */
    async *of(importId: Types.ObjectId, beforeLine: number): AsyncGenerator<RejectDocument> {
      const options = { batchSize: BATCH_SIZE, sort: { _id: 1 } } as const;
      for await (const reject of rejects.find(ofImport(importId), options)) {
        if (reject.line >= beforeLine) return;
        yield reject;
      }
    },

    /** Removes the rejected lines of a run, and of those before it, from a line on. */
    removeFrom: ({ _id, runner }: Pick<RunningImport, '_id' | 'runner'>, line: number): Promise<number> =>
      removeInSteps(rejects, { ...ofImport(_id, line), run: { $not: { $gt: runner } } }),

    /** Removes some; resolves with whether none is left. */
    removeSome: (importId: Types.ObjectId, forMs: number): Promise<boolean> =>
      removeSome(rejects, ofImport(importId), forMs),
  };
}

/**
 * The text of a line with all emails in it, by which an erasure finds it. A line that cannot be
 * read has no email of its own. A text with too many emails is not kept.
 */
function textOf(text: string | undefined, email: string | undefined): Pick<RejectDocument, 'email' | 'row'> {
  const found = text !== undefined && text.length <= MAX_ROW_LENGTH ? emailsIn(text) : undefined;
  const emails = new Set([...(email === undefined ? [] : [email]), ...(found ?? [])]);
  return { ...(emails.size > 0 && { email: [...emails] }), ...(found && text !== undefined && { row: text }) };
}

function bytesOf({ row = '', reason, email = [] }: RejectDocument): number {
  const characters = row.length + reason.length + email.reduce((sum, one) => sum + one.length, 0);
  return OVERHEAD_BYTES + characters * BYTES_OF_CHARACTER;
}

/** The id of a rejected line: MongoDB orders binary values of one length bytewise. */
function idOf(importId: Types.ObjectId, line: number): mongo.Binary {
  const id = Buffer.alloc(ID_BYTES + LINE_BYTES);
  id.set(importId.id);
  id.writeUIntBE(line, ID_BYTES, LINE_BYTES);
  return new mongo.Binary(id);
}

/** The import of a rejected line. */
export function importOf({ _id }: RejectDocument): string {
  return Buffer.from(_id.buffer).subarray(0, ID_BYTES).toString('hex');
}
