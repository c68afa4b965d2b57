import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import type { CorsPolicy } from '../api/endpoint.ts';
import { Forbidden } from '../core/errors.ts';

/** The handlers of each policy that an endpoint can declare. They run before anything else of the endpoint. */
export type CorsPolicies = Record<CorsPolicy, readonly RequestHandler[]>;

const SHARED: cors.CorsOptions = {
  methods: ['GET', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: ['Content-Type', 'x-app-id', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'X-Request-Id'],
  exposedHeaders: ['X-Request-Id', 'Retry-After', 'ETag', 'Content-Disposition'],
  maxAge: 600,
};

/**
 * The policies for browser origins (spec 5.3). `trusted` admits the listed origins, with credentials, and the service's
 * own; a request without an `Origin` passes; every other request is refused with 403. Browsers send `Origin` with each
 * request that changes something, so this is also the protection against forged requests.
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

/** Over TLS the service's own host is the service, whether or not TRUST_PROXY says that a proxy ends TLS. */
function isOwn(origin: string, { protocol, headers: { host } }: Request): boolean {
  return origin === `https://${host}` || origin === `${protocol}://${host}`;
}
