import { Readable } from 'node:stream';
import { Binary, type ObjectId } from 'mongodb';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { insertGuarded, insertTarget } from '../../platform/database/guarded-insert.ts';
import { type RemovalGuard, removeInSteps, removeSome } from '../../platform/database/removal.ts';
import { cell, plainText } from '../exports/cell-text.ts';
import { fileColumns, rejectColumns } from './column-names.ts';
import { keysIn } from './columns.ts';
import { splitCells } from './csv-cells.ts';
import { fitsHeader } from './csv-records.ts';
import { KEEP_IMPORT_MS, type RunningImport, whileRunBy } from './import-documents.ts';
import type { ImportCollection, ImportDocument, RejectCollection, RejectDocument } from './imports.model.ts';

const ID_BYTES = 12;
const LINE_BYTES = 6;
const MAX_ROW_LENGTH = 16 * 1024;
const BATCH_SIZE = 100;
/** The size of a rejected line without its text and emails. */
const OVERHEAD_BYTES = 300;
const BYTES_OF_CHARACTER = 3;

export interface Reject {
  line: number;
  reason: string;
  email?: string | undefined;
  text?: string | undefined;
}

export type RejectStore = ReturnType<typeof createRejectStore>;

/** The rejected lines of imports. */
export function createRejectStore(rejects: RejectCollection, imports: ImportCollection) {
  const target = insertTarget(rejects);
  const ofImport = (importId: ObjectId, fromLine = 0) => ({
    _id: { $gte: rejectId(importId, fromLine), $lte: rejectId(importId, 2 ** (8 * LINE_BYTES) - 1) },
  });

  return {
    /** Stores rejected lines if the run may still write. */
    async add(run: RunningImport, appId: ObjectId, lines: readonly Reject[]): Promise<void> {
      const at = new Date();
      const expiresAt = new Date(at.getTime() + KEEP_IMPORT_MS);
      const documents = lines.map(
        ({ line, reason, email, text }): RejectDocument => ({
          _id: rejectId(run._id, line),
          appId,
          at,
          expiresAt,
          run: run.runner,
          line,
          reason,
          ...rejectText(text, email),
        }),
      );
      await insertGuarded({ collection: imports, filter: whileRunBy(run) }, target, documents, rejectBytes);
    },

    async *of(importId: ObjectId, beforeLine: number): AsyncGenerator<RejectDocument> {
      const options = { batchSize: BATCH_SIZE, sort: { _id: 1 } } as const;
      for await (const reject of rejects.find(ofImport(importId), options)) {
        if (reject.line >= beforeLine) return;
        yield reject;
      }
    },

    /** Removes the rejected lines of a run, and of earlier runs, from a line on. */
    removeFrom: ({ _id, runner }: Pick<RunningImport, '_id' | 'runner'>, line: number): Promise<number> =>
      removeInSteps(rejects, { ...ofImport(_id, line), run: { $not: { $gt: runner } } }),

    /** Resolves with whether none is left. */
    removeSome: (importId: ObjectId, forMs: number, guard: RemovalGuard): Promise<boolean> =>
      removeSome(rejects, ofImport(importId), forMs, guard),
  };
}

/** A line and its emails, by which an erasure finds it. Without text if these are too many. */
function rejectText(text: string | undefined, email: string | undefined): Pick<RejectDocument, 'email' | 'row'> {
  const found = text !== undefined && text.length <= MAX_ROW_LENGTH ? emailsIn(text) : undefined;
  const emails = new Set([...(email === undefined ? [] : [email]), ...(found ?? [])]);
  return { ...(emails.size > 0 && { email: [...emails] }), ...(found && text !== undefined && { row: text }) };
}

function rejectBytes({ row = '', reason = '', email = [] }: RejectDocument): number {
  const characters = row.length + reason.length + email.reduce((sum, one) => sum + one.length, 0);
  return OVERHEAD_BYTES + characters * BYTES_OF_CHARACTER;
}

/** MongoDB orders binary values of one length bytewise. */
function rejectId(importId: ObjectId, line: number): Binary {
  const id = Buffer.alloc(ID_BYTES + LINE_BYTES);
  id.set(importId.id);
  id.writeUIntBE(line, ID_BYTES, LINE_BYTES);
  return new Binary(id);
}

/** The import of a rejected line. */
export function importOf({ _id }: RejectDocument): string {
  return Buffer.from(_id.buffer).subarray(0, ID_BYTES).toString('hex');
}

const ROW_END = '\r\n';

/**
 * Writes rejected lines as CSV: the number, the reason, and the columns of the file, so that they
 * can be imported again. A line with more cells is in the first column as it is.
 */
export function rejectsAsCsv(
  { settings, layout }: Pick<ImportDocument, 'settings' | 'layout'>,
  rejects: AsyncIterable<RejectDocument>,
): Readable {
  const isCsv = settings.format !== 'ndjson' && layout !== undefined;
  const header = isCsv ? layout.columns : ['text'];
  // Without those of an earlier file of rejected lines.
  const { names: columns, skipped } = isCsv ? fileColumns(header, keysIn(settings)) : { names: header, skipped: 0 };

  function rejectRow({ line, reason = '', row = '' }: RejectDocument): string {
    const cells = isCsv ? splitCells(row, layout.delimiter) : [row];
    const isRead = isCsv && fitsHeader(cells, header.length);
    // Without the apostrophes of the file, before which others would be written.
    const values = isRead ? cells.slice(skipped, header.length).map(plainText) : [row];
    return [String(line), reason, ...values].map(cell).join(',') + ROW_END;
  }

  async function* rows(): AsyncGenerator<string> {
    yield [...rejectColumns(columns), ...columns].map(cell).join(',') + ROW_END;
    for await (const reject of rejects) yield rejectRow(reject);
  }
  return Readable.from(rows(), { objectMode: false, highWaterMark: 64 * 1024 });
}

const MAX_LOCAL_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 255;
/** A text with more is not searched. */
const MAX_EMAILS = 100;

// biome-ignore lint/plugin: of at most 64 characters
const LOCAL_END = /[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+$/;
const DOMAIN_START = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*/;
/** Characters that may begin an email, but usually separate it: a quote or a delimiter. */
const SEPARATORS = /['|]/;

/** All possible emails of a text, normalized: `'ada@example.com` has two. Undefined: too many. */
export function emailsIn(text: string): Set<string> | undefined {
  const emails = new Set<string>();
  let count = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    count += 1;
    if (count > MAX_EMAILS) return undefined;
    const [local = ''] = LOCAL_END.exec(text.slice(Math.max(0, at - MAX_LOCAL_LENGTH), at)) ?? [];
    const [domain = ''] = DOMAIN_START.exec(text.slice(at + 1, at + 1 + MAX_DOMAIN_LENGTH)) ?? [];
    const parts = local.split(SEPARATORS);
    for (const index of parts.keys()) {
      // Each separator has one character.
      const length = parts.slice(index).join(' ').length;
      const email = normalizeEmail(`${local.slice(local.length - length)}@${domain}`);
      if (email !== undefined) emails.add(email);
    }
  }
  return emails;
}
