import type { UUID } from 'mongodb';
import type { FileDocument } from './files.model.ts';

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
