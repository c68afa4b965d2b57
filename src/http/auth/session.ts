import type { Request, Response } from 'express';
import { ALL_SCOPES, type SessionPrincipal } from '../../api/principal.ts';
import type { LoadSession } from '../../sessions/cookie-session.ts';
import type { SessionService } from '../../sessions/sessions.service.ts';

/**
 * Authenticates the app of the session cookie (spec 5.2). The app is read for each request.
 * @throws {Unauthenticated}
 */
export function createSessionAuth(load: LoadSession, sessions: Pick<SessionService, 'authenticate'>) {
  return async (req: Request, res: Response): Promise<SessionPrincipal> => {
    await load(req, res);
    const app = await sessions.authenticate(req.session);
    req.appId = app.sourceAppId;
    return { kind: 'session', sourceAppId: app.sourceAppId, app, scopes: ALL_SCOPES };
  };
}
