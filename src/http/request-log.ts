import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../core/logger.ts';

const REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * Gives each request an id (a valid `X-Request-Id` of the client, or a new one) and logs one line:
 * id, method, path, app, status and duration in milliseconds. Never logs a body, a header, a
 * cookie, an address or a query, which contain personal data and secrets. A request whose client
 * disconnected is marked `aborted`.
 *
 * pino-http creates a logger for each request and makes a submission a third more expensive
 * (docs/performance.md).
 */
export function createRequestLog(logger: Logger): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    req.id = requestId(req);
    res.setHeader('X-Request-Id', req.id);
    res.once('close', () => {
      const line = describe(req, res, performance.now() - startedAt);
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
    status: res.statusCode,
    durationMs: Math.round(durationMs * 100) / 100,
    aborted: res.writableFinished ? undefined : true,
  };
}

function requestId(req: Request): string {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Without the query and the token of a confirmation link, which gives the right to confirm. */
function pathOf(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return path.startsWith('/f/') ? path.replace(/^(\/f\/[^/]*\/[^/]*\/).+/, '$1:token') : path;
}
