import type { ErrorRequestHandler, Request, Response } from 'express';
import { AppError, InvalidInput } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { databaseRefusal } from '../database/failures.ts';

/**
 * The one way from an error to an answer: `{ message }`, with `errors` when places are known. What nobody expected is logged and answered with a bare 500. Never a stack,
 * a driver's message or a piece of the request.
 */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const refusal = toRefusal(error);
    if (res.headersSent) return cutOff(error, req, res, logger);
    if (!refusal) logger.error({ requestId: req.id, err: describe(error) }, 'unexpected error');

    if (refusal?.retryAfter !== undefined) res.setHeader('Retry-After', String(refusal.retryAfter));
    // A body that was not read to its end would be taken for the next request.
    if (!req.complete) res.setHeader('Connection', 'close');
    const message = refusal?.message ?? 'Internal error';
    res.status(refusal?.status ?? 500).json(refusal?.issues ? { message, errors: refusal.issues } : { message });
  };
}

function toRefusal(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (error instanceof URIError) return new InvalidInput('The path is not valid');
  return databaseRefusal(error);
}

/** The answer has begun: all that can be done is to end the connection, so that the client sees that it is not whole. */
function cutOff(error: unknown, req: Request, res: Response, logger: Logger): void {
  const gone = (error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE';
  if (!gone) logger.error({ requestId: req.id, err: describe(error) }, 'an answer was cut off');
  res.destroy();
}

function describe(error: unknown): { name: string; stack: string | undefined } {
  return error instanceof Error ? { name: error.name, stack: error.stack } : { name: typeof error, stack: undefined };
}
