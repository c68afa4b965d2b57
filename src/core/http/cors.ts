import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import type { Config } from '../../platform/core/config.ts';
import { Forbidden, Unavailable } from '../../platform/core/errors.ts';
import { withTimeout } from '../../platform/core/timeouts.ts';
import { DEADLINE_MS } from '../../platform/http/deadline.ts';
import type { OriginCheck } from '../api/endpoint.ts';

const ALLOWED_HEADERS = ['Content-Type', 'x-app-id', 'If-Match', 'If-None-Match', 'X-Request-Id'];

type CorsConfig = Pick<Config, 'corsOrigins' | 'publicUrl' | 'trustProxy'>;

const SHARED = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: ['X-Request-Id', 'Retry-After', 'ETag', 'Content-Disposition'],
  maxAge: 600,
} satisfies cors.CorsOptions;

/** The endpoints of public clients, which also the origins of an app may call. */
const PUBLIC = '/v1/';
/** Every site may load the embed script. */
const EMBED = '/embed/';

/**
 * The CORS policies (spec 5.3): the origins in `CORS_ORIGINS` and the service's own, with
 * credentials; under `/v1` also those of the app, without. A request without `Origin` passes; an
 * origin that is not allowed is refused with 403. Browsers send `Origin` with every request that
 * changes data, so this is also the CSRF protection.
 *
 * Sets `req.hasOwnOrigin`.
 * @param headers the further request headers that pages of other origins may send
 */
export function createCors(config: CorsConfig, isOfApp: OriginCheck, headers: readonly string[]): RequestHandler {
  const allowedHeaders = [...ALLOWED_HEADERS, ...headers];
  const listed = new Set(config.corsOrigins);
  // A proxy may replace `Host`. Without a proxy, it is what the browser sent.
  const publicOrigin = config.trustProxy === false ? undefined : config.publicUrl;
  const shareListed = cors({
    ...SHARED,
    // API keys only here: a page that everybody can load has no secrets.
    allowedHeaders: [...allowedHeaders, 'Authorization'],
    origin: (origin, answer) => answer(null, origin !== undefined && listed.has(origin)),
    credentials: true,
  });
  const shareWithoutCredentials = cors({
    ...SHARED,
    allowedHeaders,
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    origin: true,
  });
  return (req, res, next) => {
    const { origin } = req.headers;
    if (origin !== undefined)
      req.hasOwnOrigin = origin === publicOrigin || isOwnOrigin(origin, req) || isOwnUnnamed(req);
    if (origin === undefined || req.hasOwnOrigin || listed.has(origin))
      return listed.size === 0 ? next() : shareListed(req, res, next);
    if (req.path.startsWith(EMBED)) return next();
    res.vary('Origin');
    if (!req.path.startsWith(PUBLIC)) throw originError();
    withTimeout(isOfApp(req, origin), DEADLINE_MS, () => new Unavailable())
      .then((allowed) => (allowed ? shareWithoutCredentials(req, res, next) : next(originError())))
      .catch(next);
  };
}

/** Returns whether an `Origin` is the service's own, also behind a proxy that terminates TLS. */
function isOwnOrigin(origin: string, { protocol, headers: { host = '' } }: Request): boolean {
  if (origin === `https://${host}` || origin === `${protocol}://${host}`) return true;
  const [, scheme, sent] = /^(https?):\/\/(.+)$/.exec(origin) ?? [];
  if (sent === undefined || (scheme !== 'https' && scheme !== protocol)) return false;
  // Proxies and clients also write a host with a default port, which may be that of the proxy's own
  // connection, in upper case, or with the dot of the root. Browsers do only the last.
  return plainHost(sent) === plainHost(host.replace(/:(?:80|443)$/, ''));
}

/**
 * Whether a page of the service sent the request whose referrer policy is `no-referrer`: browsers
 * then send `Origin: null` with a form. No script can set the other header.
 */
const isOwnUnnamed = ({ headers }: Request): boolean =>
  headers.origin === 'null' && headers['sec-fetch-site'] === 'same-origin';

/** A host and a port in lower case, without the dot of the root. */
const plainHost = (host: string): string => host.toLowerCase().replace(/\.(?=$|:\d+$)/, '');

function originError(): Forbidden {
  return new Forbidden('originRefused');
}
