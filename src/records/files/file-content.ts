import type { UUID } from 'mongodb';
import type { ChunkCollection, FileDocument } from './files.model.ts';

/** Bytes of a file, inclusive, from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Where the content of whole files is: the database, or a bucket. */
export interface FileContent {
  /** Stores the whole content. A repeat replaces it. */
  put(file: FileDocument, source: AsyncIterable<Buffer>): Promise<void>;
  /** Yields the bytes of a range with back-pressure. @throws {MissingContent} */
  read(file: FileDocument, range: ByteRange): AsyncIterable<Buffer>;
  /** Removes what exists of their content. Idempotent. */
  remove(files: readonly Pick<FileDocument, '_id'>[]): Promise<void>;
  /** Yields what is stored, in the order of ids. */
  list(): AsyncIterable<{ id: UUID; bytes: number }>;
  /** Resolves when the store can be read and written; otherwise rejects with the reason. */
  check(): Promise<void>;
}

export class MissingContent extends Error {
  override readonly name = 'MissingContent';
}

/** The chunks of the database. */
export function createDatabaseContent(chunks: ChunkCollection): Pick<FileContent, 'read'> {
  return {
    async *read({ _id, chunkSize }, { start, end }) {
      for (let n = Math.floor(start / chunkSize); n <= Math.floor(end / chunkSize); n += 1) {
        const chunk = await chunks.findOne({ files_id: _id, n }, { projection: { data: 1 } });
        if (!chunk) throw new MissingContent();
        const first = n * chunkSize;
        const bytes = chunk.data.buffer as Buffer;
        yield bytes.subarray(Math.max(0, start - first), end - first + 1);
      }
    },
  };
}
