import type { Binary, ObjectId } from 'mongodb';
import type { Connection } from '../database/client.ts';
import { type Collection, createModel, declareCollection, type Model } from '../database/collections.ts';
import type { Encoding } from './text-blocks.ts';

export const IMPORT_FORMATS = ['csv', 'ndjson'] as const;
export const IMPORT_MODES = ['upsert', 'insert', 'update'] as const;
/**
 * - `uploading`: the file is received;
 * - `running`: a server applies its lines, or will when earlier imports of the app have ended;
 * - `completed`, `aborted` (by a line that was rejected), `failed`: it has ended;
 * - `deleting`: it was deleted, and a server removes what is left of it. It counts as no import.
 */
export const IMPORT_STATES = ['uploading', 'running', 'completed', 'aborted', 'failed'] as const;
type ImportState = (typeof IMPORT_STATES)[number];

/** What an import does with the lines of its file (spec 4.7). */
export interface ImportSettings {
  format: (typeof IMPORT_FORMATS)[number];
  mode: (typeof IMPORT_MODES)[number];
  arrays: 'append' | 'replace';
  invalid: 'skip' | 'abort';
  /** The path of each column that is read: `email` or `data.<key>`. Absent: by their names. */
  map?: [column: string, path: string][];
  delimiter?: string;
  decimal: '.' | ',';
  dateFormat?: string;
  timeZone?: string;
  dryRun: boolean;
  /** The name of the file, for people. Without an `@`: it names nobody by their email. */
  fileName?: string;
}

/** How the file is read. It is known when the import starts. */
export interface ImportLayout {
  encoding: Encoding;
  /** The names of the columns of CSV; empty for NDJSON. */
  columns: string[];
  delimiter: string;
  /** The byte that ends a line: LF or, in files that have no LF, CR. */
  newline: number;
}

/** A place between two lines of the file. */
export interface Position {
  /** The byte at which the next line begins. */
  offset: number;
  /** The number of that line, from 1. */
  line: number;
}

export interface Counters {
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
}

/** One import (spec 4.7). */
export interface ImportDocument {
  _id: ObjectId;
  appId: ObjectId;
  sourceAppId: string;
  settings: ImportSettings;
  state: ImportState | 'deleting';
  createdAt: Date;
  startedAt?: Date;
  endedAt?: Date;
  /** When MongoDB removes the document. */
  expiresAt: Date;
  /** The bytes of the file that are stored. */
  received: number;
  /** The chunks of the file, each of `CHUNK_BYTES` except the last. Others are not part of it. */
  chunks: ObjectId[];
  /** Identifies the request that may write the file. Erasures remove it. */
  upload?: ObjectId;
  layout?: ImportLayout;
  /** Where the lines begin that are not dealt with. */
  position?: Position;
  counters: Counters;
  /** The first rejected lines. */
  firstErrors: { line: number; message: string }[];
  /** Why the import failed. */
  failure?: string;
  /** The number of runs so far. Each run has its own number, and later ones have greater ones. */
  runs?: number;
  /**
   * The run that may write for this import. Absent when none is in progress: each run removes its
   * number when it ends in an orderly way.
   */
  runner?: number;
  /** Set when the import has ended or was deleted, until what it no longer needs is removed. */
  cleanup?: true;
  /** Hashes of the emails that were erased since the import was created. */
  excluded: Binary[];
  /** The key of these hashes. */
  exclusionKey: Binary;
}

/** A part of a file. */
export interface ChunkDocument {
  _id: ObjectId;
  appId: ObjectId;
  importId: ObjectId;
  at: Date;
  expiresAt: Date;
  /** Of a chunk that is not full, more bytes than the import has received may be stored. */
  bytes: Binary;
  /** The number of bytes. */
  size: number;
  /** How often it was written since it was stored. */
  version?: number;
}

/** A line that was not applied. `_id` is the import's id and the number of the line. */
export interface RejectDocument {
  _id: Binary;
  appId: ObjectId;
  at: Date;
  expiresAt: Date;
  /** The run that rejected it. */
  run?: number;
  line: number;
  reason: string;
  /** All that occur in the line, normalized. */
  email?: string[];
  /** The text of the line, unless it is too long, or no text, or has too many emails. */
  row?: string;
}

const IMPORTS = declareCollection('imports')
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ cleanup: 1 }, { sparse: true })
  // The imports of an app, newest first.
  .index({ appId: 1, _id: -1 })
  // For the job.
  .index({ state: 1, startedAt: 1 });

const IMPORT_CHUNKS = declareCollection('import_chunks')
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ appId: 1, at: 1 })
  // The ids of the chunks of an import, and their sizes, without reading the chunks.
  .index({ importId: 1, _id: 1 })
  .index({ appId: 1, importId: 1, size: 1 });

const IMPORT_REJECTS = declareCollection('import_rejects')
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ appId: 1, at: 1 })
  // The rejected lines of a person, in any app.
  .index({ email: 1, appId: 1 }, { sparse: true });

export type ImportCollection = Collection<ImportDocument>;
export type ChunkCollection = Collection<ChunkDocument>;
export type RejectCollection = Collection<RejectDocument>;

/** The model of `imports`. */
export const createImportModel = (connection: Connection): Model<ImportDocument> => createModel(connection, IMPORTS);

/** The model of `import_chunks`, the files. */
export const createChunkModel = (connection: Connection): Model<ChunkDocument> =>
  createModel(connection, IMPORT_CHUNKS);

/** The model of `import_rejects`. */
export const createRejectModel = (connection: Connection): Model<RejectDocument> =>
  createModel(connection, IMPORT_REJECTS);
