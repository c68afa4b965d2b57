import type { Request, Response } from 'express';
import type { Auth } from '../../api/endpoint.ts';
import type { Principal } from '../../api/principal.ts';
import type { ApiKeyService } from '../../api-keys/api-keys.service.ts';
import type { LoadSession } from '../../sessions/cookie-session.ts';
import type { SessionService } from '../../sessions/sessions.service.ts';
import { createKeyAuth } from './api-key.ts';
import { createAppIdAuth } from './app-id.ts';
import { createPathAuth } from './form.ts';
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
  keys: Pick<ApiKeyService, 'authenticate'>;
  cookieName: string;
}): AuthStrategies {
  const keys = createKeyAuth(deps.keys, deps.cookieName);
  const session = createSessionAuth(deps.loadSession, deps.sessions);
  return {
    none: () => undefined,
    'app id': createAppIdAuth(keys),
    form: createPathAuth(keys),
    visitor: async (req, res) => {
      keys.refuse(req);
      await deps.loadSession(req, res);
      return undefined;
    },
    session: async (req, res) => {
      keys.refuse(req);
      return session(req, res);
    },
    'session or key': (req, res) => keys.authenticate(req) ?? session(req, res),
  };
}
