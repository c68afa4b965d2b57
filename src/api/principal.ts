import type { ObjectId } from 'mongodb';

/** Permissions of a caller. A session has all of them. */
export const SCOPES = ['submit', 'users:read', 'users:write', 'import', 'export', 'schema:write', 'webhooks'] as const;
export type Scope = (typeof SCOPES)[number];

/** The app on whose behalf a request is made. */
export interface PrincipalApp {
  id: ObjectId;
  sourceAppId: string;
  role: 'user' | 'admin';
  /** Identifies the password with which a session logged in. */
  credentialId: string;
}

/** A client that names an app without proof. It may submit and read the schema. */
export interface PublicPrincipal {
  kind: 'public';
  sourceAppId: string;
  scopes: ReadonlySet<Scope>;
}

/** An operator or an admin who logged in as an app. */
export interface SessionPrincipal {
  kind: 'session';
  sourceAppId: string;
  app: PrincipalApp;
  scopes: ReadonlySet<Scope>;
}

/** A program with an API key (spec 4.8), with the role of its app and the scopes of the key. */
export interface KeyPrincipal extends Omit<SessionPrincipal, 'kind'> {
  kind: 'key';
  keyId: string;
}

/** A caller that authenticated as an app. */
export type AppPrincipal = SessionPrincipal | KeyPrincipal;

/** The caller of a request. */
export type Principal = PublicPrincipal | AppPrincipal;

export const PUBLIC_SCOPES: ReadonlySet<Scope> = new Set(['submit']);
export const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);
