import type { RequestHandler } from 'express';
import { Unavailable } from '../../platform/core/errors.ts';
import { Deadline } from '../../platform/http/deadline.ts';
import type { OperatorLoad } from '../../platform/http/operator-load.ts';
import { networkOf } from './request-turns.ts';

/**
 * Creates the middleware that comes before that of sessions: it starts the deadline of a request,
 * and waits for the turn of its network, in which its session, and its account or key, are read.
 * The handler of the endpoint ends the turn (`req.endLookUps`), or else the end of the response.
 *
 * @param deadlineMs see `Deadline`
 */
export function createNetworkTurns(load: Pick<OperatorLoad, 'beginLookUps'>, deadlineMs?: number): RequestHandler {
  return async (req, res, next) => {
    const deadline = new Deadline(deadlineMs);
    const begun = load.beginLookUps(networkOf(req), res).then((endTurn) => {
      const end = (): void => {
        res.off('close', end);
        endTurn();
      };
      res.once('close', end);
      if (!deadline.isOver && !res.closed) return end;
      end();
      throw new Unavailable();
    });
    req.deadline = deadline;
    req.endLookUps = await deadline.run(begun);
    next();
  };
}
