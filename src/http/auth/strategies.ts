import type { Request, Response } from 'express';
import type { Auth } from '../../api/endpoint.ts';
import type { Principal } from '../../api/principal.ts';
import type { LoadSession } from '../../sessions/cookie-session.ts';
import type { SessionService } from '../../sessions/sessions.service.ts';
import { authenticateByAppId } from './app-id.ts';
import { authenticateByPath } from './form.ts';
import { createSessionAuth } from './session.ts';

/**
 * Authenticates the caller; undefined if the endpoint requires no authentication.
 * @throws {AppError} when the caller is refused
 */
export type Authenticate = (req: Request, res: Response) => Principal | undefined | Promise<Principal | undefined>;

/** The strategy of each authentication that an endpoint can declare. */
export type AuthStrategies = Record<Auth, Authenticate>;

export function createAuthStrategies(deps: {
  loadSession: LoadSession;
  sessions: Pick<SessionService, 'authenticate'>;
}): AuthStrategies {
  return {
    none: () => undefined,
    'app id': authenticateByAppId,
    form: authenticateByPath,
    visitor: async (req, res) => {
      await deps.loadSession(req, res);
      return undefined;
    },
    session: createSessionAuth(deps.loadSession, deps.sessions),
  };
}
