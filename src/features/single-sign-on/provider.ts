import { createHash } from 'node:crypto';
import { createRemoteJWKSet, EncryptJWT, errors, type JWTVerifyGetKey, jwtDecrypt, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { SignOnConfig } from '../../platform/core/config.ts';
import { NamedError } from '../../platform/core/errors.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import type { Logger } from '../../platform/core/logger.ts';
import { deriveSecretKey } from '../../platform/core/secrets.ts';
import { withTimeout } from '../../platform/core/timeouts.ts';
import { safeParse } from '../../platform/http/safe-parse.ts';

export const CALLBACK_PATH = '/auth/oidc/callback';
/** How long somebody may take at the provider. */
export const FLOW_MS = 10 * 60 * 1_000;
const FOUND_MS = 60 * 60 * 1_000;
/** A provider that cannot be reached is not asked by each request. */
const RETRY_MS = 5_000;
const TIMEOUT_S = 8;
const SCOPE = 'openid email profile';
/**
 * Exchanges of codes at the same time, and those that wait: each sends requests to the provider.
 */
const EXCHANGES_AT_ONCE = 8;
const MAX_EXCHANGES = 100;
const MAX_GROUPS = 1_000;
/** A log-out does not wait longer for a provider. */
const END_WITHIN_MS = 1_000;
const CLOCKS_DIFFER_S = 60;
/** Of a token that names no key of the provider. Other errors are those of the request for keys. */
const KEY_REFUSALS = [errors.JOSENotSupported, errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys];
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** How old a logout token may be. */
export const LOGOUT_TOKEN_S = 600;

/** Why a sign-on is refused, as the log-in page names it. Nothing that the provider sent. */
export type RefusalCode = 'expired' | 'failed' | 'no_access' | 'unavailable';

export class SignOnRefused extends NamedError {
  readonly code: RefusalCode;
  constructor(code: RefusalCode, cause?: unknown) {
    super(`single sign-on refused: ${code}`, { cause });
    this.code = code;
  }
}

/** What the provider says of somebody who authenticated. */
export interface Claims {
  issuer: string;
  subject: string;
  /** Normalized. */
  email: string | undefined;
  /** Whether `email_verified` is exactly `true`. */
  isProved: boolean;
  name: string | undefined;
  groups: string[];
  /** When the provider said it, by its clock. */
  at: Date;
  sid: string | undefined;
}

const Flow = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
});
const Text = z.string().max(1_000);
const NonEmpty = Text.min(1);
const NamedGroups = z.union([z.array(z.unknown()), z.string().transform((group) => [group])]);
const LogoutClaims = z.looseObject({
  jti: NonEmpty,
  iat: z.number(),
  sub: Text.optional(),
  sid: Text.optional(),
  nonce: z.undefined().optional(),
  events: z.looseObject({ [LOGOUT_EVENT]: z.looseObject({}) }),
});

/**
 * Returns the path of this service to which a sign-on returns. Another host, a path that browsers
 * read as one, and the endpoints become the dashboard.
 */
export function safeReturnTo(returnTo: string | undefined, publicUrl: string): string {
  const fallback = '/dashboard';
  if (!returnTo || returnTo.length > 2_000 || !/^\/(?![/\\])/.test(returnTo) || /[\\\s\p{Cc}]/u.test(returnTo)) {
    return fallback;
  }
  if (!URL.canParse(returnTo, publicUrl)) return fallback;
  const url = new URL(returnTo, publicUrl);
  if (url.origin !== publicUrl || url.pathname.startsWith('//') || /^\/auth(\/|$)/i.test(url.pathname)) return fallback;
  return url.pathname + url.search + url.hash;
}

type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>;

export type Provider = ReturnType<typeof createProvider>;

/**
 * The provider of single sign-on (OpenID Connect, authorization code flow with PKCE). It is found
 * at the first log-in, so that an issuer that cannot be reached does not stop the service.
 *
 * @param secret encrypts the flow, which the browser keeps: nothing is stored before the callback
 */
export function createProvider(config: SignOnConfig, secret: string, logger: Logger) {
  const { issuer, clientId, clientSecret, groupsClaim, publicUrl } = config;
  const key = new Uint8Array(deriveSecretKey(secret, 'single sign-on'));
  const redirectUri = publicUrl + CALLBACK_PATH;
  const exchanges = pLimit(EXCHANGES_AT_ONCE);
  const isLocal = issuer.startsWith('http:');
  let found: { client: Promise<oidc.Configuration>; until: number } | undefined;
  let keys: { uri: string; get: JWTVerifyGetKey } | undefined;

  /** @throws {SignOnRefused} when the provider cannot be reached */
  async function client(): Promise<oidc.Configuration> {
    if (!found || found.until <= performance.now()) {
      const execute = [oidc.enableNonRepudiationChecks, ...(isLocal ? [oidc.allowInsecureRequests] : [])];
      const authentication = clientSecret === undefined ? oidc.None() : undefined;
      const options = { execute, timeout: TIMEOUT_S };
      const next = oidc.discovery(new URL(issuer), clientId, clientSecret, authentication, options);
      const attempt = { client: next, until: performance.now() + FOUND_MS };
      found = attempt;
      next.catch((error: unknown) => {
        attempt.until = performance.now() + RETRY_MS;
        logger.warn({ reason: describe(error) }, 'the provider of single sign-on cannot be used');
      });
    }
    try {
      return await found.client;
    } catch (error) {
      throw new SignOnRefused('unavailable', error);
    }
  }

  async function readClaims(at: oidc.Configuration, tokens: Tokens): Promise<Claims> {
    const token = tokens.claims();
    if (!token) throw new SignOnRefused('failed');
    const lacksGroups = groupsClaim !== undefined && token[groupsClaim] === undefined;
    const hasInfo = at.serverMetadata().userinfo_endpoint !== undefined && tokens.access_token !== undefined;
    const info: Record<string, unknown> =
      (lacksGroups || token.email === undefined) && hasInfo
        ? await oidc.fetchUserInfo(at, tokens.access_token, token.sub)
        : {};
    const all: Record<string, unknown> = { ...info, ...token };
    const groups = groupsClaim === undefined ? [] : (NamedGroups.safeParse(all[groupsClaim]).data ?? []);
    const names = groups.slice(0, MAX_GROUPS).filter((group): group is string => typeof group === 'string');
    // An email and whether it is verified come from one place, because the places may differ.
    const { email: sent, email_verified: isVerified } = token.email === undefined ? info : token;
    // Entra ID sends neither; a name that is an email counts as one that nobody proved.
    const email = textOf(sent) ?? textOf(all.preferred_username);
    return {
      issuer: token.iss,
      subject: token.sub,
      groups: names,
      at: new Date(token.iat * 1_000),
      email: email === undefined ? undefined : normalizeEmail(email),
      isProved: isVerified === true && textOf(sent) !== undefined,
      name: textOf(all.name)?.trim(),
      sid: textOf(token.sid),
    };
  }

  return {
    /**
     * Begins a sign-on.
     *
     * @returns where the browser goes, and what it has to bring back in its cookie
     * @throws {SignOnRefused}
     */
    async start(returnTo: string): Promise<{ location: string; flow: string }> {
      const at = await client();
      const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
      const location = oidc.buildAuthorizationUrl(at, {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge_method: 'S256',
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      });
      const flow = await new EncryptJWT({ state, nonce, verifier, returnTo })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(new Date(Date.now() + FLOW_MS))
        .encrypt(key);
      return { location: location.href, flow };
    },

    /** Returns what the cookie of a browser holds. @throws {SignOnRefused} */
    async readFlow(cookie: string | undefined): Promise<z.infer<typeof Flow>> {
      try {
        const { payload } = await jwtDecrypt(cookie ?? '', key);
        const { exp: _, ...flow } = payload;
        return Flow.parse(flow);
      } catch (error) {
        throw new SignOnRefused('expired', error);
      }
    },

    /**
     * Exchanges the code of a callback. Checks state, nonce, PKCE, issuer, audience, signature and
     * times of the answer. @param query of the callback @throws {SignOnRefused}
     */
    async finish(query: string, { state, nonce, verifier }: z.infer<typeof Flow>): Promise<Claims> {
      const at = await client();
      if (exchanges.pendingCount >= MAX_EXCHANGES) throw new SignOnRefused('unavailable');
      // The address comes from the configuration: nothing of the request but its query counts.
      const url = new URL(redirectUri + query);
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      try {
        return await exchanges(async () => {
          const tokens = await oidc.authorizationCodeGrant(at, url, checks);
          return readClaims(at, tokens);
        });
      } catch (error) {
        logger.info({ reason: describe(error) }, 'single sign-on failed');
        throw error instanceof SignOnRefused ? error : new SignOnRefused('failed', error);
      }
    },

    /** Resolves with the address that ends the session at the provider; undefined without one. */
    async endSessionUrl(): Promise<string | undefined> {
      const failure = () => new SignOnRefused('unavailable');
      const at = await withTimeout(client(), END_WITHIN_MS, failure).catch(() => undefined);
      if (at?.serverMetadata().end_session_endpoint === undefined) return undefined;
      return oidc.buildEndSessionUrl(at, { post_logout_redirect_uri: `${publicUrl}/dashboard` }).href;
    },

    /** Resolves with what a logout token ends; undefined when it is not genuine or too old. */
    async readLogout(token: string) {
      const at = await client();
      const uri = at.serverMetadata().jwks_uri;
      if (uri === undefined) return undefined;
      if (keys?.uri !== uri) keys = { uri, get: keysAt(uri) };
      const claims = await jwtVerify(token, keys.get, {
        issuer: at.serverMetadata().issuer,
        audience: clientId,
        maxTokenAge: LOGOUT_TOKEN_S,
        clockTolerance: CLOCKS_DIFFER_S,
      }).then(({ payload }) => safeParse(LogoutClaims, payload).data, orUnavailable);
      if (!claims) return undefined;
      const { sub: subject, sid, jti, iat } = claims;
      if (subject === undefined && sid === undefined) return undefined;
      const whose = { ...(subject !== undefined && { subject }), ...(sid !== undefined && { sid }) };
      const which = { ...whose, at: new Date(iat * 1_000) };
      return { issuer: at.serverMetadata().issuer, which, id: createHash('sha256').update(jti).digest('base64url') };
    },
  };
}

/** An error in a token makes it not genuine. @throws {SignOnRefused} as it is */
function orUnavailable(error: unknown): undefined {
  if (error instanceof SignOnRefused) throw error;
}

/** The keys at an address. Their errors are {@link SignOnRefused} when it cannot be read. */
function keysAt(uri: string): JWTVerifyGetKey {
  const find = createRemoteJWKSet(new URL(uri), { timeoutDuration: TIMEOUT_S * 1_000 });
  return (header, token) =>
    find(header, token).catch((error: unknown) => {
      throw KEY_REFUSALS.some((refusal) => error instanceof refusal) ? error : new SignOnRefused('unavailable', error);
    });
}

const textOf = (value: unknown): string | undefined => safeParse(NonEmpty, value).data;

/** The kind of a failure, without what the provider sent. */
function describe(error: unknown): string {
  const { name, code } = error as { name?: string; code?: string };
  return [name, code].filter((part) => typeof part === 'string' && /^[\w.:-]{1,80}$/.test(part)).join(' ') || 'unknown';
}
