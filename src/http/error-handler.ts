import type { ErrorRequestHandler, Request, Response } from 'express';
import { AppError, InvalidInput } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { databaseRefusal } from '../database/failures.ts';

/**
 * Converts every error to a response: `{ message }`, with `errors` if places are known. Unexpected
 * errors are logged and answered with a 500. A response never contains a stack, a driver message or
 * parts of the request.
 */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const appError = toAppError(error);
    if (res.headersSent) return abort(error, req, res, logger);
    if (!appError) logger.error({ requestId: req.id, err: describe(error) }, 'unexpected error');

    if (appError?.retryAfter !== undefined) res.setHeader('Retry-After', String(appError.retryAfter));
    // The rest of an unread body would be parsed as the next request.
    if (!req.complete) res.setHeader('Connection', 'close');
    const message = appError?.message ?? 'Internal error';
    res.status(appError?.status ?? 500).json(appError?.issues ? { message, errors: appError.issues } : { message });
  };
}

function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (error instanceof URIError) return new InvalidInput('The path is not valid');
  return databaseRefusal(error);
}

/** The response has started: closing the connection shows the client that it is incomplete. */
function abort(error: unknown, req: Request, res: Response, logger: Logger): void {
  const isDisconnected = (error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE';
  if (!isDisconnected) logger.error({ requestId: req.id, err: describe(error) }, 'response aborted');
  res.destroy();
}

function describe(error: unknown): { name: string; stack: string | undefined } {
  return error instanceof Error ? { name: error.name, stack: error.stack } : { name: typeof error, stack: undefined };
}
