import type { Readable } from 'node:stream';
import type { ObjectId } from 'mongodb';
import type { ScopedApp } from '../../core/api/principal.ts';
import type { Lease, SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { AppNotFound, Conflict, InvalidInput, NotFound } from '../../platform/core/errors.ts';
import type { Until } from '../../platform/database/clock.ts';
import { findAny } from '../../platform/database/lookups.ts';
import { parseObjectId } from '../../platform/database/ordered-ids.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { HistoryAuthor } from '../history/history-entries.ts';
import type { Archives } from './archive.ts';
import { headerIssues, mapIssues } from './columns.ts';
import type { ContentStore } from './content.ts';
import { fileProblem } from './file-encoding.ts';
import type { ImportStore } from './import-documents.ts';
import type { ImportRequest } from './import-settings.ts';
import type { ImportDocument, ImportSettings } from './imports.model.ts';
import { type LineNotes, omissionsAsCsv } from './line-notes.ts';
import { readLayout } from './line-reader.ts';
import { type RejectStore, rejectsAsCsv } from './rejects.ts';
import type { UndoneImport, UndoStore } from './undo-documents.ts';
import type { ImportUploads, UploadOptions } from './upload.ts';

const MAX_UNFINISHED = 10;
const MAX_LISTED = 50;

export type ImportService = ReturnType<typeof createImportService>;

/** The rules of imports (spec 4.7). */
export function createImportService(deps: {
  store: ImportStore;
  content: ContentStore;
  uploads: ImportUploads;
  rejects: RejectStore;
  notes: Pick<LineNotes, 'omissionsOf'>;
  leases: Pick<SchemaLeases, 'hold'>;
  archives: Pick<Archives, 'open'>;
  undos: Pick<UndoStore, 'begin'>;
  wake(): void;
  wakeUndo(): void;
}) {
  const { store, content, uploads, rejects, notes, leases, archives, undos, wake, wakeUndo } = deps;

  async function leaseOn(app: ScopedApp): Promise<Lease> {
    const lease = await leases.hold(app.sourceAppId);
    if (!lease?.app.id.equals(app.id)) throw new AppNotFound();
    return lease;
  }

  async function get(app: ScopedApp, id: string): Promise<ImportDocument> {
    const found = await store.find(app.id, parseImportId(id));
    if (!found) throw new NotFound('importNotFound');
    return found;
  }

  return {
    /**
     * @throws {InvalidInput} when `map` has an unknown path
     * @throws {Conflict} when the app has too many unfinished imports
     */
    async create(app: ScopedApp, { map, columns, ...request }: ImportRequest): Promise<string> {
      const settings: ImportSettings = {
        ...request,
        ...(map && { map: Object.entries(map) }),
        ...(columns && { columns: Object.entries(columns).map(([column, one]) => ({ column, ...one })) }),
      };
      const { schema } = await leaseOn(app);
      const issues = mapIssues(settings.map, { ...schema, format: settings.format });
      if (issues.length > 0) throw new InvalidInput('invalidImport', issues);
      if ((await store.unfinished(app.id, MAX_UNFINISHED)) >= MAX_UNFINISHED) {
        throw new Conflict(say('importLimit', { max: MAX_UNFINISHED }));
      }
      return (await store.create(app, settings))._id.toHexString();
    },

    /** Resolves with the number of received bytes. @throws {AppError} as `Uploads.write` */
    receive: (
      app: ScopedApp,
      id: string,
      from: number | undefined,
      source: AsyncIterable<Buffer>,
      options: UploadOptions = {},
    ): Promise<number> => uploads.write(app.id, parseImportId(id), from, source, options),

    /**
     * @throws {InvalidInput} when the file cannot be read, or lacks a column of `map`
     * @throws {Conflict} when the import was started, or its file is being received
     */
    async start(app: ScopedApp, id: string): Promise<void> {
      const found = await get(app, id);
      if (found.state !== 'uploading') throw new Conflict('importStarted');
      const { settings, chunks, received } = found;
      const { format } = settings;
      if (received === 0) throw new InvalidInput('fileEmpty');
      if (format === 'zip') await refuseSpreadsheet(content.readFrom(chunks, 0, received));
      const archive = format === 'zip' ? await archives.open(found) : undefined;
      const readFrom = archive?.linesFrom ?? ((offset: number) => content.readFrom(chunks, offset, received));
      const { layout: ofLines, position } = await readLayout(readFrom, settings);
      const layout = archive ? { ...ofLines, size: archive.size } : ofLines;
      await leaseOn(app);
      const issues = format === 'ndjson' ? [] : headerIssues(settings, layout.columns);
      if (issues.length > 0) throw new InvalidInput('columnsMissing', issues);
      const expiresAt = await store.start(found, layout, position);
      if (!expiresAt) throw new Conflict('importReceiving');
      await content.prolong(found._id, expiresAt);
      wake();
    },

    get,

    hasWork: (): Promise<boolean> => findAny([store.anyWork]),

    list: (app: ScopedApp): Promise<ImportDocument[]> => store.list(app.id, MAX_LISTED),

    async rejectsOf(app: ScopedApp, id: string): Promise<Readable> {
      const found = await get(app, id);
      return rejectsAsCsv(found, rejects.of(found._id, found.position?.line ?? 0));
    },

    async omissionsOf(app: ScopedApp, id: string): Promise<Readable> {
      const found = await get(app, id);
      return omissionsAsCsv(notes.omissionsOf(found._id, found.position?.line ?? 0));
    },

    /** Begins to undo what an import wrote. @throws {NotFound} @throws {Conflict} as `UndoStore` */
    async undo(app: ScopedApp, id: string, by: HistoryAuthor, until: Until): Promise<UndoneImport> {
      const undone = await undos.begin(app.id, parseImportId(id), by, until);
      wakeUndo();
      return undone;
    },

    /** The records that it wrote remain. @throws {NotFound} */
    async remove(app: ScopedApp, id: string): Promise<void> {
      if (!(await store.markDeleted(app.id, parseImportId(id)))) throw new NotFound('importNotFound');
      wake();
    },
  };
}

/** @throws {InvalidInput} when an archive is the file of a spreadsheet */
async function refuseSpreadsheet(blocks: AsyncIterable<Buffer>): Promise<void> {
  for await (const block of blocks) {
    const refusal = fileProblem(block);
    if (refusal === 'fileIsSpreadsheet') throw new InvalidInput(refusal);
    return;
  }
}

/** @throws {NotFound} for a text that is not an id */
function parseImportId(text: string): ObjectId {
  const id = parseObjectId(text);
  if (!id) throw new NotFound('importNotFound');
  return id;
}
