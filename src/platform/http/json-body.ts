import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import { InvalidInput } from '../core/errors.ts';
import type { Deadline } from './deadline.ts';
import { checkCharset, hasBody, notUtf8Error, type ReadBytes } from './request-bytes.ts';
import { parseStrictJson } from './strict-json.ts';

const JSON_TYPE = /^application\/json[ \t]*(;|$)/i;

/**
 * Resolves with the parsed body. The time in which the client sends does not count.
 * @param sourceAppId the app that the caller names, if there is a caller
 */
export type ReadBody = (req: Request, deadline: Deadline, sourceAppId?: string) => Promise<unknown>;

/**
 * Creates a reader of `application/json` in UTF-8. Browsers send that type to another origin only
 * after a preflight, so this also protects cookie-authenticated endpoints from forms of other
 * sites. Refuses what storing would alter. Express's own parser needs as much code for these rules
 * and costs more (decision 36).
 */
export function createJsonReader(readBytes: ReadBytes): ReadBody {
  return async (req, deadline) => {
    checkType(req);
    const sent = readBytes(req, deadline);
    const bytes = sent instanceof Promise ? await sent : sent;
    if (!isUtf8(bytes)) throw notUtf8Error();
    return parseStrictJson(withoutMark(bytes.toString()));
  };
}

/** RFC 8259, 8.1: a parser may ignore a byte order mark. */
const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

function checkType(req: Request): void {
  const type = req.headers['content-type'] ?? '';
  if (!hasBody(req) || !JSON_TYPE.test(type)) {
    throw new InvalidInput('notJsonBody');
  }
  checkCharset(type);
}
