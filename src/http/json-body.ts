import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { AppError, InvalidInput, TooLarge } from '../errors.ts';

const MAX_DEPTH = 20;

/** Reads a request's body as JSON; resolves with the parsed value. */
export type ReadJson = (req: Request, res: Response) => Promise<unknown>;

/** The refusals of the body parser, by its own names (DESIGN section 2: 415 for an unknown encoding, 400 for the rest). */
const REFUSALS: Record<string, () => AppError> = {
  'entity.too.large': () => new TooLarge('The request body is too large'),
  'entity.parse.failed': () => new InvalidInput('The request body is not valid JSON'),
  'entity.verify.failed': () => new InvalidInput('The request body must be UTF-8'),
  'charset.unsupported': () => new InvalidInput('The request body must be UTF-8'),
  'encoding.unsupported': () => new AppError(415, 'Unsupported Content-Encoding: use gzip, deflate, br or identity'),
  'request.size.invalid': () => new InvalidInput('The request body does not have the length that Content-Length says'),
  'request.aborted': () => new InvalidInput('The request body was cut off'),
};

/**
 * A reader of JSON bodies of at most `limit` bytes after decompression. It takes `application/json` in UTF-8 only: that also keeps forms of other sites, which
 * cannot send that type without being asked for permission first, away from cookie-authenticated endpoints. Bytes that are no UTF-8, lone surrogates and numbers beyond
 * JavaScript's are refused, because storing them would alter them.
 */
export function createJsonReader(limit: number): ReadJson {
  const parse = express.json({
    limit,
    strict: false,
    type: 'application/json',
    verify(_req, _res, bytes, charset) {
      if (charset !== 'utf-8' || !isUtf8(bytes)) throw new Error('not UTF-8');
    },
  });

  return (req, res) =>
    new Promise((done, fail) => {
      parse(req, res, (error?: unknown) => {
        try {
          if (error) throw refusal(error);
          if (req.body === undefined)
            throw new InvalidInput('A JSON body with Content-Type: application/json is required');
          checkValue(req.body, 0);
          done(req.body);
        } catch (refused) {
          fail(refused);
        }
      });
    });
}

function refusal(error: unknown): AppError {
  const type = (error as { type?: string }).type;
  return (type !== undefined && REFUSALS[type]?.()) || new InvalidInput('The request body cannot be read');
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
