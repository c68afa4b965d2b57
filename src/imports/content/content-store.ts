import { mongo, Types } from 'mongoose';
import type { ChunkCollection, ImportDocument } from '../imports.model.ts';
import { removeSome } from '../removal.ts';

/**
 * The bytes of each chunk of a file but the last. Larger ones take more memory while they are read.
 */
export const CHUNK_BYTES = 256 * 1024;

/** A chunk of the file of an import is missing. */
export class MissingContent extends Error {
  override readonly name = 'MissingContent';
}

export type ContentStore = ReturnType<typeof createContentStore>;

/** The files of imports in chunks, which every server can read. An import lists its chunks. */
export function createContentStore(chunks: ChunkCollection) {
  async function read(id: Types.ObjectId): Promise<Buffer> {
    const chunk = await chunks.findOne({ _id: id }, { projection: { bytes: 1 } });
    if (!chunk) throw new MissingContent();
    const { buffer, position } = chunk.bytes;
    return Buffer.from(buffer.buffer, buffer.byteOffset, position);
  }

  return {
    read,

    /** Stores a chunk; resolves with its id. No import has it until one lists it. */
    async add(
      { _id: importId, appId, expiresAt }: Pick<ImportDocument, '_id' | 'appId' | 'expiresAt'>,
      bytes: Buffer,
    ): Promise<Types.ObjectId> {
      const _id = new Types.ObjectId();
      await chunks.insertOne({ _id, appId, importId, at: new Date(), expiresAt, bytes: new mongo.Binary(bytes) });
      return _id;
    },

    /** Replaces the bytes of a chunk, if it exists. */
    async replace(_id: Types.ObjectId, bytes: Buffer): Promise<void> {
      await chunks.updateOne({ _id }, { $set: { bytes: new mongo.Binary(bytes) } });
    },

    async remove(ids: readonly Types.ObjectId[]): Promise<void> {
      if (ids.length > 0) await chunks.deleteMany({ _id: { $in: [...ids] } });
    },

    /**
     * Yields the bytes of a file from an offset on, one chunk at a time.
     * @throws {MissingContent}
     */
    async *readFrom(ids: readonly Types.ObjectId[], offset: number): AsyncGenerator<Buffer> {
      const first = Math.floor(offset / CHUNK_BYTES);
      for (const [index, id] of ids.slice(first).entries()) {
        const bytes = await read(id);
        yield index === 0 ? bytes.subarray(offset - first * CHUNK_BYTES) : bytes;
      }
    },

    /** Removes some chunks of an import; resolves with whether none is left. */
    removeSome: (importId: Types.ObjectId, forMs: number): Promise<boolean> => removeSome(chunks, { importId }, forMs),

    /** Lets the chunks of an import expire later. */
    async prolong(importId: Types.ObjectId, expiresAt: Date): Promise<void> {
      await chunks.updateMany({ importId }, { $set: { expiresAt } });
    },
  };
}
