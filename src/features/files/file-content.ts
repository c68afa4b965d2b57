import type { UUID } from 'mongodb';
import { NamedError, Unavailable } from '../../platform/core/errors.ts';
import { beginsBefore, type DatabaseClock } from '../../platform/database/clock.ts';
import { READ_HOLDS_MS } from '../../platform/database/lateness.ts';
import { CHUNK_BYTES, type ChunkCollection, type FileDocument } from './files.model.ts';

/** Bytes of a file, inclusive, from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface StoredContent {
  id: UUID;
  bytes: number;
}

/** When a removal may begin, by MongoDB's clock: later, a restore may have stored the content. */
export interface RemovalTime {
  until: Date;
  /** @throws {Unavailable} when the time is over */
  check(): Promise<void>;
}

/** @param read the time of MongoDB's clock when, or before, the state of the files was read */
export function removalTime(clock: Pick<DatabaseClock, 'read'>, read: Date): RemovalTime {
  const until = new Date(read.getTime() + READ_HOLDS_MS);
  const check = async (): Promise<void> => {
    if ((await clock.read()) >= until) throw new Unavailable();
  };
  return { until, check };
}

/**
 * Where the content of whole files is: the database, or a bucket. All functions but `check` reject
 * with 503 when the store does not answer.
 */
export interface FileContent {
  /**
   * Stores the whole content, `file.length` bytes. A repeat replaces it. After a failure, some of
   * it may be stored, or appear within `lateMs`.
   */
  put(file: Pick<FileDocument, '_id' | 'length'>, source: AsyncIterable<Buffer>): Promise<void>;
  /** Yields the bytes of a range with back-pressure. @throws {MissingContent} */
  read(file: Pick<FileDocument, '_id'>, range: ByteRange): AsyncIterable<Buffer>;
  /**
   * Removes what exists of their content. Idempotent.
   * @param time when it may; absent: at any time, because nothing restores what is removed
   */
  remove(files: readonly Pick<FileDocument, '_id' | 'length'>[], time?: RemovalTime): Promise<void>;
  /** Yields what is stored, in the order of ids, from one on. */
  list(from?: UUID): AsyncIterable<StoredContent>;
  /** Resolves when the store can be read and written; otherwise rejects with the reason. */
  check(): Promise<void>;
  /** How long after its beginning a `put` may still take effect, whatever became of its sender. */
  readonly lateMs: number;
}

/** The content of a file is not there, or not whole. */
export class MissingContent extends NamedError {}

/** Chunks that one statement reads: 1 MB. */
const CHUNKS_AT_ONCE = 4;
/** Keys of chunks that one statement counts. */
const KEYS_AT_ONCE = 4_000;
/** Removed by one statement, within its time limit. */
const REMOVED_AT_ONCE = 100;

/** The content in `files.chunks`. What has arrived is there: `put` has nothing to do. */
export function createDatabaseContent(chunks: ChunkCollection): FileContent {
  return {
    async put() {},

    async *read({ _id }, { start, end }) {
      const last = Math.floor(end / CHUNK_BYTES);
      let n = Math.floor(start / CHUNK_BYTES);
      while (start <= end && n <= last) {
        const until = Math.min(n + CHUNKS_AT_ONCE - 1, last);
        const filter = { files_id: _id, n: { $gte: n, $lte: until } };
        const found = await chunks.find(filter, { sort: { n: 1 } }).toArray();
        for (const chunk of found) {
          const from = Math.max(start - n * CHUNK_BYTES, 0);
          const to = Math.min(end + 1 - n * CHUNK_BYTES, CHUNK_BYTES);
          if (chunk.n !== n || chunk.data.length() < to) throw new MissingContent();
          yield Buffer.from(chunk.data.buffer.subarray(from, to));
          n += 1;
        }
        if (n <= until) throw new MissingContent();
      }
    },

    async remove(files, time) {
      const inTime = time && beginsBefore(time.until);
      for (let at = 0; at < files.length; at += REMOVED_AT_ONCE) {
        const ids = files.slice(at, at + REMOVED_AT_ONCE).map(({ _id }) => _id);
        await chunks.deleteMany({ files_id: { $in: ids }, ...inTime });
      }
    },

    async *list(from) {
      let after: { files_id: UUID; n: number } | undefined = from && { files_id: from, n: -1 };
      let file: { id: UUID; bytes: number } | undefined;
      for (;;) {
        const counted: { _id: UUID; count: number; n: number }[] = await chunks
          .aggregate<{ _id: UUID; count: number; n: number }>([
            ...(after ? [{ $match: { $or: [{ files_id: { $gt: after.files_id } }, rest(after)] } }] : []),
            { $sort: { files_id: 1, n: 1 } },
            { $limit: KEYS_AT_ONCE },
            { $project: { _id: 0, files_id: 1, n: 1 } },
            { $group: { _id: '$files_id', count: { $sum: 1 }, n: { $max: '$n' } } },
            { $sort: { _id: 1 } },
          ])
          .toArray();
        const ends = await sizesOf(counted.map(({ _id, n }) => ({ files_id: _id, n })));
        for (const { _id, count } of counted) {
          if (file && !file.id.equals(_id)) yield file;
          const known = file?.id.equals(_id) ? file.bytes : 0;
          file = { id: _id, bytes: known + (count - 1) * CHUNK_BYTES + (ends.get(_id.toHexString()) ?? 0) };
        }
        const last = counted.at(-1);
        if (!last) break;
        after = { files_id: last._id, n: last.n };
      }
      if (file) yield file;
    },

    async check() {
      await chunks.findOne({}, { projection: { _id: 1 } });
    },

    // The guard of each chunk is the document of the file: no chunk comes after its removal.
    lateMs: 0,
  };

  /** The bytes of these chunks, by the ids of their files. */
  async function sizesOf(keys: { files_id: UUID; n: number }[]): Promise<Map<string, number>> {
    if (keys.length === 0) return new Map();
    const projection = { _id: 0, files_id: 1, size: { $binarySize: '$data' } };
    const found = await chunks.find<{ files_id: UUID; size: number }>({ $or: keys }, { projection }).toArray();
    return new Map(found.map(({ files_id, size }) => [files_id.toHexString(), size]));
  }
}

/** Further chunks of the same file. */
const rest = ({ files_id, n }: { files_id: UUID; n: number }) => ({ files_id, n: { $gt: n } });
