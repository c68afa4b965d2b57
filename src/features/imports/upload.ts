import { ObjectId } from 'mongodb';
import { limitAttempts } from '../../platform/core/attempts.ts';
import type { Config } from '../../platform/core/config.ts';
import { AppError, Conflict, NotFound, TooLarge, Unavailable } from '../../platform/core/errors.ts';
import { FairQueue } from '../../platform/core/fair-queue.ts';
import { say } from '../../platform/languages/reasons.ts';
import { inChunks } from '../files/file-writing.ts';
import { CHUNK_BYTES, type ContentStore } from './content.ts';
import type { ImportCollection, ImportDocument } from './imports.model.ts';

/** The files that one server receives at the same time, in total and of one app. */
const MAX_UPLOADS = 16;
const MAX_UPLOADS_OF_APP = 4;

/** The state of a file; a request continues it only from this state. */
type Progress = Pick<ImportDocument, '_id' | 'appId' | 'expiresAt' | 'received' | 'chunks'>;

export interface UploadOptions {
  /** The number of bytes that follow, if it is known. */
  size?: number;
  /** Is called before each write of bytes that the client sent. */
  recheck?: (() => Promise<void>) | undefined;
}

export type ImportUploads = ReturnType<typeof createUploads>;

/** Receives the files of imports (spec 4.7). */
export function createUploads(deps: {
  imports: ImportCollection;
  content: ContentStore;
  limits: Config['importLimits'];
}) {
  const { imports, content, limits } = deps;
  const receiving = new FairQueue({ slots: MAX_UPLOADS, perKey: MAX_UPLOADS_OF_APP });

  const mayWrite = ({ _id }: Progress, upload: ObjectId) => ({ _id, upload, state: 'uploading' as const });

  async function add(progress: Progress, upload: ObjectId, bytes: Buffer): Promise<void> {
    const received = progress.received + bytes.length;
    await checkSize(progress, received);
    const last = progress.received % CHUNK_BYTES === 0 ? undefined : progress.chunks.at(-1);
    if (last) await extend(progress, upload, last, bytes);
    const chunks = last ? progress.chunks : [...progress.chunks, await content.add(progress, upload, bytes)];
    const filter = { ...mayWrite(progress, upload), received: progress.received };
    const { matchedCount } = await imports.updateOne(filter, { $set: { chunks, received } });
    if (matchedCount === 0) throw await explainLoss(progress);
    Object.assign(progress, { chunks, received });
  }

  /**
   * Adds bytes to the last chunk. An erasure first ends the right to write and then changes the
   * version of the chunk, so an erasure between the read and the write leads to another attempt.
   */
  async function extend(progress: Progress, upload: ObjectId, id: ObjectId, bytes: Buffer): Promise<void> {
    const stored = progress.received % CHUNK_BYTES;
    for (const again = limitAttempts(); ; again()) {
      const chunk = await content.readChunk(id);
      const found = await imports.findOne(mayWrite(progress, upload), { projection: { _id: 1 } });
      if (!found) throw await explainLoss(progress);
      const whole = Buffer.concat([chunk.bytes.subarray(0, stored), bytes]);
      if (await content.replace(id, chunk.version, whole)) return;
    }
  }

  async function explainLoss({ _id }: Progress): Promise<Error> {
    const found = await imports.findOne({ _id }, { projection: { state: 1, upload: 1, received: 1 } });
    if (found?.state === 'uploading' && !found.upload) {
      return new Unavailable(say('personErased', { byte: found.received }), 1);
    }
    return new Conflict('importStartedOrSent');
  }

  async function checkSize(progress: Progress, received: number): Promise<void> {
    if (received > limits.perImport) throw new TooLarge(say('fileTooLarge', { max: megabytes(limits.perImport) }));
    if ((await content.bytesBeside(progress)) + received > limits.perApp) {
      throw new TooLarge(say('filesTooLarge', { max: megabytes(limits.perApp) }));
    }
  }

  async function receive(
    progress: Progress,
    upload: ObjectId,
    source: AsyncIterable<Buffer>,
    recheck: UploadOptions['recheck'],
  ): Promise<void> {
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    await inChunks(source, chunk, progress.received % CHUNK_BYTES, CHUNK_BYTES, async (from, to) => {
      await recheck?.();
      await add(progress, upload, chunk.subarray(from, to));
    });
  }

  return {
    /**
     * Stores a file from a byte on; resolves with the number of its bytes. When the connection
     * ends, the received bytes are kept.
     * @param from undefined: the source is the whole file
     * @throws {Unavailable} when too many files are being received
     * @throws {NotFound}
     * @throws {Conflict} when the import was started, or another request writes its file
     * @throws {TooLarge} when the file, or all files of the app, exceed the limit
     */
    async write(
      appId: ObjectId,
      _id: ObjectId,
      from: number | undefined,
      source: AsyncIterable<Buffer>,
      { size = 0, recheck }: UploadOptions = {},
    ): Promise<number> {
      const turn = receiving.join(appId.toHexString());
      try {
        if (!turn.hasBegun) throw new Unavailable('tooManyUploads', 5);
        const upload = new ObjectId();
        const stored = await content.idsOf(_id);
        const begins = from === undefined ? { $set: { upload, received: 0, chunks: [] } } : { $set: { upload } };
        const filter = { _id, appId, state: 'uploading' as const, ...(from !== undefined && { received: from }) };
        const before = await imports.findOneAndUpdate(filter, begins);
        if (!before) throw await explainRefusal(appId, _id);
        const progress: Progress = from === undefined ? { ...before, received: 0, chunks: [] } : before;
        // The requests that stored them can no longer list them.
        await content.remove(findUnlisted(stored, progress));
        await checkSize(progress, progress.received + size);
        await receive(progress, upload, source, recheck);
        return progress.received;
      } finally {
        turn.end();
      }
    },
  };

  async function explainRefusal(appId: ObjectId, _id: ObjectId): Promise<Error> {
    const found = await imports.findOne({ _id, appId }, { projection: { state: 1, received: 1 } });
    if (!found || found.state === 'deleting') return new NotFound('importNotFound');
    if (found.state !== 'uploading') return new Conflict('importStarted');
    return new AppError(416, say('contentContinues', { byte: found.received }));
  }
}

/** The chunks that an import, which was read later, does not list. */
export function findUnlisted(ids: readonly ObjectId[], { chunks }: Pick<ImportDocument, 'chunks'>): ObjectId[] {
  const listed = new Set(chunks.map((id) => id.toHexString()));
  return ids.filter((id) => !listed.has(id.toHexString()));
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}
