import { promisify, TextDecoder } from 'node:util';
import { gunzip, type InputType, inflate, type ZlibOptions } from 'node:zlib';
import type { Request } from 'express';
import pLimit from 'p-limit';
import { clientNetwork } from '../core/client-network.ts';
import { AppError, InvalidInput, TooLarge, Unavailable } from '../core/errors.ts';
import { FairQueue } from '../core/fair-queue.ts';
import { withTimeout } from '../core/timeouts.ts';
import type { Deadline } from './deadline.ts';

/** The concurrent decompressions. Each takes at most the body limit and 64 kB of memory. */
const MAX_DECODERS = 4;
/** Bytes that gzip and deflate may add to incompressible data. */
const ENCODING_OVERHEAD = 1_024;
/** The pieces of a body, plus one per 64 bytes of the limit: a piece costs about 4 us. */
const MAX_PIECES = 1_000;
const MIN_PIECE_BYTES = 64;
const EMPTY: Buffer = Buffer.alloc(0);

const CHARSET = /^charset[ \t]*=[ \t]*("?)([^"\s]*)\1$/i;

/** The most pieces in which so many bytes may arrive. */
export const maxPiecesOf = (bytes: number): number => MAX_PIECES + bytes / MIN_PIECE_BYTES;

type Decode = (bytes: InputType, options: ZlibOptions) => Promise<Buffer>;
const DECODERS = new Map<string, Decode>([
  ['gzip', promisify<InputType, ZlibOptions, Buffer>(gunzip)],
  ['x-gzip', promisify<InputType, ZlibOptions, Buffer>(gunzip)],
  ['deflate', promisify<InputType, ZlibOptions, Buffer>(inflate)],
]);

/**
 * Reads the bytes of a body, decompressed. The result is no promise when the body arrived with its
 * headers and is not compressed. The time in which the client sends does not count (`deadline`).
 * @param limit the largest body after decompression, in bytes, if smaller than for all bodies
 * @throws {AppError}
 */
export type ReadBytes = (req: Request, deadline: Deadline, limit?: number) => Buffer | Promise<Buffer>;

/**
 * Creates a reader of bodies of at most `limitOfAll` bytes after decompression. Its limits hold for
 * all bodies of a server together. A body is decompressed after all of it has arrived, so an
 * incomplete body occupies no decoder. Brotli is refused: its decoder allocates 16 MB at once.
 * @param memory for all bodies that are being received, in bytes
 */
export function createBytesReader(limitOfAll: number, memory = BODY_MEMORY): ReadBytes {
  const inPlace = createBodyPlaces(limitOfAll, { memory });
  const decoding = pLimit(MAX_DECODERS);
  return (req, deadline, limit = limitOfAll) => {
    const encoding = readEncoding(req);
    const decode = encoding === undefined ? undefined : findDecoder(encoding);
    const maxBytes = decode ? limit + ENCODING_OVERHEAD : limit;
    const length = Number(req.headers['content-length'] ?? Number.NaN);
    if (length > maxBytes) throw bodyTooLarge();
    const sent = hasArrived(req) ? takeBody(req, maxBytes) : receive(req, maxBytes, deadline);
    return decode ? decompress(sent, decode, limit) : sent;
  };

  /** Reads a body that is still arriving. It stays unread in the socket until it has a place. */
  function receive(req: Request, maxBytes: number, deadline: Deadline): Promise<Buffer> {
    return inPlace(clientNetwork(req.ip ?? ''), () => deadline.suspend(collect(req, maxBytes)));
  }

  async function decompress(sent: Buffer | Promise<Buffer>, decode: Decode, limit: number): Promise<Buffer> {
    return decoding(decoded, await sent, decode, limit);
  }
}

/** Whether all of a body can be read without a wait. */
export function hasArrived({ complete, readableLength, headers }: Request): boolean {
  return complete || readableLength === Number(headers['content-length'] ?? Number.NaN);
}

export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The media type of a request in lower case, without parameters; empty when it names none. */
export function readMediaType({ headers }: Request): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

/**
 * Returns the decoder of the charset that a `Content-Type` names; undefined when that is UTF-8, by
 * any of its labels in the Encoding Standard, or when it names none.
 * @throws {InvalidInput} for a charset that does not exist
 */
export function decoderOf(contentType: string): TextDecoder | undefined {
  if (!contentType.includes(';')) return undefined;
  const [, ...parameters] = contentType.split(';');
  const found = parameters.map((parameter) => CHARSET.exec(parameter.trim())).find((match) => match !== null);
  // A decoder costs microseconds, and most clients that name a charset name this one.
  if (!found || found[2]?.toLowerCase() === 'utf-8') return undefined;
  try {
    const decoder = new TextDecoder(found[2], { fatal: true });
    return decoder.encoding === 'utf-8' ? undefined : decoder;
  } catch {
    throw notUtf8Error();
  }
}

/** @throws {InvalidInput} when a `Content-Type` names another charset than UTF-8 */
export function checkCharset(contentType: string): void {
  if (decoderOf(contentType)) throw notUtf8Error();
}

export function notUtf8Error(): InvalidInput {
  return new InvalidInput('bodyNotUtf8');
}

function readEncoding({ headers }: Request): string | undefined {
  const encoding = headers['content-encoding']?.toLowerCase();
  return encoding === 'identity' || encoding === '' ? undefined : encoding;
}

export const isCompressed = (req: Request): boolean => readEncoding(req) !== undefined;

/** Spec 4: 415 for an unknown encoding. */
function findDecoder(encoding: string): Decode {
  const decode = DECODERS.get(encoding);
  if (!decode) throw new AppError(415, 'encodingUnsupported');
  return decode;
}

async function decoded(bytes: Buffer, decode: Decode, limit: number): Promise<Buffer> {
  try {
    return await decode(bytes, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw bodyTooLarge();
    throw new InvalidInput('bodyUnreadable');
  }
}

/** Reads a body that arrived with its headers. */
function takeBody(req: Request, limit: number): Buffer {
  if (req.destroyed) throw cutOffError();
  if (req.readableLength > limit) throw bodyTooLarge();
  const bytes = (req.read() as Buffer | null) ?? EMPTY;
  // Node may emit 'end' only after the last bytes, and keeps the request until it is consumed.
  req.resume();
  return bytes;
}

/** Reads all bytes of a body. After a failure, what was read is freed and the rest is not read. */
function collect(req: Request, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const buffer = new GrowingBuffer(limit);
    const maxPieces = maxPiecesOf(limit);
    let pieces = 0;
    const onEnd = (): void => settle(() => resolve(buffer.take()));
    const fail = (error: AppError): void =>
      settle(() => {
        req.pause();
        buffer.take();
        reject(error);
      });
    const onError = (): void => fail(new InvalidInput('bodyUnreadable'));
    const onClose = (): void => fail(cutOffError());
    const onData = (chunk: Buffer): void => {
      pieces += 1;
      if (pieces > maxPieces) fail(new InvalidInput('bodyInPieces'));
      else if (!buffer.add(chunk)) fail(bodyTooLarge());
    };
    const settle = (complete: () => void): void => {
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      complete();
    };
    if (req.destroyed) return void reject(cutOffError());
    // This listener stays: the connection may still emit an error later.
    req.on('error', onError);
    req.on('end', onEnd).on('close', onClose).on('data', onData);
  });
}

export function cutOffError(): AppError {
  return new InvalidInput('bodyCutOff');
}

export function bodyTooLarge(): AppError {
  return new TooLarge('bodyTooLarge');
}

/** Memory for all bodies that are being received, in bytes. */
const BODY_MEMORY = 128 * 1024 * 1024;
const MAX_PLACES = 1_024;
const MIN_PLACES = 8;
/** Share of the places that one client network may hold: 256 of 1,024. */
const NETWORK_SHARE = 1 / 4;
/** Shorter than the request deadline, so that the error message names the reason. */
const MAX_WAIT_MS = 1_000;

type InPlace = <T>(network: string, work: () => Promise<T>) => Promise<T>;

/**
 * Limits the number of request bodies that are received at the same time. Each takes up to the body
 * limit in memory until it is complete. A body that arrived together with its headers needs no
 * place. The work is refused with {@link Unavailable} after `maxWaitMs` without a place, or at once
 * when too many requests wait.
 *
 * @param bodyLimit the largest body in bytes @param memory for all of them, in bytes
 */
export function createBodyPlaces(
  bodyLimit: number,
  { memory = BODY_MEMORY, maxWaitMs = MAX_WAIT_MS }: { memory?: number; maxWaitMs?: number } = {},
): InPlace {
  const slots = Math.min(MAX_PLACES, Math.max(MIN_PLACES, Math.floor(memory / bodyLimit)));
  const perKey = Math.ceil(slots * NETWORK_SHARE);
  const queue = new FairQueue({ slots, perKey });
  return async (network, work) => {
    const turn = queue.join(network);
    try {
      if (!turn.hasBegun) {
        // A waiting request holds the bytes that arrived with its headers, so the same limits
        // apply.
        if (queue.waiting > slots || queue.waitingOf(network) > perKey) throw tooManyError();
        await withTimeout(turn.begun, maxWaitMs, tooManyError);
      }
      return await work();
    } finally {
      turn.end();
    }
  };
}

function tooManyError(): Unavailable {
  return new Unavailable('tooManyBodies', 1);
}

/** Joins chunks up to a limit in bytes. An array of one-byte chunks takes 200 times as much. */
export class GrowingBuffer {
  readonly #limit: number;
  #bytes: Buffer = EMPTY;
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a chunk. Returns false and does not add it when the total exceeds the limit. */
  add(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#limit) return false;
    if (this.#length === 0) {
      this.#bytes = chunk;
    } else {
      if (length > this.#bytes.length) this.#grow(length);
      chunk.copy(this.#bytes, this.#length);
    }
    this.#length = length;
    return true;
  }

  /** Returns the bytes and releases the buffer. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = EMPTY;
    this.#length = 0;
    return bytes;
  }

  #grow(minLength: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#limit, Math.max(2 * minLength, 4_096)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
