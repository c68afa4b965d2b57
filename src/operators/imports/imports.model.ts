import { Binary, ObjectId } from 'mongodb';
import type { Connection } from '../../platform/database/client.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { createModel, schema } from '../../platform/database/mongoose.ts';
import type { ImportRequest } from './import-settings.ts';

/** `running` includes waiting for an earlier import; `aborted`: by a rejected line. */
export const IMPORT_STATES = ['uploading', 'running', 'completed', 'aborted', 'failed'] as const;

export interface ImportSettings extends Omit<ImportRequest, 'map'> {
  /** By column: `email` or `data.<key>`. Absent: by the names of the columns. */
  map?: [column: string, path: string][];
}

/** How the file is read; known when the import starts. */
export interface ImportLayout {
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be';
  /** Empty for NDJSON. */
  columns: string[];
  delimiter: string;
  /** The byte that ends a line: LF or, in files without LF, CR. */
  newline: number;
  /** The bytes of the lines of an archive. */
  size?: number;
}

export interface FilePosition {
  offset: number;
  /** From 1. */
  line: number;
}

export type Counters = Record<'read' | 'created' | 'updated' | 'unchanged' | 'rejected', number>;

/** How far the erasure of a person has searched a file; a repeat goes on from there. */
export interface SearchedFile {
  /** A hash of the email, as in `excluded`. */
  person: Binary;
  /** The first chunk: another one is another file. */
  first: ObjectId;
  /** The bytes before it do not contain the email. */
  clean: number;
  /** Where a record begins, from which the search for records goes on. */
  record: number;
}

/** Spec 4.7. */
export interface ImportDocument {
  _id: ObjectId;
  appId: ObjectId;
  sourceAppId: string;
  settings: ImportSettings;
  state: (typeof IMPORT_STATES)[number] | 'deleting';
  createdAt: Date;
  startedAt?: Date;
  endedAt?: Date;
  expiresAt: Date;
  received: number;
  /** Each of `CHUNK_BYTES` except the last. Others are not part of the file. */
  chunks: ObjectId[];
  /** Identifies the request that may write the file. Erasures remove it. */
  upload?: ObjectId;
  layout?: ImportLayout;
  /** The first line that is not processed. */
  position?: FilePosition;
  counters: Counters;
  firstErrors: { line: number; message: string }[];
  failure?: string;
  /** The number of runs; each run has its own number. */
  runs?: number;
  /** The run that may write. Each run removes it when it ends without writes in flight. */
  runner?: number;
  /** Set after the end or the deletion, until unnecessary data is removed. */
  cleanup?: true;
  /** Hashes of the emails that were erased since the import was created. */
  excluded: Binary[];
  exclusionKey: Binary;
  searched?: SearchedFile[];
}

/** The processed bytes of the file; of an archive, the share that the processed lines are. */
export function processedBytes({ position, layout, received }: ImportDocument): number {
  const { offset = 0 } = position ?? {};
  return layout?.size ? Math.floor((offset / layout.size) * received) : offset;
}

export interface ChunkDocument {
  _id: ObjectId;
  appId: ObjectId;
  importId: ObjectId;
  at: Date;
  expiresAt: Date;
  /** May have more bytes than the import has received when it is not full. */
  bytes: Binary;
  size: number;
  version?: number;
}

/** A rejected line. `_id`: the import's id and the number of the line. */
export interface RejectDocument {
  _id: Binary;
  appId: ObjectId;
  at: Date;
  expiresAt: Date;
  run?: number;
  line: number;
  reason: string;
  /** All emails in the line, normalized. */
  email?: string[];
  /** Absent when it is too long, no text, or has too many emails. */
  row?: string;
}

const settingsSchema = schema<ImportSettings>(
  {
    format: { type: String, required: true },
    mode: { type: String, required: true },
    arrays: { type: String, required: true },
    invalid: { type: String, required: true },
    // Pairs of a column and its path.
    map: [[String]],
    delimiter: String,
    decimal: { type: String, required: true },
    dateFormat: String,
    timeZone: String,
    dryRun: { type: Boolean, required: true },
    fileName: String,
  },
  { _id: false },
);

const layoutSchema = schema<ImportLayout>(
  {
    encoding: { type: String, required: true },
    columns: { type: [String], required: true },
    delimiter: { type: String, required: true },
    newline: { type: Number, required: true },
    size: Number,
  },
  { _id: false },
);

const countersSchema = schema<Counters>(
  {
    read: { type: Number, required: true },
    created: { type: Number, required: true },
    updated: { type: Number, required: true },
    unchanged: { type: Number, required: true },
    rejected: { type: Number, required: true },
  },
  { _id: false },
);

const searchedSchema = schema<SearchedFile>(
  {
    person: { type: Binary, required: true },
    first: { type: ObjectId, required: true },
    clean: { type: Number, required: true },
    record: { type: Number, required: true },
  },
  { _id: false },
);

const importSchema = schema<ImportDocument>(
  {
    _id: { type: ObjectId, required: true },
    appId: { type: ObjectId, required: true },
    sourceAppId: { type: String, required: true },
    settings: { type: settingsSchema, required: true },
    state: { type: String, required: true },
    createdAt: { type: Date, required: true },
    startedAt: Date,
    endedAt: Date,
    expiresAt: { type: Date, required: true },
    received: { type: Number, required: true },
    chunks: { type: [ObjectId], required: true },
    upload: ObjectId,
    layout: layoutSchema,
    position: schema<FilePosition>(
      { offset: { type: Number, required: true }, line: { type: Number, required: true } },
      { _id: false },
    ),
    counters: { type: countersSchema, required: true },
    firstErrors: {
      type: [
        schema<ImportDocument['firstErrors'][number]>(
          { line: { type: Number, required: true }, message: { type: String, required: true } },
          { _id: false },
        ),
      ],
      required: true,
    },
    failure: String,
    runs: Number,
    runner: Number,
    cleanup: Boolean,
    excluded: { type: [Binary], required: true },
    exclusionKey: { type: Binary, required: true },
    searched: [searchedSchema],
  },
  { collection: 'imports', placement: 'grows with imported files only' },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ cleanup: 1 }, { sparse: true })
  .index({ appId: 1, _id: -1 })
  .index({ state: 1, startedAt: 1 });

const chunkSchema = schema<ChunkDocument>(
  {
    _id: { type: ObjectId, required: true },
    appId: { type: ObjectId, required: true },
    importId: { type: ObjectId, required: true },
    at: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
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

const rejectSchema = schema<RejectDocument>(
  {
    _id: { type: Binary, required: true },
    appId: { type: ObjectId, required: true },
    at: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    run: Number,
    line: { type: Number, required: true },
    reason: { type: String, required: true },
    email: [String],
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

export type ImportCollection = Collection<ImportDocument>;
export type ImportChunkCollection = Collection<ChunkDocument>;
export type RejectCollection = Collection<RejectDocument>;

export const createImportModels = (connection: Connection) => ({
  imports: createModel<ImportDocument>(connection, importSchema),
  chunks: createModel<ChunkDocument>(connection, chunkSchema),
  rejects: createModel<RejectDocument>(connection, rejectSchema),
});
