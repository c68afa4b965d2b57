import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import type { CorsPolicy } from '../api/endpoint.ts';
import { Forbidden } from '../core/errors.ts';

/** The handlers of each policy that an endpoint can declare. They run before the endpoint. */
export type CorsPolicies = Record<CorsPolicy, readonly RequestHandler[]>;

const SHARED: cors.CorsOptions = {
  methods: ['GET', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: ['Content-Type', 'x-app-id', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'X-Request-Id'],
  exposedHeaders: ['X-Request-Id', 'Retry-After', 'ETag', 'Content-Disposition'],
  maxAge: 600,
};

/**
 * The CORS policies (spec 5.3). `trusted` allows the listed origins, with credentials, and the
 * service's own origin; a request without `Origin` passes; any other is refused with 403. Browsers
 * send `Origin` with every request that changes data, so this is also the CSRF protection.
 *
 * @param origins the origins in `CORS_ORIGINS`
 */
export function createCors(origins: readonly string[]): CorsPolicies {
  const listed = new Set(origins);
  const check: RequestHandler = (req, res, next) => {
    const origin = req.headers.origin;
    if (origin === undefined || listed.has(origin) || isOwn(origin, req)) return next();
    res.vary('Origin');
    throw new Forbidden('This origin is not allowed');
  };
  const share = cors({
    ...SHARED,
    origin: (origin, answer) => answer(null, origin !== undefined && listed.has(origin)),
    credentials: true,
  });
  return {
    trusted: listed.size === 0 ? [check] : [check, share],
    any: [cors({ ...SHARED, origin: '*' })],
  };
}

/**
 * With https, the host is the service itself even if TRUST_PROXY does not say that a proxy
 * terminates TLS.
 */
function isOwn(origin: string, { protocol, headers: { host } }: Request): boolean {
  return origin === `https://${host}` || origin === `${protocol}://${host}`;
}
