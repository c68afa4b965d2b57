import { promisify } from 'node:util';
import { gunzip, type InputType, inflate, type ZlibOptions } from 'node:zlib';
import type { Request } from 'express';
import pLimit from 'p-limit';
import { clientNetwork } from '../../core/client-network.ts';
import { AppError, InvalidInput, TooLarge } from '../../core/errors.ts';
import type { Deadline } from '../deadline.ts';
import { type BodyPlaces, createBodyPlaces } from './body-places.ts';
import { GrowingBuffer } from './growing-buffer.ts';

/**
 * Maximum number of concurrent decompressions. Each takes at most the body limit and 64 kB of
 * memory.
 */
const MAX_DECODERS = 4;
/** Bytes that gzip and deflate may add to incompressible data. */
const ENCODING_OVERHEAD = 1_024;
/**
 * A body may arrive in MAX_PIECES pieces plus one for each MIN_PIECE_BYTES of the limit. Each piece
 * costs about 4 us, so a body of single bytes would block the event loop.
 */
const MAX_PIECES = 1_000;
const MIN_PIECE_BYTES = 64;
const EMPTY: Buffer = Buffer.alloc(0);

const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*("?)([^"\s;]*)\1[ \t]*(?:;|$)/i;

type Decode = (bytes: InputType, options: ZlibOptions) => Promise<Buffer>;
const DECODERS = new Map<string, Decode>([
  ['gzip', promisify<InputType, ZlibOptions, Buffer>(gunzip)],
  ['x-gzip', promisify<InputType, ZlibOptions, Buffer>(gunzip)],
  ['deflate', promisify<InputType, ZlibOptions, Buffer>(inflate)],
]);

/**
 * Reads the bytes of a body, decompressed. Returns them without a promise when the body arrived
 * with its headers and is not compressed, which is the common case.
 * @param deadline of the request; the time that the client takes to send the body does not count
 * @param limit the largest body after decompression, in bytes, if smaller than for all bodies
 * @throws {AppError}
 */
export type ReadBytes = (req: Request, deadline: Deadline, limit?: number) => Buffer | Promise<Buffer>;

/**
 * Creates a reader of bodies of at most `limitOfAll` bytes after decompression, of any media type.
 * All readers of one server share it, so that its limits hold for all bodies together.
 *
 * A compressed body is decompressed after all of it has arrived, so an incomplete body occupies no
 * decoder. Brotli is refused: its decoder allocates 16 MB on the first bytes of a body.
 */
export function createBytesReader(limitOfAll: number, places = createBodyPlaces(limitOfAll)): ReadBytes {
  const decoding = pLimit(MAX_DECODERS);
  return (req, deadline, limit = limitOfAll) => {
    const encoding = encodingOf(req);
    const decode = encoding === undefined ? undefined : decoderOf(encoding);
    const maxBytes = decode ? limit + ENCODING_OVERHEAD : limit;
    const length = Number(req.headers['content-length'] ?? Number.NaN);
    if (length > maxBytes) throw tooLarge();
    const hasArrived = req.complete || req.readableLength === length;
    const sent = hasArrived ? takeBody(req, maxBytes) : receive(req, maxBytes, places, deadline);
    return decode ? decompress(sent, decode, limit) : sent;
  };

  async function decompress(sent: Buffer | Promise<Buffer>, decode: Decode, limit: number): Promise<Buffer> {
    return decoding(decoded, await sent, decode, limit);
  }
}

/** Whether a request has a body of any type. */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The media type of a request in lower case, without parameters; empty when it names none. */
export function mediaTypeOf({ headers }: Request): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

/** @throws {InvalidInput} when a `Content-Type` names another charset than UTF-8 */
export function checkCharset(contentType: string): void {
  const charset = CHARSET.exec(contentType)?.[2] ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') throw notUtf8();
}

export function notUtf8(): InvalidInput {
  return new InvalidInput('The request body must be UTF-8');
}

function encodingOf({ headers }: Request): string | undefined {
  const encoding = headers['content-encoding']?.toLowerCase();
  return encoding === 'identity' ? undefined : encoding;
}

/** Spec 4: 415 for an unknown encoding. */
function decoderOf(encoding: string): Decode {
  const decode = DECODERS.get(encoding);
  if (!decode) throw new AppError(415, 'Unsupported Content-Encoding: use gzip, deflate or identity');
  return decode;
}

async function decoded(bytes: Buffer, decode: Decode, limit: number): Promise<Buffer> {
  try {
    return await decode(bytes, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new InvalidInput('The request body cannot be read');
  }
}

/** Reads a body that arrived with its headers, which is the common case, without waiting. */
function takeBody(req: Request, limit: number): Buffer {
  if (req.destroyed) throw cutOff();
  if (req.readableLength > limit) throw tooLarge();
  const bytes = (req.read() as Buffer | null) ?? EMPTY;
  // Node may emit 'end' only after the last bytes, and keeps the request until it is consumed.
  req.resume();
  return bytes;
}

/**
 * Reads a body that is still arriving. It stays unread in the socket until there is a place for it.
 */
async function receive(req: Request, limit: number, places: BodyPlaces, deadline: Deadline): Promise<Buffer> {
  const network = clientNetwork(req.ip ?? '');
  await places.enter(network);
  try {
    return await deadline.suspend(collect(req, limit));
  } finally {
    places.leave(network);
  }
}

/** Reads all bytes of a body. After a failure, what was read is freed and the rest is not read. */
function collect(req: Request, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const buffer = new GrowingBuffer(limit);
    const maxPieces = MAX_PIECES + limit / MIN_PIECE_BYTES;
    let pieces = 0;
    const onEnd = (): void => settle(() => resolve(buffer.take()));
    const fail = (error: AppError): void =>
      settle(() => {
        req.pause();
        buffer.take();
        reject(error);
      });
    const onError = (): void => fail(new InvalidInput('The request body cannot be read'));
    const onClose = (): void => fail(cutOff());
    const onData = (chunk: Buffer): void => {
      pieces += 1;
      if (pieces > maxPieces) fail(new InvalidInput('The request body comes in too many pieces'));
      else if (!buffer.add(chunk)) fail(tooLarge());
    };
    const settle = (complete: () => void): void => {
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      complete();
    };
    if (req.destroyed) return void reject(cutOff());
    // This listener stays: the connection may still emit an error later.
    req.on('error', onError);
    req.on('end', onEnd).on('close', onClose).on('data', onData);
  });
}

function cutOff(): AppError {
  return new InvalidInput('The request body was cut off');
}

function tooLarge(): AppError {
  return new TooLarge('The request body is too large');
}
