import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../core/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';

/** In seconds. The last ones are for exports. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

type MeasureRequest = (req: Request, res: Response, durationMs: number) => void;

/** Measures requests by declared path, so that labels do not grow with apps. */
export function createRequestMetrics(metrics: Metrics): MeasureRequest | undefined {
  if (!metrics.isOn) return undefined;
  const count = metrics.counter('http_requests_total', {
    help: 'Requests by method, route and status; the status of a request whose client left is "aborted"',
    labels: ['method', 'route', 'status'],
  });
  const observe = metrics.histogram('http_request_duration_seconds', {
    help: 'The time from the headers of a request to the end of its response',
    labels: ['route'],
    buckets: BUCKETS,
  });
  return (req, res, durationMs) => {
    const path: unknown = req.route?.path;
    // Pages, files and unknown paths.
    const route = typeof path === 'string' ? path : 'other';
    count({ method: req.method, route, status: res.writableFinished ? String(res.statusCode) : 'aborted' });
    observe(durationMs / 1_000, { route });
  };
}

/** An orchestrator asks for these every few seconds. */
const CHECKS: readonly string[] = ['/health', '/ready'];

const REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * Gives each request an id (a valid `X-Request-Id` of the client, or a new one) and logs one line:
 * id, method, path, app, API key (its id), status and duration in milliseconds. Never logs a body,
 * a header, a cookie, an address or a query, which contain personal data and secrets. A check of
 * the server that succeeds is a line of level debug: such lines would replace the others in a log
 * of limited size.
 *
 * pino-http makes a submission a third more expensive (decision 36).
 */
export function createRequestLog(logger: Logger, measure?: MeasureRequest): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    req.id = requestId(req);
    res.setHeader('X-Request-Id', req.id);
    res.once('close', () => {
      const durationMs = performance.now() - startedAt;
      measure?.(req, res, durationMs);
      const line = describe(req, res, durationMs);
      if (res.statusCode >= 500) logger.error(line, 'request');
      else if (res.statusCode === 200 && CHECKS.includes(line.path)) logger.debug(line, 'request');
      else logger.info(line, 'request');
    });
    next();
  };
}

function describe(req: Request, res: Response, durationMs: number) {
  return {
    requestId: req.id,
    method: req.method,
    path: withoutQuery(req.originalUrl),
    app: req.appId,
    key: req.keyId,
    status: res.statusCode,
    durationMs: Math.round(durationMs * 100) / 100,
    aborted: res.writableFinished ? undefined : true,
  };
}

function requestId(req: Request): string {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** The start of an absolute URL, as in a request to a proxy. */
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i;

/** Without the query, and without the token of a link, which is a right to confirm or to read. */
function withoutQuery(url: string): string {
  const end = url.indexOf('?');
  const whole = end < 0 ? url : url.slice(0, end);
  const path = whole.startsWith('/') ? whole : whole.replace(AUTHORITY, '');
  return path.startsWith('/f') ? path.replace(/^(\/f\/[^/]*\/[^/]*\/|\/files\/).+/, '$1:token') : path;
}
