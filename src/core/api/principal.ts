import type { Request } from 'express';
import type { ObjectId } from 'mongodb';
import { Forbidden, InvalidInput } from '../../platform/core/errors.ts';
import type { Writer } from '../fields/base/kind.ts';

/** What API keys may be given. */
export const SCOPES = ['submit', 'users:read', 'users:write', 'import', 'export', 'schema:write', 'webhooks'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a caller may do. `manage`: settings, keys, members and the audit log of an app; no key. */
export type Permission = Scope | 'manage';

/** The app on whose behalf a request is made. */
interface PrincipalApp {
  id: ObjectId;
  sourceAppId: string;
  role: 'user' | 'admin';
  /** Identifies the password with which a session logged in. */
  credentialId: string;
  /** The settings of its forms, which have the name of the app. */
  form?: { name?: string } | undefined;
}

/** The app that a request of an operator works on. */
export type ScopedApp = Pick<PrincipalApp, 'id' | 'sourceAppId'>;

/** A client that names an app without proof. It may submit and read the schema. */
export interface PublicPrincipal {
  kind: 'public';
  sourceAppId: string;
  scopes: ReadonlySet<Permission>;
}

/** A logged-in operator or admin, as an app (spec 5.2) or as an account (spec 4.13). */
export interface SessionPrincipal {
  kind: 'session';
  /** `admin`: may act for every app. */
  role: 'user' | 'admin';
  /** The app of the session, or the one that an account works on; undefined: it names none. */
  own: PrincipalApp | undefined;
  /** As `own`. @throws {InvalidInput} when an account names none of several apps */
  readonly app: PrincipalApp;
  readonly sourceAppId: string;
  scopes: ReadonlySet<Permission>;
  /** Undefined for the log-in with the password of an app. */
  account?: { id: ObjectId; method: string };
}

/** A program with an API key (spec 4.8), with the role of its app and the scopes of the key. */
export interface KeyPrincipal extends Omit<SessionPrincipal, 'kind' | 'account'> {
  kind: 'key';
  keyId: string;
}

/** A kind of callers that a feature adds to those of sessions: programs with a key. */
export interface CallerPart {
  /**
   * Returns a function that resolves with the caller of the key in a request, or rejects with an
   * `AppError`; undefined without a key. A request without one costs the check of a header.
   */
  findKey(req: Request): (() => Promise<KeyPrincipal>) | undefined;
}

/** A caller that authenticated. */
export type AppPrincipal = SessionPrincipal | KeyPrincipal;

/** The caller of a request. */
export type Principal = PublicPrincipal | AppPrincipal;

export const PUBLIC_SCOPES: ReadonlySet<Permission> = new Set<Permission>(['submit']);
export const ALL_SCOPES: ReadonlySet<Permission> = new Set<Permission>([...SCOPES, 'manage']);

/** Whose fields a submission of the caller may set (spec 2.11). */
export function writerOf({ scopes }: Principal): Writer {
  return scopes.has('users:write') || scopes.has('import') ? 'staff' : 'everyone';
}

/** Adds `app` and `sourceAppId` to what is known of a caller. */
export function withApp<Caller extends { own: PrincipalApp | undefined }>(
  caller: Caller,
): Caller & Pick<SessionPrincipal, 'app' | 'sourceAppId'> {
  const app = (): PrincipalApp => {
    if (caller.own) return caller.own;
    throw new InvalidInput('appNotNamed');
  };
  return Object.defineProperties(caller, {
    app: { get: app },
    sourceAppId: { get: () => app().sourceAppId },
  }) as Caller & Pick<SessionPrincipal, 'app' | 'sourceAppId'>;
}

/**
 * Resolves with the named app, by default that of the session (spec 4.3). @throws {NotFound}
 * @throws {Forbidden} when a caller other than an admin names another app
 */
export type AppScope = (principal: AppPrincipal, sourceAppId: string | undefined) => Promise<ScopedApp>;

export function createAppScope(apps: { get(sourceAppId: string): Promise<ScopedApp> }): AppScope {
  return async (principal, sourceAppId) => {
    if (sourceAppId === undefined || sourceAppId === principal.own?.sourceAppId) return principal.app;
    if (principal.role !== 'admin') throw new Forbidden('adminRequired');
    return apps.get(sourceAppId);
  };
}
