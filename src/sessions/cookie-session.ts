import type { Request, RequestHandler, Response } from 'express';
import session, { type Store } from 'express-session';
import type { App } from '../apps/app.ts';
import type { Config } from '../core/config.ts';
import { SESSION_LIFETIME_MS } from './session-store.ts';

/** Sets `req.session` of a request. Rejects with the store's error. */
export type LoadSession = (req: Request, res: Response) => Promise<void>;

/**
 * Cookie sessions (spec 2.5 and 5.2): HTTP-only, SameSite=Lax, 7 days, Secure in production.
 * Nothing is stored before a login.
 */
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
    new Promise((resolve, reject) => {
      if (config.production) assumeTls(req);
      load(req, res, (error?: unknown) => (error ? reject(error) : resolve()));
    });
}

/**
 * Makes express-session set the Secure cookie. In production a proxy terminates TLS, and without
 * TRUST_PROXY express-session would treat the request as plain HTTP and silently omit the cookie.
 * Browsers do not send a Secure cookie over plain HTTP.
 */
function assumeTls(req: Request): void {
  Object.defineProperty(req, 'secure', { value: true, configurable: true });
}

/**
 * Starts the session of an app after its login, under a new id against session fixation. Rejects
 * with the store's error.
 */
export async function beginSession(req: Request, app: App): Promise<void> {
  await new Promise<void>((resolve, reject) =>
    req.session.regenerate((error: unknown) => (error ? reject(error) : resolve())),
  );
  req.session.appId = app.id.toHexString();
  req.session.sourceAppId = app.sourceAppId;
  req.session.role = app.role;
  req.session.credentialId = app.credentialId;
  await new Promise<void>((resolve, reject) =>
    req.session.save((error: unknown) => (error ? reject(error) : resolve())),
  );
}

/** Ends the session of a request, if any, and clears the cookie. Rejects with the store's error. */
export async function endSession(req: Request, res: Response, cookieName: string): Promise<void> {
  await new Promise<void>((resolve, reject) =>
    req.session.destroy((error: unknown) => (error ? reject(error) : resolve())),
  );
  res.clearCookie(cookieName, { path: '/', httpOnly: true, sameSite: 'lax' });
}
