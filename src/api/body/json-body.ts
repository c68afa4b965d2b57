import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import { InvalidInput } from '../../core/errors.ts';
import type { Deadline } from '../deadline.ts';
import { checkNumbers } from './json-numbers.ts';
import { checkCharset, hasBody, notUtf8, type ReadBytes } from './request-bytes.ts';

const MAX_DEPTH = 20;

/** `application/json` with any parameters. */
const JSON_TYPE = /^application\/json[ \t]*(;|$)/i;

/**
 * Reads the body of a request; resolves with the parsed value.
 * @param deadline of the request; the time that the client takes to send the body does not count
 * @throws {AppError}
 */
export type ReadBody = (req: Request, deadline: Deadline) => Promise<unknown>;

/**
 * Creates a reader of JSON bodies. It accepts `application/json` in UTF-8 only. Browsers send that
 * type to another origin only after a preflight, so this also protects cookie-authenticated
 * endpoints from forms of other sites. Invalid UTF-8, lone surrogates and numbers that JavaScript
 * cannot represent are refused, because storing would alter them.
 *
 * Express's own parser would need as much code for these rules and makes a submission 5 to 13 %
 * more expensive (docs/performance.md).
 */
export function createJsonReader(readBytes: ReadBytes): ReadBody {
  return async (req, deadline) => {
    checkType(req);
    const sent = readBytes(req, deadline);
    const bytes = sent instanceof Promise ? await sent : sent;
    if (!isUtf8(bytes)) throw notUtf8();
    return parseStrictJson(bytes.toString(), 'The request body');
  };
}

/**
 * Parses JSON; refuses what storing it would alter, and deep nesting.
 *
 * @param subject what the messages name, such as "The request body"
 * @throws {InvalidInput}
 */
export function parseStrictJson(text: string, subject: string): unknown {
  const value = parse(text, subject);
  checkNumbers(text, subject);
  checkValue(value, 0, subject);
  return value;
}

function checkType(req: Request): void {
  const type = req.headers['content-type'] ?? '';
  if (!hasBody(req) || !JSON_TYPE.test(type)) {
    throw new InvalidInput('A JSON body with Content-Type: application/json is required');
  }
  checkCharset(type);
}

function parse(text: string, subject: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInput(`${subject} is not valid JSON`);
  }
}

function checkValue(value: unknown, depth: number, subject: string): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new InvalidInput(`${subject} holds text that is not valid Unicode`);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new InvalidInput(`${subject} holds a number that is too large`);
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= MAX_DEPTH) throw new InvalidInput(`${subject} is nested deeper than ${MAX_DEPTH} levels`);
    for (const key of Object.keys(value)) {
      checkValue(key, depth + 1, subject);
      checkValue((value as Record<string, unknown>)[key], depth + 1, subject);
    }
  }
}
