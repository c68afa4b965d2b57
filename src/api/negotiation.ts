import type { Request } from 'express';
import { mediaTypeOf } from './body/request-bytes.ts';

/**
 * Returns whether a request comes from a browser that shows the answer, and not from a program: it
 * accepts HTML at least as much as JSON, and its body is not JSON (spec 4.5).
 */
export function prefersPage(req: Request): boolean {
  return mediaTypeOf(req) !== 'application/json' && req.accepts(['html', 'json']) !== 'json';
}

/**
 * Returns whether an `Origin` is the service's own. With https, the host is the service itself even
 * if TRUST_PROXY does not say that a proxy terminates TLS.
 */
export function isOwnOrigin(origin: string, { protocol, headers: { host } }: Request): boolean {
  return origin === `https://${host}` || origin === `${protocol}://${host}`;
}
