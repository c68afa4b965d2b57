import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import { Forbidden } from '../core/errors.ts';

/**
 * Spec 5.3: requests from listed origins pass, and those without an `Origin`, and those of the service's own pages; every other is refused before anything runs. As
 * browsers send `Origin` with each request that changes something, this is also the guard against forged requests.
 */
export function createCors(origins: readonly string[]): RequestHandler[] {
  const listed = new Set(origins);
  const check: RequestHandler = (req, res, next) => {
    const origin = req.headers.origin;
    if (origin === undefined || listed.has(origin) || isOwn(origin, req)) return next();
    res.vary('Origin');
    throw new Forbidden('This origin is not allowed');
  };
  if (listed.size === 0) return [check];
  const share = cors({
    origin: (origin, answer) => answer(null, origin !== undefined && listed.has(origin)),
    credentials: true,
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: ['Content-Type', 'x-app-id', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'X-Request-Id'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'ETag', 'Content-Disposition'],
    maxAge: 600,
  });
  return [check, share];
}

/** Over TLS the service's own host is the service, whether or not TRUST_PROXY says that a proxy in front ends TLS. */
function isOwn(origin: string, { protocol, headers: { host } }: Request): boolean {
  return origin === `https://${host}` || origin === `${protocol}://${host}`;
}
