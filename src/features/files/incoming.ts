import { createHash, randomBytes } from 'node:crypto';
import { Binary, type ObjectId, type UUID } from 'mongodb';
import type { Config } from '../../platform/core/config.ts';
import {
  AppError,
  Conflict,
  InvalidInput,
  TooLarge,
  TooManyRequests,
  Unavailable,
} from '../../platform/core/errors.ts';
import { FairQueue } from '../../platform/core/fair-queue.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import { STATEMENT_ENDS_MS } from '../../platform/database/lateness.ts';
import { createOrderedIds } from '../../platform/database/ordered-ids.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { FileTypeName } from '../../platform/text/file-types.ts';
import { type Arrival, checkName, createInspection, type ReadRange, refusal, tooLargeError } from './arrival.ts';
import { chargeOf, createFileCharges, firstCharge } from './file-charges.ts';
import { removalTime } from './file-content.ts';
import type { FileStores } from './file-stores.ts';
import { createFileWriting, isCutOff, WRITER_MS, Writing } from './file-writing.ts';
import { CHUNK_BYTES, type ChunkCollection, type FileCollection, type FileDocument } from './files.model.ts';
import type { Scanner } from './scanner.ts';

const HOUR_MS = 3_600_000;
/** The files that one process receives at the same time: in total, of an app, of a network. */
const MAX_RECEIVING = 400;
const MAX_RECEIVING_OF_APP = 200;
const MAX_RECEIVING_OF_NETWORK = 100;
/** The files that one process examines at the same time, with 1 MB of their content. */
const MAX_FINISHING = 8;
const MAX_FINISHING_OF_APP = 6;

/** A file that is wholly stored. */
export interface ArrivedFile {
  id: UUID;
  /** Names the file in one submission; empty if the staff sent it. */
  token: string;
  name: string;
  type: FileTypeName;
  size: number;
  sha256: string;
  /** The end of the token. */
  expiresAt: Date;
}

/** Bytes of a file, from 0, inclusive. */
export interface UploadPart {
  /** Absent: the first part. */
  token?: string | undefined;
  first: number;
  last: number;
  /** The bytes of the file, once the client knows them. */
  total?: number | undefined;
}

/** The file goes on. `received`: its bytes so far. */
export interface Continued {
  token: string;
  received: number;
}

export type Incoming = ReturnType<typeof createIncomingFiles>;

/**
 * Receives files (spec 4.14.1): the document first, then chunks, each while the document says that
 * this request may write them, then one examination of what is stored.
 *
 * @param deps.content files arrive in the database; when they are whole, some go to the bucket
 */
export function createIncomingFiles(deps: {
  files: FileCollection;
  chunks: ChunkCollection;
  content: FileStores;
  scanner: Scanner | undefined;
  clock: Pick<DatabaseClock, 'read'>;
  limits: Config['fileLimits'];
}) {
  const { files, chunks, content, scanner, clock, limits } = deps;
  const { database } = content;
  const charges = createFileCharges(files, limits);
  const { fill, asWriter, discard, giveBack } = createFileWriting({ files, chunks, content, charges });
  const inspect = createInspection(scanner);
  const newId = createOrderedIds();
  const receiving = new FairQueue({ slots: MAX_RECEIVING, perKey: MAX_RECEIVING_OF_APP });
  const sending = new FairQueue({ slots: MAX_RECEIVING, perKey: MAX_RECEIVING_OF_NETWORK });
  const finishing = new FairQueue({ slots: MAX_FINISHING, perKey: MAX_FINISHING_OF_APP });
  const largest = ({ maxBytes = limits.perFile }: Arrival['field']): number => Math.min(maxBytes, limits.perFile);

  async function inTurn<T>({ appId, network }: Arrival, work: () => Promise<T>): Promise<T> {
    const turns = [receiving.join(appId.toHexString())];
    if (network !== undefined) turns.push(sending.join(network));
    try {
      if (!turns.every(({ hasBegun }) => hasBegun)) throw new Unavailable('tooManyUploads', 5);
      return await work();
    } finally {
      for (const turn of turns) turn.end();
    }
  }

  /**
   * Stores the document of a file, and takes it back if the file is too much.
   * @param brought the bytes that its first request brings, if they are known
   */
  async function begin(arrival: Arrival, name: string, token: string, brought?: number): Promise<Writing> {
    const { appId, field, version, network, declared = 0 } = arrival;
    const charged = firstCharge(brought ?? 0);
    const now = await clock.read();
    const expiresAt = new Date(now.getTime() + HOUR_MS);
    const writer = newId(now);
    const file: FileDocument = {
      _id: arrival.id ?? newId(now),
      length: 0,
      chunkSize: CHUNK_BYTES,
      uploadDate: now,
      filename: name,
      metadata: {
        appId,
        field: field.key,
        version,
        state: 'arriving',
        store: content.store,
        ...(network !== undefined && { network, token: hashOf(token) }),
        charged,
        expiresAt,
        checkAt: expiresAt,
        writer: { id: writer, until: new Date(now.getTime() + WRITER_MS) },
      },
    };
    await files.insertOne(file);
    const state = new Writing(file, writer);
    try {
      // A file that cannot fit is refused before it is read.
      await charges.check(file, Math.max(0, declared - charged));
    } catch (error) {
      await discard(state);
      throw error;
    }
    return state;
  }

  /** Examines a file of which all bytes arrived, and makes it whole. */
  async function finish(state: Writing, arrival: Arrival): Promise<FileDocument> {
    const { file } = state;
    const turn = finishing.join(file.metadata.appId.toHexString());
    try {
      if (!turn.hasBegun) await turn.begun;
      return await examineAndStore(state, arrival);
    } finally {
      turn.end();
    }
  }

  async function examineAndStore(state: Writing, arrival: Arrival): Promise<FileDocument> {
    const { file } = state;
    const whole = { start: 0, end: file.length - 1 };
    const { type, sha256, scan } = await inspect(arrival, file.filename, file.length, (range) =>
      database.read(file, range),
    );
    const isForBucket = file.metadata.store === 's3';
    if (isForBucket) await content.of(file.metadata).put(file, database.read(file, whole));
    const change = {
      'metadata.state': 'whole',
      'metadata.type': type,
      'metadata.sha256': sha256,
      ...(scan && { 'metadata.scan': scan }),
      'metadata.charged': chargeOf(file.length),
      'metadata.expiresAt': { $add: ['$$NOW', HOUR_MS] },
      'metadata.checkAt': { $add: ['$$NOW', HOUR_MS] },
    };
    const filter = { ...state.mayWrite(), length: file.length };
    const stored = await files.findOneAndUpdate(filter, [{ $set: change }, { $unset: 'metadata.writer' }], {
      returnDocument: 'after',
    });
    if (!stored) {
      if (isForBucket) await removeIfGone(file);
      throw new Conflict('fileBeingSent');
    }
    // What stays after a failure is found by the check of the file.
    if (isForBucket) await database.remove([stored]).catch(() => undefined);
    return stored;
  }

  /** Removes what came to the bucket after its app was deleted. */
  async function removeIfGone({ _id, length, metadata }: FileDocument): Promise<void> {
    const now = await clock.read();
    const found = await files.findOne({ _id, 'metadata.appId': metadata.appId }, { projection: { _id: 1 } });
    if (!found) await content.remove([{ _id, length, metadata }], removalTime(clock, now));
  }

  /** Takes over a file of which a part has arrived. */
  async function takeOver({ appId, field }: Arrival, token: string, first: number): Promise<Writing> {
    const now = await clock.read();
    const writer = newId(now);
    const found = await find(appId, field.key, token);
    const filter = {
      _id: found?._id ?? writer,
      'metadata.appId': appId,
      'metadata.state': 'arriving' as const,
      length: first,
      $expr: {
        $and: [
          { $gt: ['$metadata.expiresAt', '$$NOW'] },
          // An absent time is before every other one.
          { $lt: [{ $ifNull: ['$metadata.writer.until', EPOCH] }, { $subtract: ['$$NOW', STATEMENT_ENDS_MS] }] },
        ],
      },
    };
    const change = [{ $set: { 'metadata.writer': { id: writer, until: { $add: ['$$NOW', WRITER_MS] } } } }];
    const file = await files.findOneAndUpdate(filter, change, { returnDocument: 'after' });
    return file ? new Writing(file, writer) : Promise.reject(await explain({ appId, field }, token, first, now));
  }

  async function explain(
    { appId, field }: Pick<Arrival, 'appId' | 'field'>,
    token: string,
    first: number,
    now: Date,
  ): Promise<Error> {
    const found = await find(appId, field.key, token);
    if (!found || found.metadata.state === 'removing' || found.metadata.expiresAt <= now || isUsed(found)) {
      return refusal(field.key, 'fileToken');
    }
    const { state, writer } = found.metadata;
    const isBeingSent = state === 'arriving' && writer && writer.until.getTime() + STATEMENT_ENDS_MS >= now.getTime();
    // While bytes are stored, their number is no place to go on.
    if (isBeingSent || (state === 'arriving' && found.length === first)) return new Conflict('fileBeingSent');
    return continuesAt(found.length);
  }

  const find = (appId: ObjectId, field: string, token: string): Promise<FileDocument | null> =>
    files.findOne({ 'metadata.appId': appId, 'metadata.token': hashOf(token), 'metadata.field': field });

  /** The file of a last part that was sent again, because its first answer was lost. */
  async function findComplete({ appId, field }: Arrival, { token = '', last, total }: UploadPart) {
    if (token === '' || total !== last + 1) return undefined;
    const found = await find(appId, field.key, token);
    if (found?.length !== total) return undefined;
    const { state, expiresAt } = found.metadata;
    if (state === 'arriving') return found;
    return state === 'whole' && !isUsed(found) && expiresAt > (await clock.read()) ? found : undefined;
  }

  return {
    /**
     * Receives a whole file; resolves when it is durable. On an error nothing of it stays.
     * @throws {InvalidInput} `fileName`, `fileEmpty`, `fileType`, `fileInfected`
     * @throws {TooLarge} for the file or the app
     * @throws {TooManyRequests} for the network @throws {Unavailable}
     */
    async receive(arrival: Arrival, source: AsyncIterable<Buffer>): Promise<ArrivedFile> {
      const { field, declared, network } = arrival;
      const name = checkName(arrival);
      const most = largest(field);
      if (declared !== undefined && declared > most) throw tooLargeError(most);
      return inTurn(arrival, async () => {
        const token = network === undefined ? '' : newToken();
        const state = await begin(arrival, name, token, declared);
        return asWriter(state, async () => {
          try {
            await fill(state, source, most, declared);
            return presentArrived(await finish(state, arrival), token);
          } catch (error) {
            await discard(state);
            throw error;
          }
        });
      });
    },

    /**
     * Has the cleaner remove a file of the staff now whose record was refused. It stays if a write
     * has claimed it, and may be on its way (file-claims.ts). Never rejects: otherwise its hour
     * ends.
     */
    async withdraw(appId: ObjectId, id: UUID): Promise<void> {
      const isAbsent = { $exists: false };
      const unnamed = typedFilter<FileDocument>({
        _id: id,
        'metadata.appId': appId,
        'metadata.state': 'whole',
        'metadata.token': isAbsent,
        'metadata.record': isAbsent,
        'metadata.held': isAbsent,
        'metadata.claim': isAbsent,
      });
      const isOver = { 'metadata.expiresAt': '$$NOW', 'metadata.checkAt': '$$NOW' };
      await files.updateOne(unnamed, [{ $set: isOver }]).catch(() => undefined);
    },

    /** Refuses a file as `receive` does, and stores nothing. @param size the number of its bytes */
    async check(arrival: Arrival, size: number, read: ReadRange): Promise<void> {
      const name = checkName(arrival);
      const most = largest(arrival.field);
      if (size > most) throw tooLargeError(most);
      await inspect(arrival, name, size, read);
    },

    /**
     * Receives a part of a file; resolves with the file when the part was the last one. What
     * arrived of a later part stays when its connection ends, and goes with a refusal; of a first
     * one nothing stays, as nobody knows its token. A last part may be repeated.
     * @throws {AppError} 416 with `received` when the file continues elsewhere
     * @throws {Conflict} while another request sends a part
     * @throws as `receive`, and {InvalidInput} `fileToken`
     */
    async receivePart(
      arrival: Arrival,
      part: UploadPart,
      source: AsyncIterable<Buffer>,
    ): Promise<ArrivedFile | Continued> {
      const { field } = arrival;
      const { first, last, total } = part;
      const name = checkName(arrival);
      const most = largest(field);
      if (Math.max(total ?? 0, last + 1) > most) throw tooLargeError(most);
      const isFirst = part.token === undefined;
      if (isFirst && first > 0) throw continuesAt(0);
      return inTurn(arrival, async () => {
        const token = part.token ?? newToken();
        const complete = await findComplete(arrival, part);
        if (complete?.metadata.state === 'whole') return presentArrived(complete, token);
        const from = complete?.length ?? first;
        const state = isFirst
          ? await begin({ ...arrival, declared: total }, name, token, last + 1)
          : await takeOver(arrival, token, from);
        return asWriter(state, async () => {
          try {
            if (!complete) await fill(state, source, last + 1 - first);
            if (state.file.length === total) return presentArrived(await finish(state, arrival), token);
            await giveBack(state);
            return { token, received: state.file.length };
          } catch (error) {
            const isRefused = [InvalidInput, TooLarge, TooManyRequests].some((type) => error instanceof type);
            if (isFirst || isRefused) await discard(state);
            // After another error a statement may still be on its way.
            else if (error instanceof AppError || isCutOff(error)) await giveBack(state);
            throw error;
          }
        });
      });
    },
  };
}

const EPOCH = new Date(0);

/** Whether a submission used the token of a file up. It is then unknown (spec 4.5.5). */
const isUsed = ({ metadata: { record, held } }: FileDocument): boolean => !!record || !!held;

const newToken = (): string => randomBytes(32).toString('base64url');

/** The stored form of a token. */
export function hashOf(token: string): Binary {
  return new Binary(createHash('sha256').update(token).digest());
}

function presentArrived({ _id, filename, length, metadata }: FileDocument, token: string): ArrivedFile {
  const { type, sha256 = '', expiresAt } = metadata;
  return { id: _id, token, name: filename, type: type as FileTypeName, size: length, sha256, expiresAt };
}

const continuesAt = (received: number): AppError =>
  new AppError(416, say('contentContinues', { byte: received }), { facts: { received } });
