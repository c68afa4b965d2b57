import { Binary, ObjectId, UUID } from 'mongodb';
import type { RecordId } from '../../core/users/users.model.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { createModel, type DocumentOf, type Model, only, schema } from '../../platform/database/mongoose.ts';

/** The size of each chunk but the last, as drivers have it by default. */
export const CHUNK_BYTES = 255 * 1024;

/** What the service knows of a file beside GridFS's own members. */
export interface FileMetadata {
  appId: ObjectId;
  /** The key of the field, in the version of the schema at the time of the upload. */
  field: string;
  version: number;
  /** `removing`: its content is being removed; nothing may name it any more. */
  state: 'arriving' | 'whole' | 'removing';
  /** Where the content of a whole file is. */
  store: 'database' | 's3';
  /** A name of the table of types. Absent while it arrives. */
  type?: string;
  /** Of a whole file, in hexadecimal digits. */
  sha256?: string;
  /** SHA-256 of the token by which a submission names the file. Absent: the staff sent it. */
  token?: Binary;
  /** A hash of the network that sent it, for the limit of files that no record names. */
  network?: string;
  /** The bytes that count for limits while it arrives and afterwards. */
  charged: number;
  /** The end of its token, by MongoDB's clock. */
  expiresAt: Date;
  /** When the cleaner examines it next. Absent: a record names it, and no event says otherwise. */
  checkAt?: Date;
  /** The request that may write chunks, and until when. */
  writer?: { id: UUID; until: Date };
  /**
   * The record, or the held submission, that names it or is about to. Of a waiting change both: the
   * files of known people count as those of new ones (spec 4.5.5).
   */
  record?: RecordId;
  held?: UUID;
  /**
   * The write that is about to name it: it begins before `until`, or never. While `removing`: when
   * nothing of it can arrive any more. `submission`: the hash of one with a key.
   */
  claim?: { id: UUID; until: Date; submission?: Binary };
  /**
   * What the scanner said. Absent: clean, or the service has no scanner. `failed`: it could not
   * scan the file, which waits behind others. `found`: infected, but not yet marked in what names
   * it.
   */
  scan?: 'waiting' | 'failed' | 'found' | 'infected';
}

/** The examinations that are due. */
export const BY_CHECK = { 'metadata.checkAt': 1 } as const;
export const BY_TOKEN = { 'metadata.appId': 1, 'metadata.token': 1 } as const;
export const BY_RECORD = { 'metadata.appId': 1, 'metadata.record': 1 } as const;
const BY_HELD = { 'metadata.appId': 1, 'metadata.held': 1 } as const;
/** The bytes of an app are summed from the keys of this index. */
export const BY_SIZE = { 'metadata.appId': 1, 'metadata.charged': 1 } as const;
/** The bytes of a network are summed from its keys, which tell whether a record names a file. */
export const BY_NETWORK = {
  'metadata.network': 1,
  uploadDate: 1,
  'metadata.record': 1,
  'metadata.charged': 1,
} as const;

export const BY_SCAN = { 'metadata.scan': 1, _id: 1 } as const;

const present = (path: string) => ({ partialFilterExpression: { [path]: { $exists: true } } });

/** A document of GridFS. `length`: the bytes that have arrived. */
const fileSchema = schema(
  {
    _id: { type: UUID, required: true },
    length: { type: Number, required: true },
    chunkSize: { type: Number, required: true },
    uploadDate: { type: Date, required: true },
    filename: { type: String, required: true },
    metadata: { type: only<FileMetadata>(Object), required: true },
  },
  { collection: 'files.files', shardKey: { 'metadata.appId': 1, _id: 1 }, placement: 'one for each file' },
)
  .index(BY_CHECK, present('metadata.checkAt'))
  .index(BY_TOKEN, present('metadata.token'))
  .index(BY_RECORD, present('metadata.record'))
  .index(BY_HELD, present('metadata.held'))
  .index(BY_SIZE)
  .index(BY_NETWORK, present('metadata.network'))
  .index(BY_SCAN, present('metadata.scan'));
export type FileDocument = DocumentOf<typeof fileSchema>;

/** A part of the content of a file. `n`: from 0. */
const chunkSchema = schema(
  {
    _id: { type: ObjectId, required: true },
    files_id: { type: UUID, required: true },
    n: { type: Number, required: true },
    data: { type: Binary, required: true },
  },
  { collection: 'files.chunks', shardKey: { files_id: 1 }, placement: 'the content of files, in 255 kB' },
).index({ files_id: 1, n: 1 }, { unique: true });
export type FileChunk = DocumentOf<typeof chunkSchema>;

export type FileCollection = Collection<FileDocument>;
export type ChunkCollection = Collection<FileChunk>;

/** The model of `files.files`. */
export const createFileModel = (connection: Connection): Model<FileDocument> => createModel(connection, fileSchema);

/** The model of `files.chunks`. */
export const createChunkModel = (connection: Connection): Model<FileChunk> => createModel(connection, chunkSchema);
