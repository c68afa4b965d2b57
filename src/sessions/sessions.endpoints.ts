import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import { Role, SentPassword, SourceAppId } from '../apps/apps.contract.ts';
import { Unauthenticated } from '../core/errors.ts';
import { APP_ID_FORMAT, APP_ID_PATTERN } from '../core/identifiers.ts';
import { beginSession, endSession } from './session-store.ts';
import { INVALID_CREDENTIALS, type SessionService } from './sessions.service.ts';

const Credentials = z
  .strictObject({
    sourceAppId: z.string('must be a string').regex(APP_ID_PATTERN, `must be ${APP_ID_FORMAT}`),
    password: SentPassword,
  })
  .meta({ id: 'Credentials', example: { sourceAppId: 'newsletter', password: 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g' } });

const Ok = z.literal(true);

export const sessionEndpoints = {
  logIn: {
    method: 'post',
    path: '/auth/login',
    auth: 'visitor',
    audit: 'login',
    tag: 'Sessions',
    summary: 'Log in',
    description:
      'Sets the HTTP-only session cookie, valid for 7 days. Failures are limited per app and address, and per address over all apps.',
    body: jsonBody(Credentials, 'Invalid log-in'),
    response: z.strictObject({ ok: Ok, sourceAppId: SourceAppId, role: Role }),
    responseHeaders: { 'Set-Cookie': 'The session cookie' },
    errors: [401, 429],
  },
  logOut: {
    method: 'post',
    path: '/auth/logout',
    auth: 'visitor',
    tag: 'Sessions',
    summary: 'Log out',
    description: 'Ends the current session. The response is the same without a session.',
    response: z.strictObject({ ok: Ok }),
    errors: [],
  },
  getSession: {
    method: 'get',
    path: '/auth/session',
    auth: 'session',
    load: 'light',
    tag: 'Sessions',
    summary: 'The current session',
    response: z.strictObject({ sourceAppId: SourceAppId, role: Role }),
    errors: [],
  },
} as const satisfies Endpoints;

export const sessionRoutes = (sessions: SessionService, cookieName: string): Route[] =>
  routes(sessionEndpoints, {
    logIn: async ({ body, req, res, leftMs, audit }) => {
      const app = await sessions.logIn(body.sourceAppId, body.password, { address: req.ip ?? '', leftMs });
      await beginSession(req, app);
      // The app may have been deleted during the password check; its sessions were then removed
      // before this one was saved.
      if (!(await sessions.isLive(req.session))) {
        await endSession(req, res, cookieName);
        throw new Unauthenticated(INVALID_CREDENTIALS);
      }
      req.appId = app.sourceAppId;
      audit({ app, actor: { kind: app.role === 'admin' ? 'admin' : 'operator', id: app.sourceAppId } });
      return { ok: true as const, sourceAppId: app.sourceAppId, role: app.role };
    },

    logOut: async ({ req, res }) => {
      await endSession(req, res, cookieName);
      return { ok: true as const };
    },

    getSession: ({ principal: { app } }) => ({ sourceAppId: app.sourceAppId, role: app.role }),
  });
