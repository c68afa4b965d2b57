import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip, type InputType, inflate, type ZlibOptions } from 'node:zlib';
import type { Request } from 'express';
import pLimit from 'p-limit';
import { clientNetwork } from '../../core/client-network.ts';
import { AppError, InvalidInput, TooLarge } from '../../core/errors.ts';
import type { Deadline } from '../deadline.ts';
import { type BodyPlaces, createBodyPlaces } from './body-places.ts';
import { GrowingBuffer } from './growing-buffer.ts';
import { checkNumbers } from './json-numbers.ts';

const MAX_DEPTH = 20;
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

/** `application/json` with any parameters; CHARSET extracts the charset. */
const JSON_TYPE = /^application\/json[ \t]*(;|$)/i;
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*("?)([^"\s;]*)\1[ \t]*(?:;|$)/i;

type Decode = (bytes: InputType, options: ZlibOptions) => Promise<Buffer>;
const DECODERS = new Map<string, Decode>([
  ['gzip', promisify<InputType, ZlibOptions, Buffer>(gunzip)],
  ['x-gzip', promisify<InputType, ZlibOptions, Buffer>(gunzip)],
  ['deflate', promisify<InputType, ZlibOptions, Buffer>(inflate)],
]);

/**
 * Reads the body of a request; resolves with the parsed value.
 * @param deadline of the request; the time that the client takes to send the body does not count
 * @throws {AppError}
 */
export type ReadBody = (req: Request, deadline: Deadline) => Promise<unknown>;

/**
 * Creates a reader of JSON bodies of at most `limit` bytes after decompression. It accepts
 * `application/json` in UTF-8 only. Browsers send that type to another origin only after a
 * preflight, so this also protects cookie-authenticated endpoints from forms of other sites.
 * Invalid UTF-8, lone surrogates and numbers that JavaScript cannot represent are refused, because
 * storing would alter them.
 *
 * A compressed body is decompressed after all of it has arrived, so an incomplete body occupies no
 * decoder. Brotli is refused: its decoder allocates 16 MB on the first bytes of a body.
 *
 * Express's own parser would need as much code for these rules and makes a submission 5 to 13 %
 * more expensive (docs/performance.md).
 */
export function createJsonReader(limit: number, places = createBodyPlaces(limit)): ReadBody {
  const decoding = pLimit(MAX_DECODERS);
  return async (req, deadline) => {
    checkType(req);
    const encoding = encodingOf(req);
    const decode = encoding === undefined ? undefined : decoderOf(encoding);
    const maxBytes = decode ? limit + ENCODING_OVERHEAD : limit;
    const length = Number(req.headers['content-length'] ?? Number.NaN);
    if (length > maxBytes) throw tooLarge();
    const hasArrived = req.complete || req.readableLength === length;
    const sent = hasArrived ? takeBody(req, maxBytes) : await receive(req, maxBytes, places, deadline);
    const bytes = decode ? await decoding(decoded, sent, decode, limit) : sent;
    if (!isUtf8(bytes)) throw new InvalidInput('The request body must be UTF-8');
    const text = bytes.toString();
    const value = parse(text);
    checkNumbers(text);
    checkValue(value, 0);
    return value;
  };
}

/** Whether a request has a body of any type. */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function checkType(req: Request): void {
  const type = req.headers['content-type'] ?? '';
  if (!hasBody(req) || !JSON_TYPE.test(type)) {
    throw new InvalidInput('A JSON body with Content-Type: application/json is required');
  }
  const charset = CHARSET.exec(type)?.[2] ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') throw new InvalidInput('The request body must be UTF-8');
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInput('The request body is not valid JSON');
  }
}

function checkValue(value: unknown, depth: number): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new InvalidInput('The request body holds text that is not valid Unicode');
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new InvalidInput('The request body holds a number that is too large');
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= MAX_DEPTH) throw new InvalidInput(`The request body is nested deeper than ${MAX_DEPTH} levels`);
    for (const key of Object.keys(value)) {
      checkValue(key, depth + 1);
      checkValue((value as Record<string, unknown>)[key], depth + 1);
    }
  }
}
