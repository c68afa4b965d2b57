import type { Request } from 'express';
import type { ApiKeyService } from '../access/api-keys/api-keys.service.ts';
import { keyInHeader } from '../access/api-keys/key-text.ts';
import { storedSession } from '../access/sessions/session.ts';
import type { SessionCookie } from '../access/sessions/session-cookie.ts';
import type { SessionService } from '../access/sessions/sessions.service.ts';
import type { Auth } from '../api/endpoint.ts';
import {
  type KeyPrincipal,
  type Permission,
  type Principal,
  PUBLIC_SCOPES,
  type PublicPrincipal,
  type SessionPrincipal,
  withApp,
} from '../api/principal.ts';
import { AppNotFound, Forbidden, InvalidInput } from '../platform/core/errors.ts';
import { APP_ID_PATTERN } from '../platform/core/identifiers.ts';

/**
 * Authenticates the caller; undefined if the endpoint requires none.
 * @param isAgain whether the request was authenticated before, so that its session is read again
 * @throws {AppError}
 */
export type Authenticate = (req: Request, isAgain?: boolean) => Principal | undefined | Promise<Principal | undefined>;

export type AuthStrategies = Record<Auth, Authenticate>;

/** Creates the ways to authenticate. None checks that an app which a public client names exists. */
export function createAuthStrategies(
  sessions: Pick<SessionService, 'authenticate'>,
  keys: Pick<ApiKeyService, 'authenticate'>,
  sessionCookie: Pick<SessionCookie, 'find'>,
): AuthStrategies {
  /** The API key of a request. @throws {InvalidInput} when it has a session cookie as well */
  function bearerKey(req: Request): string | undefined {
    const key = keyInHeader(req.headers.authorization);
    if (key !== undefined && sessionCookie.find(req) !== undefined) throw new InvalidInput('sessionAndKey');
    return key;
  }

  /** The caller of an API key (spec 5.4). A request without one costs the check of one header. */
  function authenticateKey(req: Request): Promise<KeyPrincipal> | undefined {
    const text = bearerKey(req);
    return text === undefined ? undefined : findKey(req, text);
  }

  async function findKey(req: Request, text: string): Promise<KeyPrincipal> {
    const { key, app } = await keys.authenticate(text, req.ip ?? '');
    req.appId = app.sourceAppId;
    req.keyId = key._id.toHexString();
    const scopes = new Set<Permission>(key.scopes);
    return withApp({ kind: 'key' as const, role: app.role, own: app, scopes, keyId: req.keyId });
  }

  /** @throws {Forbidden} when a request has an API key */
  function refuseKey(req: Request): void {
    if (bearerKey(req) !== undefined) throw new Forbidden('noKeysTaken');
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
      const byKey = authenticateKey(req);
      if (byKey !== undefined) return keyOfApp(byKey, () => (header === '' ? undefined : checkAppId(header)));
      if (header === '') throw new InvalidInput('noAppId');
      return publicPrincipal(req, checkAppId(header));
    },

    /** By the app in the path (spec 5.1), or by an API key of that app. */
    form: (req) => {
      const { sourceAppId } = req.params;
      if (typeof sourceAppId !== 'string' || !APP_ID_PATTERN.test(sourceAppId)) throw new AppNotFound();
      const byKey = authenticateKey(req);
      return byKey === undefined ? publicPrincipal(req, sourceAppId) : keyOfApp(byKey, () => sourceAppId);
    },

    visitor: (req) => {
      refuseKey(req);
      return undefined;
    },

    session: (req, isAgain) => {
      refuseKey(req);
      return authenticateSession(req, isAgain);
    },

    'session or key': (req, isAgain) => authenticateKey(req) ?? authenticateSession(req, isAgain),
  };
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
