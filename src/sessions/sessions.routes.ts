import { type Route, routes } from '../api/endpoint.ts';
import { Unauthenticated } from '../core/errors.ts';
import { beginSession, endSession } from './cookie-session.ts';
import { sessionEndpoints } from './sessions.contract.ts';
import { INVALID_CREDENTIALS, type SessionService } from './sessions.service.ts';

/** The endpoints of sessions (spec 4.2). */
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
