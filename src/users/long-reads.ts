import type { Request, Response } from 'express';
import { TooManyRequests, Unavailable } from '../core/errors.ts';

/** Answers that read all of an app: exports, and listings without pages. */
const PER_SESSION = 8;
/** One operator may log in many times. */
const PER_APP = 24;
const IN_ALL = 64;
/** Seconds; such an answer ends within them, or its reader is slow. */
const RETRY_AFTER = 5;

/** Limits how many answers that read all of an app are under way at the same time. */
export interface LongReads {
  /**
   * Counts an answer until its response is closed.
   *
   * @returns a signal that is aborted when the response is closed, also before anything was sent
   * @throws {TooManyRequests} for a session or an app with too many @throws {Unavailable} when the process has too many
   */
  begin(req: Request, res: Response): AbortSignal;
}

export function createLongReads(): LongReads {
  const counts = new Map<string, number>();
  let total = 0;

  const count = (key: string, change: 1 | -1): void => {
    const now = (counts.get(key) ?? 0) + change;
    if (now === 0) counts.delete(key);
    else counts.set(key, now);
  };
  const isFull = (key: string, limit: number): boolean => (counts.get(key) ?? 0) >= limit;

  return {
    begin(req, res) {
      const gone = new AbortController();
      if (res.closed) {
        gone.abort();
        return gone.signal;
      }
      const session = `session ${req.sessionID}`;
      const app = `app ${req.appId}`;
      if (isFull(session, PER_SESSION) || isFull(app, PER_APP)) {
        throw new TooManyRequests('Too many exports and listings at the same time; wait for one to end', RETRY_AFTER);
      }
      if (total >= IN_ALL) throw new Unavailable('Too many exports and listings are under way; try again', RETRY_AFTER);
      total += 1;
      count(session, 1);
      count(app, 1);
      res.once('close', () => {
        total -= 1;
        count(session, -1);
        count(app, -1);
        gone.abort();
      });
      return gone.signal;
    },
  };
}
