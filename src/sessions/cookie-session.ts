import type { Request, RequestHandler, Response } from 'express';
import session, { type Store } from 'express-session';
import type { App } from '../apps/apps.service.ts';
import type { Config } from '../core/config.ts';
import { SESSION_LIFETIME_MS } from './session-store.ts';

/** Gives a request its session, as `req.session`; resolves when it was looked up. */
export type LoadSession = (req: Request, res: Response) => Promise<void>;

/** Cookie sessions (spec 2.5 and 5.2): HTTP-only, SameSite=Lax, 7 days, Secure in production. Nothing is stored before a log-in. */
export function createSessionLoader(
  config: Pick<Config, 'production' | 'sessionCookieName'> & { sessionSecret: string },
  store: Store,
): LoadSession {
  const load: RequestHandler = session({
    name: config.sessionCookieName,
    secret: config.sessionSecret,
    store,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: config.production, maxAge: SESSION_LIFETIME_MS, path: '/' },
  });
  return (req, res) =>
    new Promise((done, fail) => {
      if (config.production) assumeTls(req);
      load(req, res, (error?: unknown) => (error ? fail(error) : done()));
    });
}

/**
 * In production TLS ends at a proxy. Where TRUST_PROXY is not set, express-session would take the request for plain HTTP and leave the cookie out without a
 * word; the cookie is Secure in any case, and the browser keeps it from plain connections.
 */
function assumeTls(req: Request): void {
  Object.defineProperty(req, 'secure', { value: true, configurable: true });
}

/** Begins the session of an app that has just logged in, under a new id so that one planted before is worth nothing. */
export async function beginSession(req: Request, app: App): Promise<void> {
  await new Promise<void>((done, fail) => req.session.regenerate((error: unknown) => (error ? fail(error) : done())));
  req.session.appId = app.id.toHexString();
  req.session.sourceAppId = app.sourceAppId;
  req.session.role = app.role;
  req.session.credentialId = app.credentialId;
  await new Promise<void>((done, fail) => req.session.save((error: unknown) => (error ? fail(error) : done())));
}

/** Ends the session of a request, if it has one, and takes the cookie back. */
export async function endSession(req: Request, res: Response, cookieName: string): Promise<void> {
  await new Promise<void>((done, fail) => req.session.destroy((error: unknown) => (error ? fail(error) : done())));
  res.clearCookie(cookieName, { path: '/', httpOnly: true, sameSite: 'lax' });
}
