import { createHash, randomBytes } from 'node:crypto';
import { Binary, type Document, type Filter, ObjectId, type UUID } from 'mongodb';
import type { FileTypeName } from '../../fields/base/file-types.ts';
import { typeOfName } from '../../fields/base/file-types.ts';
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
import { STATEMENT_TIME_MS } from '../../platform/database/collections.ts';
import { insertGuarded, insertTarget } from '../../platform/database/guarded-insert.ts';
import { type PlainCode, type Reason, say, toReason } from '../../platform/languages/reasons.ts';
import { createRecordIds } from '../stored/record-id.ts';
import type { ByteRange } from './file-content.ts';
import type { FileStores } from './file-stores.ts';
import { examine, safeName } from './file-types.ts';
import {
  BY_NETWORK,
  BY_SIZE,
  CHUNK_BYTES,
  type ChunkCollection,
  type FileCollection,
  type FileDocument,
} from './files.model.ts';
import { type Scanner, ScannerAway } from './scanner.ts';

/** A megabyte of the limits of files. */
export const MB = 1_000_000;
const HOUR_MS = 3_600_000;
/** Files that no record names, of one network in an hour. */
const MAX_OF_NETWORK = 200 * MB;
/** What a file counts at least, so that small ones are few. */
const MIN_CHARGED = 4_096;
/** The files that one process receives at the same time: in total, of an app, of a network. */
const MAX_RECEIVING = 400;
const MAX_RECEIVING_OF_APP = 200;
const MAX_RECEIVING_OF_NETWORK = 100;
/** The chunks that one process stores at the same time. The driver needs about 1 MB for each. */
const MAX_WRITING = 8;
const MAX_WRITING_OF_APP = 6;
/** The files that one process examines at the same time, with 1 MB of their content. */
const MAX_FINISHING = 8;
const MAX_FINISHING_OF_APP = 6;
/** How long a request may write without word from its process. */
const WRITER_MS = 30_000;
const RENEW_MS = 10_000;
/** A statement that began while its writer might may last for its time limit. */
const WRITES_END_MS = STATEMENT_TIME_MS + 2_000;
/** How long the document of a removed file stays, for what arrives late. */
export const REMOVED_MS = 30_000;

/** A file that is about to be sent. */
export interface Arrival {
  appId: ObjectId;
  field: { key: string; types: readonly FileTypeName[]; maxBytes?: number | undefined };
  /** As the client sent it. */
  name: string;
  /** The number of its bytes, if the client says it. */
  declared?: number | undefined;
  /** The network that sends it. Absent: the staff sends it, who needs no token. */
  network?: string | undefined;
  /** The id that it gets, and the hash that it must have, if the sender knows them. */
  id?: UUID | undefined;
  sha256?: string | undefined;
}

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
export interface Part {
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

type ReadRange = (range: ByteRange) => AsyncIterable<Buffer>;

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
  const newId = createRecordIds();
  const target = insertTarget(chunks, ['files_id', 'n']);
  const receiving = new FairQueue({ slots: MAX_RECEIVING, perKey: MAX_RECEIVING_OF_APP });
  const sending = new FairQueue({ slots: MAX_RECEIVING, perKey: MAX_RECEIVING_OF_NETWORK });
  const writing = new FairQueue({ slots: MAX_WRITING, perKey: MAX_WRITING_OF_APP });
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

  /** Stores the document of a file, and takes it back if it is too much. */
  async function begin(arrival: Arrival, name: string, token: string): Promise<Writing> {
    const { appId, field, network, declared } = arrival;
    const charged = Math.max(declared ?? largest(field), MIN_CHARGED);
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
      await checkSums(appId, network, now);
    } catch (error) {
      await discard(state);
      throw error;
    }
    return state;
  }

  /** Two files that together are too much may both be taken back. */
  async function checkSums(appId: ObjectId, network: string | undefined, now: Date): Promise<void> {
    const since = new Date(now.getTime() - HOUR_MS);
    const [ofApp, ofNetwork] = await Promise.all([
      sumOf({ 'metadata.appId': appId }, '$metadata.charged', BY_SIZE),
      network === undefined
        ? 0
        : sumOf({ 'metadata.network': network, uploadDate: { $gt: since } }, UNNAMED_BYTES, BY_NETWORK),
    ]);
    if (ofApp > limits.perApp) throw new TooLarge(say('appFilesTooLarge', { max: limits.perApp / MB }));
    if (ofNetwork > MAX_OF_NETWORK) throw new TooManyRequests('tooManyFileBytes', 600);
  }

  async function sumOf($match: Filter<FileDocument>, $sum: string | object, hint: Document): Promise<number> {
    const sum = { $group: { _id: null, bytes: { $sum } } };
    const [found] = await files.aggregate<{ bytes: number }>([{ $match }, sum], { hint }).toArray();
    return found?.bytes ?? 0;
  }

  /** Stores a chunk and counts its bytes. @throws {Conflict} when another request writes */
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
   * @param most the bytes that it may have
   * @throws {TooLarge} when it has more
   */
  async function fill(state: Writing, source: AsyncIterable<Buffer>, most: number): Promise<void> {
    const { file } = state;
    let n = Math.floor(file.length / CHUNK_BYTES);
    let size = file.length % CHUNK_BYTES;
    // Copied, because a part of few bytes takes much more memory than these.
    let chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, size + most));
    if (size > 0) await readStart(file, n, chunk.subarray(0, size));
    let stored = size;
    let left = most;
    const flush = async (): Promise<void> => {
      await store(state, n, chunk.subarray(0, size));
      stored = size;
      if (size < CHUNK_BYTES) return;
      [n, size, stored] = [n + 1, 0, 0];
      // The driver may still send the last one, after its time limit.
      chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, left));
    };
    try {
      for await (const part of source) {
        if (part.length > left) throw tooLargeError(most);
        for (let at = 0; at < part.length; ) {
          const copied = part.copy(chunk, size, at);
          at += copied;
          size += copied;
          left -= copied;
          if (size === CHUNK_BYTES) await flush();
        }
      }
    } catch (error) {
      if (isCutOff(error) && size > stored) await flush();
      throw error;
    }
    if (size > stored) await flush();
  }

  async function readStart(file: FileDocument, n: number, into: Buffer): Promise<void> {
    let at = 0;
    const range = { start: n * CHUNK_BYTES, end: n * CHUNK_BYTES + into.length - 1 };
    for await (const bytes of database.read(file, range)) at += bytes.copy(into, at);
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

  /** Resolves with what the content is. @throws {InvalidInput} when it is refused */
  async function inspect({ field: { key, types }, sha256 }: Arrival, name: string, size: number, read: ReadRange) {
    const whole = { start: 0, end: size - 1 };
    const type = typeOfName(name);
    const examination = type && examine(type);
    const hash = createHash('sha256');
    for await (const bytes of read(whole)) {
      hash.update(bytes);
      examination?.add(bytes);
    }
    const digest = hash.digest('hex');
    if (sha256 !== undefined && digest !== sha256) throw refusal(key, 'fileChanged');
    const isOfType = await examination?.end((start, end) => readRange(read, start, end));
    if (!type || !isOfType || !types.includes(type)) throw refusal(key, typeProblem(types));
    const scan = await scanned(() => read(whole));
    if (scan === 'infected') throw refusal(key, 'fileInfected');
    return { type, sha256: digest, scan };
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
      'metadata.charged': Math.max(file.length, MIN_CHARGED),
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

  /** A file waits while the scanner is away, and nobody can read it (file-scans.ts). */
  async function scanned(read: () => AsyncIterable<Buffer>): Promise<'infected' | 'waiting' | undefined> {
    try {
      return (await scanner?.isInfected(read())) ? 'infected' : undefined;
    } catch (error) {
      if (error instanceof ScannerAway) return 'waiting';
      throw error;
    }
  }

  /** Removes what came to the bucket after its app was deleted. */
  async function removeIfGone({ _id, length, metadata }: FileDocument): Promise<void> {
    const found = await files.findOne({ _id, 'metadata.appId': metadata.appId }, { projection: { _id: 1 } });
    if (!found) await content.remove([{ _id, length, metadata }]);
  }

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

  async function giveBack(state: Writing): Promise<void> {
    await files.updateOne(state.isMine(), { $unset: { 'metadata.writer': '' } }).catch(() => undefined);
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

  /** @throws {InvalidInput} when the name is none, or of a type that the field does not take */
  function checkName({ name: given, field }: Arrival): string {
    const name = safeName(given);
    if (name === '') throw refusal(field.key, 'fileName');
    const type = typeOfName(name);
    if (!type || !field.types.includes(type)) throw refusal(field.key, typeProblem(field.types));
    return name;
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
          { $lt: [{ $ifNull: ['$metadata.writer.until', EPOCH] }, { $subtract: ['$$NOW', WRITES_END_MS] }] },
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
    if (!found || found.metadata.state === 'removing' || found.metadata.expiresAt <= now) {
      return refusal(field.key, 'fileToken');
    }
    if (found.length !== first || found.metadata.state === 'whole') return continuesAt(found.length);
    return new Conflict('fileBeingSent');
  }

  const find = (appId: ObjectId, field: string, token: string): Promise<FileDocument | null> =>
    files.findOne({ 'metadata.appId': appId, 'metadata.token': hashOf(token), 'metadata.field': field });

  /** The file of a last part that was sent again, because its first answer was lost. */
  async function findComplete({ appId, field }: Arrival, { token = '', last, total }: Part) {
    if (token === '' || total !== last + 1) return undefined;
    const found = await find(appId, field.key, token);
    if (found?.length !== total) return undefined;
    const { state, record, held, expiresAt } = found.metadata;
    if (state === 'arriving') return found;
    const isUnused = state === 'whole' && !record && !held;
    return isUnused && expiresAt > (await clock.read()) ? found : undefined;
  }

  return {
    /**
     * Receives a whole file; resolves when it is durable. On an error nothing of it stays.
     * @throws {InvalidInput} `fileName`, `fileType`, `fileInfected`
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
        const state = await begin(arrival, name, token);
        return asWriter(state, async () => {
          try {
            await fill(state, source, most);
            return presentArrived(await finish(state, arrival), token);
          } catch (error) {
            await discard(state);
            throw error;
          }
        });
      });
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
     * arrived of a later part stays when its connection ends; of a first one nothing, as nobody
     * knows its token. A last part may be repeated.
     * @throws {AppError} 416 with `received` when the file continues elsewhere
     * @throws {Conflict} while another request sends a part
     * @throws as `receive`, and {InvalidInput} `fileToken`
     */
    async receivePart(arrival: Arrival, part: Part, source: AsyncIterable<Buffer>): Promise<ArrivedFile | Continued> {
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
          ? await begin({ ...arrival, declared: total }, name, token)
          : await takeOver(arrival, token, from);
        return asWriter(state, async () => {
          try {
            // What it counts is what it may have.
            if (Math.max(total ?? last + 1, MIN_CHARGED) > state.file.metadata.charged) throw tooLargeError(most);
            if (!complete) await fill(state, source, last + 1 - first);
            if (state.file.length === total) return presentArrived(await finish(state, arrival), token);
            await giveBack(state);
            return { token, received: state.file.length };
          } catch (error) {
            if (isFirst || error instanceof InvalidInput) await discard(state);
            // After another error a statement may still be on its way.
            else if (error instanceof AppError || isCutOff(error)) await giveBack(state);
            throw error;
          }
        });
      });
    },
  };
}

async function readRange(read: ReadRange, start: number, end: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  if (end > start) for await (const bytes of read({ start, end: end - 1 })) parts.push(bytes);
  return Buffer.concat(parts);
}

const EPOCH = new Date(0);

/** The bytes of a file that no record names. An absent member is less than null, or it. */
const UNNAMED_BYTES = { $cond: [{ $gt: ['$metadata.record', null] }, 0, '$metadata.charged'] };

/** A file that a request writes. */
class Writing {
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

/** The same for each attempt at a chunk, because MongoDB does not replace an id. */
function chunkId(file: UUID, n: number): ObjectId {
  const bytes = Buffer.alloc(12);
  // The random part of the id.
  Buffer.from(file.buffer).copy(bytes, 0, 8, 16);
  bytes.writeUInt32BE(n, 8);
  return new ObjectId(bytes);
}

const newToken = (): string => randomBytes(32).toString('base64url');

/** The stored form of a token. */
export function hashOf(token: string): Binary {
  return new Binary(createHash('sha256').update(token).digest());
}

export function presentArrived({ _id, filename, length, metadata }: FileDocument, token: string): ArrivedFile {
  const { type, sha256 = '', expiresAt } = metadata;
  return { id: _id, token, name: filename, type: type as FileTypeName, size: length, sha256, expiresAt };
}

const typeProblem = (types: readonly FileTypeName[]): Reason => say('fileType', { types: types.join(', ') });

/** A refusal with the code of the problem of the field. */
function refusal(key: string, given: PlainCode | Reason): InvalidInput {
  return new InvalidInput(given, [{ path: `data.${key}`, ...toReason(given) }]);
}

const tooLargeError = (most: number): TooLarge => new TooLarge(say('fileTooLarge', { max: most / MB }));

const continuesAt = (received: number): AppError =>
  new AppError(416, say('contentContinues', { byte: received }), { facts: { received } });

function isCutOff(error: unknown): boolean {
  return (error as NodeJS.ErrnoException)?.code === 'ECONNRESET';
}
