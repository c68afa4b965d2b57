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

/** The content in `files.chunks`, where every upload arrives, so that `put` has nothing to do. */
export function createDatabaseContent(chunks: ChunkCollection): FileContent {
  const ids = { projection: { _id: 0, files_id: 1 }, sort: { files_id: 1, n: 1 } } as const;

  async function bytesOf(files_id: UUID): Promise<number> {
    const sum = { $group: { _id: null, bytes: { $sum: { $binarySize: '$data' } } } };
    const [found] = await chunks.aggregate<{ bytes: number }>([{ $match: { files_id } }, sum]).toArray();
    return found?.bytes ?? 0;
  }

  return {
    async put() {
      // The chunks are there.
    },

    async *read({ _id: files_id, chunkSize }, { start, end }) {
      for (let n = Math.floor(start / chunkSize); n * chunkSize <= end; n += 1) {
        const chunk = await chunks.findOne({ files_id, n }, { projection: { _id: 0, data: 1 } });
        if (!chunk) throw new MissingContent();
        const { buffer, position } = chunk.data;
        const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, position);
        const last = Math.min(end - n * chunkSize, chunkSize - 1);
        if (bytes.length <= last) throw new MissingContent();
        yield bytes.subarray(Math.max(start - n * chunkSize, 0), last + 1);
      }
    },

    async remove(files) {
      if (files.length > 0) await chunks.deleteMany({ files_id: { $in: files.map(({ _id }) => _id) } });
    },

    async *list() {
      let found = await chunks.findOne({}, ids);
      while (found) {
        yield { id: found.files_id, bytes: await bytesOf(found.files_id) };
        found = await chunks.findOne({ files_id: { $gt: found.files_id } }, ids);
      }
    },

    async check() {
      await chunks.findOne({}, ids);
    },
  };
}
