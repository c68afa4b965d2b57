import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request } from 'express';
import { AppError, InvalidInput, TooLarge } from '../errors.ts';

const MAX_DEPTH = 20;

/** `application/json`, with any parameters; what they say of the charset is read by the other. */
const JSON_TYPE = /^application\/json[ \t]*(;|$)/i;
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*("?)([^"\s;]*)\1[ \t]*(?:;|$)/i;

/** Reads a request's body as JSON; resolves with the parsed value. */
export type ReadJson = (req: Request) => Promise<unknown>;

/**
 * A reader of JSON bodies of at most `limit` bytes after decompression. It takes `application/json` in UTF-8 only: that also keeps forms of other sites, which
 * cannot send that type without being asked for permission first, away from cookie-authenticated endpoints. Bytes that are no UTF-8, lone surrogates and numbers beyond
 * JavaScript's are refused, because storing them would alter them.
 *
 * Express's own parser would need as much code around it for these rules, and three times the time (docs/performance.md).
 */
export function createJsonReader(limit: number): ReadJson {
  return async (req) => {
    checkType(req);
    if (Number(req.headers['content-length'] ?? 0) > limit && !isEncoded(req)) throw tooLarge();
    const bytes = await collect(decoded(req), limit);
    if (!isUtf8(bytes)) throw new InvalidInput('The request body must be UTF-8');
    const value = parse(bytes.toString());
    checkValue(value, 0);
    return value;
  };
}

/** Whether a request comes with a body, of whatever type. */
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

function isEncoded({ headers }: Request): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}

/** The body without its Content-Encoding (DESIGN section 2: 415 for an unknown one). */
function decoded(req: Request): Readable {
  if (!isEncoded(req)) return req;
  const decoder = createDecoder(req.headers['content-encoding']?.toLowerCase());
  // `pipe` does not hand failures on: a body that was cut off must end the reading of what it decodes to.
  req.on('error', (error) => decoder.destroy(error));
  req.on('aborted', () => decoder.destroy(new Error('aborted')));
  return req.pipe(decoder);
}

function createDecoder(encoding: string | undefined) {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new AppError(415, 'Unsupported Content-Encoding: use gzip, deflate, br or identity');
  }
}

/** All bytes of a body. What comes after the limit is not kept, and a decoder makes no more of it. */
function collect(body: Readable, limit: number): Promise<Buffer> {
  return new Promise((done, fail) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let isWhole = false;
    body.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) return void chunks.push(chunk);
      body.pause();
      fail(tooLarge());
    });
    body.once('end', () => {
      isWhole = true;
      done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    body.once('error', () => fail(new InvalidInput('The request body cannot be read')));
    // Every body closes in the end; an error for each, with its stack, cost a tenth of the server's time.
    body.once('close', () => isWhole || fail(new InvalidInput('The request body was cut off')));
  });
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
