import { Binary, ObjectId, type UUID } from 'mongodb';
import { Conflict } from '../../platform/core/errors.ts';
import { FairQueue } from '../../platform/core/fair-queue.ts';
import { insertGuarded, insertTarget } from '../../platform/database/guarded-insert.ts';
import { tooLargeError } from './arrival.ts';
import { CHARGE_OF_LENGTH, type FileCharges } from './file-charges.ts';
import type { FileStores } from './file-stores.ts';
import { CHUNK_BYTES, type ChunkCollection, type FileCollection, type FileDocument } from './files.model.ts';

/**
 * The chunks that one process stores at the same time: in total, of an app. With 8 and 6, uploads
 * were 1.5 times as fast, and a submission beside them took twice as long (docs/performance.md).
 */
const MAX_WRITING = 2;
const MAX_WRITING_OF_APP = 1;
/** How long a request may write without word from its process. */
export const WRITER_MS = 30_000;
const RENEW_MS = 10_000;
/** How long the document of a removed file stays, for what arrives late. */
const REMOVED_MS = 30_000;

/** A file that a request writes. */
export class Writing {
  readonly file: FileDocument;
  readonly writer: UUID;
  constructor(file: FileDocument, writer: UUID) {
    this.file = file;
    this.writer = writer;
  }

  /** Matches the file while no other request has taken it over. */
  isMine() {
    const { _id, metadata } = this.file;
    return {
      _id,
      'metadata.appId': metadata.appId,
      'metadata.state': 'arriving' as const,
      'metadata.writer.id': this.writer,
    };
  }

  /** Matches the file while no other request may take it over. */
  mayWrite() {
    return { ...this.isMine(), $expr: { $lt: ['$$NOW', '$metadata.writer.until'] } };
  }
}

/**
 * Stores the bytes of files, each while its document says that this request may write them
 * (spec 4.14.1). At most {@link MAX_WRITING} chunks at the same time.
 */
export function createFileWriting(deps: {
  files: FileCollection;
  chunks: ChunkCollection;
  content: Pick<FileStores, 'database' | 'remove'>;
  charges: Pick<FileCharges, 'cover'>;
}) {
  const { files, chunks, content, charges } = deps;
  const target = insertTarget(chunks, ['files_id', 'n']);
  const writing = new FairQueue({ slots: MAX_WRITING, perKey: MAX_WRITING_OF_APP });

  /** Stores a chunk. @throws {Conflict} when another request writes */
  async function store(state: Writing, n: number, bytes: Buffer): Promise<void> {
    const { file } = state;
    const turn = writing.join(file.metadata.appId.toHexString());
    try {
      if (!turn.hasBegun) await turn.begun;
      const chunk = { _id: chunkId(file._id, n), files_id: file._id, n, data: new Binary(bytes) };
      const guard = { collection: files, filter: state.mayWrite() };
      await insertGuarded(guard, target, [chunk], () => bytes.length, 'replace');
      const length = n * CHUNK_BYTES + bytes.length;
      const { matchedCount } = await files.updateOne(state.mayWrite(), { $set: { length } });
      if (matchedCount === 0) throw new Conflict('fileBeingSent');
      file.length = length;
    } finally {
      turn.end();
    }
  }

  /**
   * Stores the bytes of a source from `file.length` on. What arrived is kept when it ends early.
   * @param most the bytes that it may have @param expected those that it probably has
   * @throws {TooLarge} when it has more @throws as the limits of apps and networks
   * (file-charges.ts)
   */
  async function fill(
    state: Writing,
    source: AsyncIterable<Buffer>,
    most: number,
    expected: number = most,
  ): Promise<void> {
    const { file } = state;
    const end = file.length + expected;
    let n = Math.floor(file.length / CHUNK_BYTES);
    const size = file.length % CHUNK_BYTES;
    // One buffer for all chunks: the driver sends each once, and has sent it when `store` resolves.
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, size + most));
    if (size > 0) await readStart(file, n, chunk.subarray(0, size));
    await inChunks(limited(source, most), chunk, size, CHUNK_BYTES, async (_from, to) => {
      await charges.cover(state, n * CHUNK_BYTES + to, end);
      await store(state, n, chunk.subarray(0, to));
      n += 1;
    });
  }

  async function readStart(file: FileDocument, n: number, into: Buffer): Promise<void> {
    let at = 0;
    const range = { start: n * CHUNK_BYTES, end: n * CHUNK_BYTES + into.length - 1 };
    for await (const bytes of content.database.read(file, range)) at += bytes.copy(into, at);
  }

  return { fill, discard, giveBack, asWriter };

  /** Removes a file that is not wanted; if that fails, the cleaner does it. */
  async function discard(state: Writing): Promise<void> {
    const change = [
      {
        $set: {
          'metadata.state': 'removing',
          'metadata.charged': 0,
          'metadata.checkAt': { $add: ['$$NOW', REMOVED_MS] },
        },
      },
      { $unset: ['metadata.network', 'metadata.token', 'metadata.writer'] },
    ];
    try {
      const { matchedCount } = await files.updateOne(state.isMine(), change);
      if (matchedCount === 0) return;
      await content.remove([state.file]);
    } catch {
      // The document has the time of its check.
    }
  }

  /** Lets another request go on with a file, which counts what has arrived. */
  async function giveBack(state: Writing): Promise<void> {
    const change = [{ $set: { 'metadata.charged': CHARGE_OF_LENGTH } }, { $unset: 'metadata.writer' }];
    await files.updateOne(state.isMine(), change).catch(() => undefined);
  }

  /** Runs work on a file while the document says that this request may write. */
  async function asWriter<T>(state: Writing, work: () => Promise<T>): Promise<T> {
    const until = [{ $set: { 'metadata.writer.until': { $add: ['$$NOW', WRITER_MS] } } }];
    const renewal = setInterval(() => {
      files.updateOne(state.isMine(), until).catch(() => undefined);
    }, RENEW_MS).unref();
    try {
      return await work();
    } finally {
      clearInterval(renewal);
    }
  }
}

/** The same for each attempt at a chunk, because MongoDB does not replace an id. */
function chunkId(file: UUID, n: number): ObjectId {
  const bytes = Buffer.alloc(12);
  // The random part of the id.
  Buffer.from(file.buffer).copy(bytes, 0, 8, 16);
  bytes.writeUInt32BE(n, 8);
  return new ObjectId(bytes);
}

/** @throws {TooLarge} when a source has more than `most` bytes */
async function* limited(source: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let left = most;
  for await (const part of source) {
    if (part.length > left) throw tooLargeError(most);
    left -= part.length;
    yield part;
  }
}

/**
 * Copies a source to `chunk`, which has `size` bytes already, because a part of few bytes takes
 * much more memory than these. Calls `write` when the chunk has `full` bytes, and for the rest at
 * the end or when the connection of a client ended, so that the client can continue from there.
 * @param write gets the range of the new bytes of the chunk
 */
export async function inChunks(
  source: AsyncIterable<Buffer>,
  chunk: Buffer,
  size: number,
  full: number,
  write: (from: number, to: number) => Promise<void>,
): Promise<void> {
  let [from, to] = [size, size];
  const flush = async (): Promise<void> => {
    await write(from, to);
    [from, to] = [0, 0];
  };
  try {
    for await (const part of source) {
      for (let at = 0; at < part.length; ) {
        const copied = part.copy(chunk, to, at);
        at += copied;
        to += copied;
        if (to === full) await flush();
      }
    }
  } catch (error) {
    if (isCutOff(error) && to > from) await flush();
    throw error;
  }
  if (to > from) await flush();
}

/** The connection of a client ended before its body. */
export function isCutOff(error: unknown): boolean {
  return (error as NodeJS.ErrnoException)?.code === 'ECONNRESET';
}
