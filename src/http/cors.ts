import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import { DEADLINE_MS } from '../api/deadline.ts';
import type { CorsPolicy } from '../api/endpoint.ts';
import { isOwnOrigin } from '../api/validation.ts';
import type { AppOrigins } from '../apps/origins.ts';
import { Forbidden, Unavailable } from '../core/errors.ts';
import { APP_ID_PATTERN } from '../core/identifiers.ts';
import { withTimeout } from '../core/timeouts.ts';

/** The handlers of each policy that an endpoint can declare. They run before the endpoint. */
export type CorsPolicies = Record<CorsPolicy, readonly RequestHandler[]>;

const ALLOWED_HEADERS = [
  ...['Content-Type', 'x-app-id', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'X-Request-Id', 'x-altcha'],
];

const SHARED: cors.CorsOptions = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: ALLOWED_HEADERS,
  exposedHeaders: ['X-Request-Id', 'Retry-After', 'ETag', 'Content-Disposition'],
  maxAge: 600,
};

/**
 * The CORS policies (spec 5.3). A request without `Origin` passes; an origin that is not allowed is
 * refused with 403. Browsers send `Origin` with every request that changes data, so this is also
 * the CSRF protection.
 *
 * @param origins the origins in `CORS_ORIGINS`
 */
export function createCors(origins: readonly string[], appOrigins: AppOrigins): CorsPolicies {
  const listed = new Set(origins);
  const isTrusted = (origin: string | undefined, req: Request): boolean =>
    origin === undefined || listed.has(origin) || isOwnOrigin(origin, req);
  const check: RequestHandler = (req, res, next) => {
    if (isTrusted(req.headers.origin, req)) return next();
    res.vary('Origin');
    throw originError();
  };
  const share = cors({
    ...SHARED,
    // API keys only here: a page that everybody can load has no secrets.
    allowedHeaders: [...ALLOWED_HEADERS, 'Authorization'],
    origin: (origin, answer) => answer(null, origin !== undefined && listed.has(origin)),
    credentials: true,
  });
  const shareWithoutCredentials = cors({ ...SHARED, methods: ['GET', 'POST'], origin: true });
  const shareTrusted: RequestHandler = listed.size === 0 ? (_req, _res, next) => next() : share;
  const checkForApp: RequestHandler = (req, res, next) => {
    const { origin } = req.headers;
    if (origin === undefined || isTrusted(origin, req)) return void shareTrusted(req, res, next);
    res.vary('Origin');
    withTimeout(isAllowed(req, origin, appOrigins), DEADLINE_MS, () => new Unavailable())
      .then((allowed) => (allowed ? shareWithoutCredentials(req, res, next) : next(originError())))
      .catch(next);
  };
  return {
    trusted: listed.size === 0 ? [check] : [check, share],
    app: [checkForApp],
  };
}

function originError(): Forbidden {
  return new Forbidden('This origin is not allowed');
}

/** Resolves with whether the app of a request, in its path or in `x-app-id`, lists the origin. */
async function isAllowed(req: Request, origin: string, appOrigins: AppOrigins): Promise<boolean> {
  const sourceAppId = req.params.sourceAppId ?? req.headers['x-app-id'];
  if (sourceAppId === undefined) return req.method === 'OPTIONS' && appOrigins.isListedByAny(origin);
  const isAppId = typeof sourceAppId === 'string' && APP_ID_PATTERN.test(sourceAppId);
  return isAppId && appOrigins.allows(sourceAppId, origin);
}
