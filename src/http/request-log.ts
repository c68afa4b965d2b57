import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { pinoHttp } from 'pino-http';
import type { Logger } from '../logger.ts';

const REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * Gives each request an id (the client's `X-Request-Id` when it is a plain one) and logs one line for it: id, method, path, app, status and duration in milliseconds.
 * Never a body, a header, a cookie or a query, where people's data and secrets are.
 */
export function createRequestLog(logger: Logger): RequestHandler {
  return pinoHttp({
    logger,
    // Left to itself, pino-http adds the request to each line: its query and its client's address among it.
    quietReqLogger: true,
    quietResLogger: true,
    wrapSerializers: false,
    serializers: { req: () => undefined },
    genReqId: requestId,
    customLogLevel: (_req, res, error) => (error || res.statusCode >= 500 ? 'error' : 'info'),
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
    customSuccessObject: describe,
    customErrorObject: (req, res, _error, { durationMs }) => describe(req, res, { durationMs }),
    customAttributeKeys: { reqId: 'requestId', responseTime: 'durationMs' },
  });
}

function describe(req: IncomingMessage, res: ServerResponse, { durationMs }: { durationMs: number }) {
  const { appId: app } = req as Request;
  return { method: req.method, path: pathOf(req), app, status: res.statusCode, durationMs };
}

function requestId(req: IncomingMessage, res: ServerResponse): string {
  const given = req.headers['x-request-id'];
  const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  res.setHeader('X-Request-Id', id);
  return id;
}

function pathOf(req: IncomingMessage): string {
  const url = (req as Request).originalUrl ?? req.url ?? '';
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}
