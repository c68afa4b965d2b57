import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip, type InputType, inflate, type ZlibOptions } from 'node:zlib';
import type { Request } from 'express';
import pLimit from 'p-limit';
import { AppError, InvalidInput, TooLarge } from '../errors.ts';
import { clientNetwork } from '../sessions/client-network.ts';
import { type BodyPlaces, createBodyPlaces } from './body-places.ts';
import type { Deadline } from './deadline.ts';
import { checkNumbers } from './json-numbers.ts';

const MAX_DEPTH = 20;
/** Bodies that are decompressed at the same time. Each takes at most the body limit and 64 kB. */
const MAX_DECODERS = 4;
/** What gzip and deflate may add to a body that they cannot make shorter. */
const ENCODING_OVERHEAD = 1_024;
/** A body may come in this many pieces, and more when they have this many bytes on average: each costs about 4 us. */
const FREE_PIECES = 1_000;
const LEAST_PIECE = 64;
const EMPTY: Buffer = Buffer.alloc(0);

/** `application/json`, with any parameters; what they say of the charset is read by the other. */
const JSON_TYPE = /^application\/json[ \t]*(;|$)/i;
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*("?)([^"\s;]*)\1[ \t]*(?:;|$)/i;

type Decode = (bytes: InputType, options: ZlibOptions) => Promise<Buffer>;
const DECODERS = new Map<string, Decode>([
  ['gzip', promisify<InputType, ZlibOptions, Buffer>(gunzip)],
  ['x-gzip', promisify<InputType, ZlibOptions, Buffer>(gunzip)],
  ['deflate', promisify<InputType, ZlibOptions, Buffer>(inflate)],
]);

/**
 * Reads a request's body as JSON; resolves with the parsed value.
 * @param deadline of the request; the time that the client takes to send the body does not count
 */
export type ReadJson = (req: Request, deadline: Deadline) => Promise<unknown>;

/**
 * A reader of JSON bodies of at most `limit` bytes after decompression. It takes `application/json` in UTF-8 only: that also keeps forms of other sites, which
 * cannot send that type without being asked for permission first, away from cookie-authenticated endpoints. Bytes that are no UTF-8, lone surrogates and numbers beyond
 * JavaScript's are refused, because storing them would alter them.
 *
 * A compressed body is decompressed when all of it has arrived, so a connection whose body never ends holds no decoder.
 * Brotli is refused: the first bytes of a body decide that its decoder allocates 16 MB.
 *
 * Express's own parser would need as much code around it for these rules, and three times the time (docs/performance.md).
 */
export function createJsonReader(limit: number, places = createBodyPlaces(limit)): ReadJson {
  const decoding = pLimit(MAX_DECODERS);
  return async (req, deadline) => {
    checkType(req);
    const encoding = encodingOf(req);
    const decode = encoding === undefined ? undefined : decoderOf(encoding);
    const most = decode ? limit + ENCODING_OVERHEAD : limit;
    const length = Number(req.headers['content-length'] ?? Number.NaN);
    if (length > most) throw tooLarge();
    const isThere = req.complete || req.readableLength === length;
    const sent = isThere ? takeWhole(req, most) : await receive(req, most, places, deadline);
    const bytes = decode ? await decoding(decoded, sent, decode, limit) : sent;
    if (!isUtf8(bytes)) throw new InvalidInput('The request body must be UTF-8');
    const text = bytes.toString();
    const value = parse(text);
    checkNumbers(text);
    checkValue(value, 0);
    return value;
  };
}

function checkType({ headers }: Request): void {
  const type = headers['content-type'] ?? '';
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody || !JSON_TYPE.test(type)) {
    throw new InvalidInput('A JSON body with Content-Type: application/json is required');
  }
  const charset = CHARSET.exec(type)?.[2] ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') throw new InvalidInput('The request body must be UTF-8');
}

function encodingOf({ headers }: Request): string | undefined {
  const encoding = headers['content-encoding']?.toLowerCase();
  return encoding === 'identity' ? undefined : encoding;
}

/** DESIGN section 2: 415 for an unknown encoding. */
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

/** The bytes of a body that arrived with its headers, as most do: they are there without waiting. */
function takeWhole(req: Request, limit: number): Buffer {
  if (req.destroyed) throw cutOff();
  if (req.readableLength > limit) throw tooLarge();
  const bytes = (req.read() as Buffer | null) ?? EMPTY;
  // Node may tell of the end only after the last bytes, and keeps the request until somebody saw it.
  req.resume();
  return bytes;
}

/** The bytes of a body that is still arriving. It stays unread, and the client waits, until there is a place for it. */
async function receive(req: Request, limit: number, places: BodyPlaces, deadline: Deadline): Promise<Buffer> {
  const network = clientNetwork(req.ip ?? '');
  await places.enter(network);
  try {
    return await deadline.suspend(collect(req, limit));
  } finally {
    places.leave(network);
  }
}

/** All bytes of a body. After a failure nothing of it is kept, and the rest is not read. */
function collect(req: Request, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const gathered = new GrowingBuffer(limit);
    const mostPieces = FREE_PIECES + limit / LEAST_PIECE;
    const end = (): void => settle(() => resolve(gathered.take()));
    const fail = (error: AppError): void =>
      settle(() => {
        req.pause();
        gathered.take();
        reject(error);
      });
    const failed = (): void => fail(new InvalidInput('The request body cannot be read'));
    const closed = (): void => fail(cutOff());
    let pieces = 0;
    const data = (chunk: Buffer): void => {
      pieces += 1;
      if (pieces > mostPieces) fail(new InvalidInput('The request body comes in too many pieces'));
      else if (!gathered.add(chunk)) fail(tooLarge());
    };
    const settle = (how: () => void): void => {
      req.off('data', data).off('end', end).off('close', closed);
      how();
    };
    if (req.destroyed) return void reject(cutOff());
    // Stays, because a connection that ends later may still emit an error.
    req.on('error', failed);
    req.on('end', end).on('close', closed).on('data', data);
  });
}

/** Joins chunks as they arrive. Kept one by one, chunks of one byte would take 200 times their length. */
class GrowingBuffer {
  readonly #limit: number;
  #bytes: Buffer = EMPTY;
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a chunk; returns false, and keeps nothing of it, when there are more bytes than the limit. */
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

  /** Hands the bytes over and keeps none. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = EMPTY;
    this.#length = 0;
    return bytes;
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#limit, Math.max(2 * least, 4_096)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
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
