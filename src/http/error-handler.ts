import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Refuse } from '../api/endpoint.ts';
import { send } from '../api/reply.ts';
import { prefersPage } from '../api/validation.ts';
import { AppError, InvalidInput, type Issue } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { databaseRefusal } from '../database/failures.ts';

/**
 * Converts every error to a response. Unexpected errors are logged and become a 500. A response
 * never contains a stack, a driver message or parts of the request. A browser gets the page of the
 * endpoint (`Route.refuse`), if it has one.
 */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  return async (error: unknown, req, res, _next) => {
    const appError = toAppError(error);
    if (res.headersSent) return abort(error, req, res, logger);
    if (!appError) logger.error({ requestId: req.id, err: describe(error) }, 'unexpected error');

    if (appError?.retryAfter !== undefined) res.setHeader('Retry-After', String(appError.retryAfter));
    // The rest of an unread body would be parsed as the next request.
    if (!req.complete) res.setHeader('Connection', 'close');
    const refusal = appError ?? new AppError(500, 'Internal error');
    // No `await` without `refuse`: the response then starts in this turn.
    const reply = req.refuse ? await refusalReply(refusal, req, logger) : undefined;
    if (reply) return send(req, res, reply);
    const { status, message, issues, facts } = refusal;
    res.status(status).json({ message, ...(issues && { errors: issues.map(presentIssue) }), ...facts });
  };
}

/** Programs get English texts only; `/v1/forms` answers codes too (submissions/form-answers.ts). */
const presentIssue = ({ path, message }: Issue) => ({ path, message });

/** The endpoint's own answer after a refusal; undefined when it has none. */
async function refusalReply(refusal: AppError, req: Request, logger: Logger): ReturnType<Refuse> {
  try {
    return await req.refuse?.(refusal, req, prefersPage(req));
  } catch (error) {
    logger.error({ requestId: req.id, err: describe(error) }, 'answer after a refusal');
    return undefined;
  }
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
