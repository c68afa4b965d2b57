import type { Request } from 'express';
import { AppNotFound, Forbidden, InvalidInput } from '../../platform/core/errors.ts';
import { APP_ID_PATTERN } from '../../platform/core/identifiers.ts';
import type { SessionCookie } from '../../platform/http/session-cookie.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { Auth, EndpointSpec } from '../api/endpoint.ts';
import {
  type CallerPart,
  type KeyPrincipal,
  type Principal,
  PUBLIC_SCOPES,
  type PublicPrincipal,
  type SessionPrincipal,
} from '../api/principal.ts';
import { storedSession } from '../sessions/session.ts';
import type { SessionService } from '../sessions/sessions.service.ts';

/** Who may call an endpoint. */
type Access = Pick<EndpointSpec, 'role' | 'scope'>;

/**
 * Authenticates the caller; undefined if the endpoint requires none.
 * @param access who may call the endpoint, which a refusal of an API key names
 * @param isAgain whether the request was authenticated before, so that its session is read again
 * @throws {AppError}
 */
export type Authenticate = (
  req: Request,
  access: Access,
  isAgain?: boolean,
) => Principal | undefined | Promise<Principal | undefined>;

export type AuthStrategies = Record<Auth, Authenticate>;

/** Creates the ways to authenticate. None checks that an app which a public client names exists. */
export function createAuthStrategies(
  sessions: Pick<SessionService, 'authenticate'>,
  callers: readonly CallerPart[],
  sessionCookie: Pick<SessionCookie, 'find'>,
): AuthStrategies {
  /**
   * Returns what authenticates the key of a request; undefined without a key.
   * @throws {InvalidInput} when the request has a session cookie as well
   */
  function findKey(req: Request): ReturnType<CallerPart['findKey']> {
    for (const part of callers) {
      const authenticate = part.findKey(req);
      if (!authenticate) continue;
      if (sessionCookie.find(req) !== undefined) throw new InvalidInput('sessionAndKey');
      return authenticate;
    }
    return undefined;
  }

  /** The caller of a key (spec 5.4). A request without one costs the check of one header. */
  function authenticateByKey(req: Request): Promise<KeyPrincipal> | undefined {
    const authenticate = findKey(req);
    return authenticate && noted(req, authenticate());
  }

  /** @throws {Forbidden} when a request has an API key */
  function refuseKey(req: Request, access: Access): void {
    if (findKey(req)) throw new Forbidden(say('noKeysTaken', { caller: callerOf(access) }));
  }

  /** The caller of the session cookie (spec 5.2). @throws {Unauthenticated} */
  async function authenticateSession(req: Request, isAgain = false): Promise<SessionPrincipal> {
    const session = isAgain ? await storedSession(req) : req.session;
    const named = req.params.sourceAppId ?? req.query.sourceAppId;
    const appId = typeof named === 'string' ? named : undefined;
    const principal = await sessions.authenticate(session, req.sessionID, appId);
    if (principal.own) req.appId = principal.own.sourceAppId;
    return principal;
  }

  return {
    none: () => undefined,

    /** By `x-app-id` (spec 5.1), or by an API key, with which the header may be absent. */
    'app id': (req) => {
      const header = req.headers['x-app-id'] ?? '';
      const byKey = authenticateByKey(req);
      if (byKey !== undefined) return keyOfApp(byKey, () => (header === '' ? undefined : checkAppId(header)));
      if (header === '') throw new InvalidInput('noAppId');
      return publicPrincipal(req, checkAppId(header));
    },

    /** By the app in the path (spec 5.1), or by an API key of that app. */
    form: (req) => {
      const { sourceAppId } = req.params;
      if (typeof sourceAppId !== 'string' || !APP_ID_PATTERN.test(sourceAppId)) throw new AppNotFound();
      const byKey = authenticateByKey(req);
      return byKey === undefined ? publicPrincipal(req, sourceAppId) : keyOfApp(byKey, () => sourceAppId);
    },

    visitor: (req, access) => {
      refuseKey(req, access);
      return undefined;
    },

    session: (req, access, isAgain) => {
      refuseKey(req, access);
      return authenticateSession(req, isAgain);
    },

    'session or key': (req, _access, isAgain) => authenticateByKey(req) ?? authenticateSession(req, isAgain),
  };
}

/** Who has to log in at an endpoint that takes no API keys. */
function callerOf({ role, scope }: Access): 'admin' | 'manager' | 'operator' {
  if (role === 'admin') return 'admin';
  return role !== undefined || scope === 'manage' ? 'manager' : 'operator';
}

/**
 * Resolves with the caller of the API key in a request (spec 5.4), whatever its cookies; undefined
 * without a key. @throws {Unauthenticated} @throws {TooManyRequests}
 */
export async function authenticateKey(req: Request, callers: readonly CallerPart[]): Promise<KeyPrincipal | undefined> {
  for (const part of callers) {
    const authenticate = part.findKey(req);
    if (authenticate) return noted(req, authenticate());
  }
  return undefined;
}

/** Names the app and the key of a caller in the log of the request. */
async function noted(req: Request, found: Promise<KeyPrincipal>): Promise<KeyPrincipal> {
  const principal = await found;
  req.appId = principal.sourceAppId;
  req.keyId = principal.keyId;
  return principal;
}

function publicPrincipal(req: Request, sourceAppId: string): PublicPrincipal {
  req.appId = sourceAppId;
  return { kind: 'public', sourceAppId, scopes: PUBLIC_SCOPES };
}

function checkAppId(header: string | string[]): string {
  if (typeof header !== 'string' || !APP_ID_PATTERN.test(header)) throw invalidAppIdError();
  return header;
}

/** @throws {Forbidden} when a request names another app than that of its key */
async function keyOfApp(byKey: Promise<KeyPrincipal>, named: () => string | undefined): Promise<KeyPrincipal> {
  const principal = await byKey;
  const { sourceAppId } = principal;
  if ((named() ?? sourceAppId) !== sourceAppId) throw new Forbidden('keyOfOtherApp');
  return principal;
}

export function invalidAppIdError(): InvalidInput {
  return new InvalidInput('invalidAppId');
}
