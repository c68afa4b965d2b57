import { Binary, ObjectId, UUID } from 'mongodb';
import type { Connection } from '../../platform/database/client.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { createModel, type DocumentOf, only, schema, schemaOf } from '../../platform/database/mongoose.ts';
import { authorSchema } from '../history/history-entries.ts';
import type { ColumnSettings, ImportRequest } from './import-settings.ts';

/** `running` includes waiting for an earlier import; `aborted`: by a rejected line. */
export const IMPORT_STATES = ['uploading', 'running', 'completed', 'aborted', 'failed'] as const;

export interface ImportSettings extends Omit<ImportRequest, 'map' | 'columns'> {
  /** By column: `email` or `data.<key>`. Absent: by the names of the columns. */
  map?: [column: string, path: string][];
  columns?: StoredColumnSettings[];
}

/** The settings of a column, which its name or its place names. */
interface StoredColumnSettings extends ColumnSettings {
  column: string;
}

/** The processed bytes of the file; of an archive, the share that the processed lines are. */
export function processedBytes({ position, layout, received }: ImportDocument): number {
  const { offset = 0 } = position ?? {};
  return layout?.size ? Math.floor((offset / layout.size) * received) : offset;
}

const columnSettingsSchema = schemaOf<StoredColumnSettings>({
  column: { type: String, required: true },
  dateFormat: String,
  timeZone: String,
  decimal: String,
  separator: String,
  empty: [String],
  true: [String],
  false: [String],
});

const settingsSchema = schemaOf<ImportSettings>({
  format: { type: String, required: true },
  mode: { type: String, required: true },
  arrays: { type: String, required: true },
  invalid: { type: String, required: true },
  invalidValues: String,
  columns: [columnSettingsSchema],
  // Pairs of a column and its path.
  map: [[String]],
  delimiter: String,
  decimal: { type: String, required: true },
  dateFormat: String,
  timeZone: String,
  dryRun: { type: Boolean, required: true },
  fileName: String,
});

/** How the file is read; known when the import starts. */
const layoutSchema = schema({
  encoding: { type: only<'utf-8' | 'utf-16le' | 'utf-16be'>(String), required: true },
  /** Empty for NDJSON. */
  columns: { type: [String], required: true },
  delimiter: { type: String, required: true },
  /** The byte that ends a line: LF or, in files without LF, CR. */
  newline: { type: Number, required: true },
  /** The bytes of the lines of an archive. */
  size: Number,
});
export type ImportLayout = DocumentOf<typeof layoutSchema>;

const positionSchema = schema({
  offset: { type: Number, required: true },
  /** From 1. */
  line: { type: Number, required: true },
});
export type FilePosition = DocumentOf<typeof positionSchema>;

const countersSchema = schema({
  read: { type: Number, required: true },
  created: { type: Number, required: true },
  updated: { type: Number, required: true },
  unchanged: { type: Number, required: true },
  rejected: { type: Number, required: true },
  /** The values that lines were applied without. */
  omitted: Number,
});
export type Counters = DocumentOf<typeof countersSchema>;

/** A value of a line that was left out. */
const omissionSchema = schema({
  line: { type: Number, required: true },
  path: { type: String, required: true },
  message: { type: String, required: true },
});
export type Omission = DocumentOf<typeof omissionSchema>;

/** How far the erasure of a person has searched a file; a repeat goes on from there. */
const searchedSchema = schema({
  /** A hash of the email, as in `excluded`. */
  person: { type: Binary, required: true },
  /** The first chunk: another one is another file. */
  first: { type: ObjectId, required: true },
  /** The bytes before it do not contain the email. */
  clean: { type: Number, required: true },
  /** Where a record begins, from which the search for records goes on. */
  record: { type: Number, required: true },
});
export type SearchedFile = DocumentOf<typeof searchedSchema>;

export const UNDO_STATES = ['running', 'completed'] as const;

/** The records of a batch of an undo that has begun. */
const undoBatchSchema = schema({
  /** The last record of the batch. */
  end: { type: UUID, required: true },
  /** Its records that the import created: those that do not exist any more were erased. */
  created: { type: [UUID], required: true },
});
export type UndoBatch = DocumentOf<typeof undoBatchSchema>;

/** The undo of an import: a pass over the records of the app, newest first. */
const undoSchema = schema({
  state: { type: String, required: true, enum: UNDO_STATES },
  by: { type: authorSchema, required: true },
  startedAt: { type: Date, required: true },
  restored: { type: Number, required: true },
  erased: { type: Number, required: true },
  kept: { type: Number, required: true },
  /** The last record that was passed. */
  position: UUID,
  /** Set before the first write of a batch, and removed with its results. */
  batch: undoBatchSchema,
  /** The run that may write. */
  runner: { type: Number, required: true },
});

/** Spec 4.7. */
const importSchema = schema(
  {
    _id: { type: ObjectId, required: true },
    appId: { type: ObjectId, required: true },
    sourceAppId: { type: String, required: true },
    settings: { type: settingsSchema, required: true },
    state: { type: only<(typeof IMPORT_STATES)[number] | 'deleting'>(String), required: true },
    createdAt: { type: Date, required: true },
    startedAt: Date,
    endedAt: Date,
    expiresAt: { type: Date, required: true },
    received: { type: Number, required: true },
    /** Each of `CHUNK_BYTES` except the last. Others are not part of the file. */
    chunks: { type: [ObjectId], required: true },
    /** Identifies the request that may write the file. Erasures remove it. */
    upload: ObjectId,
    layout: layoutSchema,
    /** The first line that is not processed. */
    position: positionSchema,
    counters: { type: countersSchema, required: true },
    firstErrors: {
      type: [schema({ line: { type: Number, required: true }, message: { type: String, required: true } })],
      required: true,
    },
    firstOmissions: [omissionSchema],
    failure: String,
    /** The number of runs; each run has its own number. */
    runs: Number,
    /** The run that may write. Each run removes it when it ends without writes in flight. */
    runner: Number,
    /** Set after the end or the deletion, until unnecessary data is removed. */
    cleanup: only<true>(Boolean),
    /** Hashes of the emails that were erased since the import was created. */
    excluded: { type: [Binary], required: true },
    exclusionKey: { type: Binary, required: true },
    searched: [searchedSchema],
    undo: undoSchema,
  },
  { collection: 'imports', placement: 'grows with imported files only' },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ cleanup: 1 }, { sparse: true })
  .index({ appId: 1, _id: -1 })
  .index({ state: 1, startedAt: 1 })
  .index({ 'undo.state': 1, 'undo.startedAt': 1 }, { sparse: true });
export type ImportDocument = DocumentOf<typeof importSchema>;

const chunkSchema = schema(
  {
    _id: { type: ObjectId, required: true },
    appId: { type: ObjectId, required: true },
    importId: { type: ObjectId, required: true },
    at: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    /** May have more bytes than the import has received when it is not full. */
    bytes: { type: Binary, required: true },
    size: { type: Number, required: true },
    version: Number,
  },
  { collection: 'import_chunks', placement: 'exists while a file is imported' },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ appId: 1, at: 1 })
  // The ids of the chunks of an import, and their sizes, without reading the chunks.
  .index({ importId: 1, _id: 1 })
  .index({ appId: 1, importId: 1, size: 1 });
export type ChunkDocument = DocumentOf<typeof chunkSchema>;

/**
 * What an import keeps of a line (import-notes.ts): why it was rejected, or which values it lacks.
 */
const rejectSchema = schema(
  {
    _id: { type: Binary, required: true },
    appId: { type: ObjectId, required: true },
    at: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    run: Number,
    line: { type: Number, required: true },
    /** Of a rejected line. */
    reason: String,
    omitted: [omissionSchema],
    /** All emails in the line, normalized. */
    email: [String],
    /** Absent when it is too long, no text, or has too many emails. */
    row: String,
  },
  {
    collection: 'import_rejects',
    placement: 'grows with rejected lines; a run inserts and removes them by ranges of `_id`',
  },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ appId: 1, at: 1 })
  // The rejected lines of a person, in any app.
  .index({ email: 1, appId: 1 }, { sparse: true });
export type RejectDocument = DocumentOf<typeof rejectSchema>;

export type ImportCollection = Collection<ImportDocument>;
export type ImportChunkCollection = Collection<ChunkDocument>;
export type RejectCollection = Collection<RejectDocument>;

export const createImportModels = (connection: Connection) => ({
  imports: createModel(connection, importSchema),
  chunks: createModel(connection, chunkSchema),
  rejects: createModel(connection, rejectSchema),
});
