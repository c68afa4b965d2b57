import type { Types } from 'mongoose';

/** What a caller may do. A session may do everything that its role allows; an API key names its scopes. */
export const SCOPES = ['submit', 'users:read', 'users:write', 'import', 'export', 'schema:write', 'webhooks'] as const;
export type Scope = (typeof SCOPES)[number];

/** The app that a caller acts for. */
export interface PrincipalApp {
  id: Types.ObjectId;
  sourceAppId: string;
  role: 'user' | 'admin';
  /** Names the password under which the caller logged in. */
  credentialId: string;
}

/** A client that names an app. Anybody can; it may submit and read the schema. */
export interface PublicPrincipal {
  kind: 'public';
  sourceAppId: string;
  scopes: ReadonlySet<Scope>;
}

/** A caller that proved that it acts for an app. */
export interface AppPrincipal {
  kind: 'session';
  sourceAppId: string;
  app: PrincipalApp;
  scopes: ReadonlySet<Scope>;
}

/** Who sends a request, as the endpoint's authentication found out. */
export type Principal = PublicPrincipal | AppPrincipal;

export const PUBLIC_SCOPES: ReadonlySet<Scope> = new Set(['submit']);
export const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);
