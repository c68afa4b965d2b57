import { Binary, ObjectId } from 'mongodb';
import { beginsBefore } from '../../platform/database/clock.ts';
import { insertGuarded, insertTarget } from '../../platform/database/guarded-insert.ts';
import { type RemovalGuard, removeInSteps, removeSome } from '../../platform/database/removal.ts';
import type { ChunkDocument, ImportChunkCollection, ImportCollection, ImportDocument } from './imports.model.ts';

/** The size of each chunk but the last. Larger ones take more memory while they are read. */
export const CHUNK_BYTES = 256 * 1024;

export class MissingChunk extends Error {
  override readonly name = 'MissingContent';
}

export type ContentStore = ReturnType<typeof createContentStore>;

/** The files of imports, in chunks. Unlisted chunks were left by requests that ended early. */
export function createContentStore(chunks: ImportChunkCollection, imports: ImportCollection) {
  const target = insertTarget(chunks);

  /** Resolves with the bytes of a chunk, and its version for `replace`. */
  async function readChunk(id: ObjectId) {
    const chunk = await chunks.findOne({ _id: id }, { projection: { bytes: 1, version: 1 } });
    if (!chunk) throw new MissingChunk();
    const { buffer, position } = chunk.bytes;
    return { bytes: Buffer.from(buffer.buffer, buffer.byteOffset, position), version: chunk.version };
  }

  const read = async (id: ObjectId): Promise<Buffer> => (await readChunk(id)).bytes;

  return {
    read,
    readChunk,

    /** Stores a chunk, not listed yet, while a request may write the file; resolves with its id. */
    async add(
      { _id: importId, appId, expiresAt }: Pick<ImportDocument, '_id' | 'appId' | 'expiresAt'>,
      upload: ObjectId,
      bytes: Buffer,
    ): Promise<ObjectId> {
      const _id = new ObjectId();
      const size = bytes.length;
      const chunk: ChunkDocument = {
        _id,
        appId,
        importId,
        at: new Date(),
        expiresAt,
        bytes: new Binary(bytes),
        size,
      };
      const filter = { _id: importId, state: 'uploading' as const, upload };
      await insertGuarded({ collection: imports, filter }, target, [chunk], () => size);
      return _id;
    },

    /** Resolves with whether the chunk still had this version, and the time was not over. */
    async replace(_id: ObjectId, version: number | undefined, bytes: Buffer, guard?: RemovalGuard): Promise<boolean> {
      const inTime = guard && beginsBefore(await guard());
      const filter = { _id, version: version ?? { $exists: false }, ...inTime };
      const $set = { bytes: new Binary(bytes), size: bytes.length };
      return (await chunks.updateOne(filter, { $set, $inc: { version: 1 } })).matchedCount === 1;
    },

    /** Changes the version, so that no one who has read the chunk replaces it. */
    async touch(_id: ObjectId): Promise<void> {
      await chunks.updateOne({ _id }, { $inc: { version: 1 } });
    },

    async idsOf(importId: ObjectId): Promise<ObjectId[]> {
      const options = { projection: { _id: 1 }, hint: { importId: 1, _id: 1 } } as const;
      return (await chunks.find({ importId }, options).toArray()).map(({ _id }) => _id);
    },

    /** The bytes of the other imports of the app. */
    async bytesBeside({ _id, appId }: Pick<ImportDocument, '_id' | 'appId'>): Promise<number> {
      const others = { $match: { appId, importId: { $ne: _id } } };
      const sum = { $group: { _id: null, bytes: { $sum: '$size' } } };
      const hint = { appId: 1, importId: 1, size: 1 };
      const [found] = await chunks.aggregate<{ bytes: number }>([others, sum], { hint }).toArray();
      return found?.bytes ?? 0;
    },

    async remove(ids: readonly ObjectId[], guard?: RemovalGuard): Promise<void> {
      if (ids.length > 0) await removeInSteps(chunks, { _id: { $in: [...ids] } }, guard);
    },

    /** Yields a file from `offset` to `end`, chunk by chunk. @throws {MissingContent} */
    async *readFrom(ids: readonly ObjectId[], offset: number, end = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
      for (let index = Math.floor(offset / CHUNK_BYTES); index < ids.length; index += 1) {
        const begin = index * CHUNK_BYTES;
        const bytes = (await read(ids[index] as ObjectId)).subarray(0, Math.max(end - begin, 0));
        yield bytes.subarray(Math.max(offset - begin, 0));
      }
    },

    removeAll: (importId: ObjectId, guard: RemovalGuard): Promise<number> => removeInSteps(chunks, { importId }, guard),

    /** Resolves with whether none is left. */
    removeSome: (importId: ObjectId, forMs: number, guard: RemovalGuard): Promise<boolean> =>
      removeSome(chunks, { importId }, forMs, guard),

    async prolong(importId: ObjectId, expiresAt: Date): Promise<void> {
      await chunks.updateMany({ importId }, { $set: { expiresAt } });
    },
  };
}

/** A part of a file, by offsets. */
export interface FileSection {
  begin: number;
  end: number;
}

/** A part, and what the reader of lines has read beyond it. */
const KEPT_CHUNKS = 12;

export type FileReader = ReturnType<typeof createFileReader>;

/** Reads a file; the last chunks stay in memory, so that a part that was just read is there. */
export function createFileReader(content: Pick<ContentStore, 'read'>, { chunks }: Pick<ImportDocument, 'chunks'>) {
  const kept = new Map<number, Buffer>();

  async function chunk(index: number): Promise<Buffer> {
    const known = kept.get(index);
    if (known) return known;
    const bytes = await content.read(chunks[index] as ObjectId);
    const [oldest] = kept.keys();
    if (kept.size === KEPT_CHUNKS && oldest !== undefined) kept.delete(oldest);
    kept.set(index, bytes);
    return bytes;
  }

  async function* readFrom(offset: number): AsyncGenerator<Buffer> {
    for (let index = Math.floor(offset / CHUNK_BYTES); index < chunks.length; index += 1) {
      yield (await chunk(index)).subarray(Math.max(offset - index * CHUNK_BYTES, 0));
    }
  }

  return {
    readFrom,

    /** A copy of a part. */
    async read({ begin, end }: FileSection): Promise<Buffer> {
      const parts: Buffer[] = [];
      for (let at = begin; at < end; ) {
        const index = Math.floor(at / CHUNK_BYTES);
        const bytes = index < chunks.length ? await chunk(index) : Buffer.alloc(0);
        const part = bytes.subarray(at - index * CHUNK_BYTES, end - index * CHUNK_BYTES);
        if (part.length === 0) break;
        parts.push(part);
        at += part.length;
      }
      return Buffer.concat(parts);
    },
  };
}
