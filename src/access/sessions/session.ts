import type { Request, RequestHandler, Response } from 'express';
import session, { type SessionData, type Store } from 'express-session';
import { Deadline } from '../../api/deadline.ts';
import type { OperatorLoad } from '../../api/operator-load.ts';
import type { Config } from '../../platform/core/config.ts';
import { SESSION_LIFETIME_MS } from './sessions.model.ts';

/**
 * Sets `req.session` (spec 2.5 and 5.2), within the deadline of the request and in the turn of its
 * network. Nothing is stored before a login.
 */
export function createSession(
  config: Pick<Config, 'production' | 'sessionCookieName'> & { sessionSecret: string },
  store: Store,
  load: Pick<OperatorLoad, 'beginLookUps'>,
): RequestHandler {
  const read: RequestHandler = session({
    name: config.sessionCookieName,
    secret: config.sessionSecret,
    store,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: config.production, maxAge: SESSION_LIFETIME_MS, path: '/' },
  });
  return (req, res, next) => {
    if (config.production) assumeTls(req);
    const deadline = new Deadline();
    req.deadline = deadline;
    deadline.run(readInTurn(req, res, deadline)).then(() => next(), next);
  };

  /** The endpoint ends the turn, unless there is none, or the request was refused meanwhile. */
  async function readInTurn(req: Request, res: Response, deadline: Deadline): Promise<void> {
    const end = await load.beginLookUps(req, res);
    try {
      await settled((done) => read(req, res, done));
    } catch (error) {
      end();
      throw error;
    }
    if (deadline.isOver || res.closed) return end();
    req.endLookUps = end;
    res.once('close', () => req.endLookUps?.());
  }
}

/**
 * Makes express-session set the Secure cookie. In production a proxy terminates TLS; without
 * TRUST_PROXY express-session would take the request for plain HTTP and omit the cookie.
 */
function assumeTls(req: Request): void {
  Object.defineProperty(req, 'secure', { value: true, configurable: true });
}

/** Resolves with the session of a request as it is stored now, if it is. */
export function storedSession({ sessionStore, sessionID }: Request): Promise<Partial<SessionData> | undefined> {
  return new Promise((resolve, reject) => {
    sessionStore.get(sessionID, (error, found) => (error ? reject(error) : resolve(found ?? undefined)));
  });
}

/** Starts the session of an app or an account, under a new id against session fixation. */
export async function beginSession(req: Request, data: Partial<SessionData>): Promise<void> {
  await settled((done) => req.session.regenerate(done));
  Object.assign(req.session, data);
  await settled((done) => req.session.save(done));
}

/** Ends the session of a request, if any, and clears the cookie. */
export async function endSession(req: Request, res: Response, cookieName: string): Promise<void> {
  await settled((done) => req.session.destroy(done));
  res.clearCookie(cookieName, { path: '/', httpOnly: true, sameSite: 'lax' });
}

/** Rejects with the error of the session store. */
function settled(start: (done: (error?: unknown) => void) => unknown): Promise<void> {
  return new Promise((resolve, reject) => void start((error) => (error ? reject(error) : resolve())));
}
