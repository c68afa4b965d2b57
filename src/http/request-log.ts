import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../core/logger.ts';
import type { MeasureRequest } from './metrics/request-metrics.ts';

const REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * Gives each request an id (a valid `X-Request-Id` of the client, or a new one) and logs one line:
 * id, method, path, app, API key (its id), status and duration in milliseconds. Never logs a body,
 * a header, a cookie, an address or a query, which contain personal data and secrets. A request
 * whose client disconnected is marked `aborted`.
 *
 * pino-http creates a logger for each request and makes a submission a third more expensive
 * (docs/performance.md).
 *
 * @param measure measures each request as well
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
      else logger.info(line, 'request');
    });
    next();
  };
}

function describe(req: Request, res: Response, durationMs: number) {
  return {
    requestId: req.id,
    method: req.method,
    path: pathOf(req.originalUrl),
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

/** What a request to a proxy has before its path. */
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i;

/** Without the query and the token of a confirmation link, which gives the right to confirm. */
function pathOf(url: string): string {
  const end = url.indexOf('?');
  const whole = end < 0 ? url : url.slice(0, end);
  const path = whole.startsWith('/') ? whole : whole.replace(AUTHORITY, '');
  return path.startsWith('/f/') ? path.replace(/^(\/f\/[^/]*\/[^/]*\/).+/, '$1:token') : path;
}
