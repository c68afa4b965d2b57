import type { Request, Response } from 'express';
import { TooManyRequests, Unavailable } from '../core/errors.ts';

/**
 * The concurrent long reads of one session or API key, of one app over all of these, and of the
 * process.
 */
const MAX_PER_SESSION = 8;
const MAX_PER_APP = 24;
const MAX_TOTAL = 64;
/** In seconds. A long read takes longer only if its client reads slowly. */
const RETRY_AFTER = 5;

/**
 * Limits concurrent long reads: responses that read all records of an app (exports, unpaged
 * listings).
 */
export interface LongReads {
  /**
   * Counts a long read until its response is closed.
   *
   * @returns a signal that is aborted when the response is closed
   * @throws {TooManyRequests} when the session or the app has reached its limit
   * @throws {Unavailable} when the process has reached its limit
   */
  begin(req: Request, res: Response): AbortSignal;
}

/** Creates the counters of one process. */
export function createLongReads(): LongReads {
  const counts = new Map<string, number>();
  let total = 0;

  const count = (key: string, change: 1 | -1): void => {
    const next = (counts.get(key) ?? 0) + change;
    if (next === 0) counts.delete(key);
    else counts.set(key, next);
  };
  const isFull = (key: string, limit: number): boolean => (counts.get(key) ?? 0) >= limit;

  return {
    begin(req, res) {
      const closed = new AbortController();
      if (res.closed) {
        closed.abort();
        return closed.signal;
      }
      const session = req.keyId === undefined ? `session ${req.sessionID}` : `key ${req.keyId}`;
      const app = `app ${req.appId}`;
      if (isFull(session, MAX_PER_SESSION) || isFull(app, MAX_PER_APP)) {
        throw new TooManyRequests('Too many exports and listings at the same time; wait for one to end', RETRY_AFTER);
      }
      if (total >= MAX_TOTAL)
        throw new Unavailable('Too many exports and listings at the same time; try again', RETRY_AFTER);
      total += 1;
      count(session, 1);
      count(app, 1);
      res.once('close', () => {
        total -= 1;
        count(session, -1);
        count(app, -1);
        closed.abort();
      });
      return closed.signal;
    },
  };
}
