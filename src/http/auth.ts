import type { Request, Response } from 'express';
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
import type { ApiKeyService } from '../api-keys/api-keys.service.ts';
import { keyInHeader } from '../api-keys/key-text.ts';
import { AppNotFound, Forbidden, InvalidInput } from '../core/errors.ts';
import { APP_ID_PATTERN } from '../core/identifiers.ts';
import type { LoadSession } from '../sessions/session-store.ts';
import type { SessionService } from '../sessions/sessions.service.ts';

/**
 * Identifies a client by the app in `x-app-id` (spec 5.1), or by its API key (spec 5.4), with which
 * the header may be absent. Does not check that the app exists. Throws {@link InvalidInput} for a
 * missing or malformed header, {@link Forbidden} when a key is for another app.
 */
function createAppIdAuth(keys: KeyAuth) {
  return (req: Request): PublicPrincipal | Promise<KeyPrincipal> => {
    const header = req.headers['x-app-id'] ?? '';
    const byKey = req.headers.authorization === undefined ? undefined : keys.authenticate(req);
    if (byKey !== undefined) return keyOfApp(byKey, () => (header === '' ? undefined : checkAppId(header)));
    if (header === '') throw new InvalidInput('Missing x-app-id header');
    const sourceAppId = checkAppId(header);
    req.appId = sourceAppId;
    return { kind: 'public', sourceAppId, scopes: PUBLIC_SCOPES };
  };
}

function checkAppId(header: string | string[]): string {
  if (typeof header !== 'string' || !APP_ID_PATTERN.test(header)) throw invalidAppIdError();
  return header;
}

/** @throws {Forbidden} when a request names another app than that of its key */
async function keyOfApp(byKey: Promise<KeyPrincipal>, named: () => string | undefined): Promise<KeyPrincipal> {
  const principal = await byKey;
  const { sourceAppId } = principal;
  if ((named() ?? sourceAppId) !== sourceAppId) throw new Forbidden('The API key is for another app');
  return principal;
}

export function invalidAppIdError(): InvalidInput {
  return new InvalidInput('Invalid x-app-id header');
}

type KeyAuth = ReturnType<typeof createKeyAuth>;

/** Authenticates API keys (spec 5.4). A request without one costs the check of one header. */
function createKeyAuth(keys: Pick<ApiKeyService, 'authenticate'>, cookieName: string) {
  const sessionCookie = new RegExp(`(?:^|;) *${cookieName}=`);

  /** The API key of a request. @throws {InvalidInput} when it has a session cookie as well */
  function bearerKey({ headers }: Request): string | undefined {
    const key = keyInHeader(headers.authorization);
    if (key !== undefined && headers.cookie !== undefined && sessionCookie.test(headers.cookie)) {
      throw new InvalidInput('A request has a session or an API key, not both');
    }
    return key;
  }

  return {
    /** Returns undefined for a request without an API key. @throws {InvalidInput} as `bearerKey` */
    authenticate(req: Request): Promise<KeyPrincipal> | undefined {
      const text = bearerKey(req);
      return text === undefined ? undefined : keyPrincipal(req, text);
    },

    /** @throws {Forbidden} when a request has an API key, at an endpoint that takes none */
    refuse(req: Request): void {
      if (bearerKey(req) !== undefined) throw new Forbidden('This endpoint takes no API keys; log in instead');
    },
  };

  async function keyPrincipal(req: Request, text: string): Promise<KeyPrincipal> {
    const { key, app } = await keys.authenticate(text, req.ip ?? '');
    req.appId = app.sourceAppId;
    req.keyId = key._id.toHexString();
    const scopes = new Set<Permission>(key.scopes);
    return withApp({ kind: 'key' as const, role: app.role, own: app, scopes, keyId: req.keyId });
  }
}

/**
 * Identifies a client by the app in the path (spec 5.1), or by an API key of that app (spec 5.4).
 * Does not check that the app exists. Throws {@link AppNotFound} when the id is malformed, and
 * {@link Forbidden} when a key is for another app.
 */
function createPathAuth(keys: KeyAuth) {
  return (req: Request): PublicPrincipal | Promise<KeyPrincipal> => {
    const { sourceAppId } = req.params;
    if (typeof sourceAppId !== 'string' || !APP_ID_PATTERN.test(sourceAppId)) throw new AppNotFound();
    const byKey = keys.authenticate(req);
    if (byKey !== undefined) return keyOfApp(byKey, () => sourceAppId);
    req.appId = sourceAppId;
    return { kind: 'public', sourceAppId, scopes: PUBLIC_SCOPES };
  };
}

/** Authenticates the caller; undefined if the endpoint requires none. @throws {AppError} */
export type Authenticate = (req: Request, res: Response) => Principal | undefined | Promise<Principal | undefined>;

export type AuthStrategies = Record<Auth, Authenticate>;

export function createAuthStrategies(deps: {
  loadSession: LoadSession;
  sessions: Pick<SessionService, 'authenticate'>;
  keys: Pick<ApiKeyService, 'authenticate'>;
  cookieName: string;
}): AuthStrategies {
  const keys = createKeyAuth(deps.keys, deps.cookieName);
  /**
   * The caller of the session cookie (spec 5.2), read for each request. @throws {Unauthenticated}
   */
  const session = async (req: Request, res: Response): Promise<SessionPrincipal> => {
    await deps.loadSession(req, res);
    const named = req.params.sourceAppId ?? req.query.sourceAppId;
    const principal = await deps.sessions.authenticate(
      req.session,
      req.sessionID,
      typeof named === 'string' ? named : undefined,
    );
    if (principal.own) req.appId = principal.own.sourceAppId;
    return principal;
  };
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
