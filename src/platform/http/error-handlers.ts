import type { ErrorRequestHandler, Request, Response } from 'express';
import { AppError, InvalidInput } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { databaseRefusal } from '../database/failures.ts';
import { type Html, type Redirect, type Refusal, send } from './reply.ts';
import { errorBody } from './validation.ts';

/** Resolves with the answer to a visitor after a refusal; undefined: the usual JSON. */
export type Refuse = (error: AppError, req: Request) => Promise<Html | Redirect | Refusal | undefined>;

/**
 * Converts every error to an `AppError` for the handlers that follow. Unexpected errors are logged
 * and become a 500. A response never contains a stack, a driver message or parts of the request.
 */
export function createErrorConversion(logger: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    const appError = toAppError(error);
    if (res.headersSent) return abort(error, req, res, logger);
    if (!appError) logger.error({ requestId: req.id, err: describe(error) }, 'unexpected error');
    if (appError?.retryAfter !== undefined) res.setHeader('Retry-After', String(appError.retryAfter));
    // The rest of an unread body would be parsed as the next request.
    if (!req.complete) res.setHeader('Connection', 'close');
    next(appError ?? new AppError(500, 'internal'));
  };
}

/** Answers with the page or the codes of a feature, if it has any for the refusal. */
export function createRefusalHandler(refuse: Refuse, logger: Logger): ErrorRequestHandler {
  return async (error: AppError, req, res, next) => {
    try {
      const reply = await refuse(error, req);
      if (reply) return await send(req, res, reply);
    } catch (failure) {
      logger.error({ requestId: req.id, err: describe(failure) }, 'answer after a refusal');
    }
    next(error);
  };
}

/** Answers with JSON. Express takes a function with four parameters for a handler of errors. */
export const answerError: ErrorRequestHandler = (error: AppError, _req, res, _next) => {
  res.status(error.status).json(errorBody(error));
};

function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (error instanceof URIError) return new InvalidInput('pathNotValid');
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
