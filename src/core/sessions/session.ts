import type { Request, RequestHandler, Response } from 'express';
import session, { type SessionData, type Store } from 'express-session';
import type { Config } from '../../platform/core/config.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import { createSessionCookie } from '../../platform/http/session-cookie.ts';
import { SESSION_LIFETIME_MS } from './sessions.model.ts';

/**
 * Creates the middleware that sets `req.session` within the deadline of the request (spec 2.5 and
 * 5.2). Nothing is stored before a login. Errors are those of the session store.
 */
export function createSession(
  config: Pick<Config, 'production' | 'sessionCookieName'> & { sessionSecret: string },
  store: Store,
): RequestHandler {
  const read: RequestHandler = session({
    name: config.sessionCookieName,
    secret: config.sessionSecret,
    store,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: config.production, maxAge: SESSION_LIFETIME_MS, path: '/' },
  });
  const cookie = createSessionCookie(config);
  return async (req, res, next) => {
    cookie.moveFirst(req);
    if (config.production) assumeTls(req);
    const found = settled((done) => read(req, res, done));
    await (req.deadline?.run(found) ?? found);
    if (res.closed) throw new Unavailable();
    next();
  };
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
