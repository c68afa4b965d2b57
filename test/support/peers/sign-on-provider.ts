import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export const CLIENT_ID = 'the-service';
export const CLIENT_SECRET = 'the-secret-of-the-service';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

interface Grant {
  nonce: string;
  challenge: string;
  redirectUri: string;
  claims: JWTPayload;
}

/** What the provider does wrong in the next ID token. */
export interface Forgery {
  claims?: JWTPayload;
  /** Signs with a key that the provider does not publish. */
  isUnsigned?: boolean;
  /** The `iss` of the redirect. */
  iss?: string;
}

async function bodyOf(req: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const part of req) text += String(part);
  return new URLSearchParams(text);
}

function answer(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/**
 * A provider of single sign-on that can be made to lie: discovery, keys, and the token endpoint,
 * which checks the client, the redirect address, PKCE and that a code counts once. Somebody logs in
 * by `authorize`, without pages.
 */
export class SignOnProvider {
  readonly #server: Server;
  readonly #grants = new Map<string, Grant>();
  readonly #keys: KeyPair;
  readonly #others: KeyPair;
  issuer = '';
  /** The claims that the user info endpoint adds, by subject. */
  readonly info = new Map<string, Record<string, unknown>>();
  forgery: Forgery = {};
  tokenRequests = 0;

  private constructor(keys: KeyPair, others: KeyPair) {
    this.#keys = keys;
    this.#others = others;
    this.#server = createServer((req, res) => void this.#answer(req, res).catch(() => res.destroy()));
  }

  static async start(port = 0): Promise<SignOnProvider> {
    const provider = new SignOnProvider(await generateKeyPair('RS256'), await generateKeyPair('RS256'));
    await new Promise<void>((resolve) => provider.#server.listen(port, '127.0.0.1', resolve));
    provider.issuer = `http://127.0.0.1:${(provider.#server.address() as AddressInfo).port}`;
    return provider;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname } = new URL(req.url ?? '', this.issuer);
    const { issuer } = this;
    if (pathname === '/.well-known/openid-configuration') {
      return answer(res, 200, {
        issuer,
        jwks_uri: `${issuer}/keys`,
        token_endpoint: `${issuer}/token`,
        authorization_endpoint: `${issuer}/authorize`,
        userinfo_endpoint: `${issuer}/info`,
        end_session_endpoint: `${issuer}/logout`,
        authorization_response_iss_parameter_supported: true,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        code_challenge_methods_supported: ['S256'],
      });
    }
    if (pathname === '/keys') {
      const key = await exportJWK(this.#keys.publicKey);
      return answer(res, 200, { keys: [{ ...key, kid: 'one', alg: 'RS256', use: 'sig' }] });
    }
    if (pathname === '/info') {
      const subject = (req.headers.authorization ?? '').replace('Bearer access-', '');
      return answer(res, 200, { sub: subject, ...this.info.get(subject) });
    }
    if (pathname !== '/token') return answer(res, 404, {});
    this.tokenRequests += 1;
    const body = await bodyOf(req);
    const grant = this.#grants.get(body.get('code') ?? '');
    this.#grants.delete(body.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const isClient = body.get('client_id') === CLIENT_ID && body.get('client_secret') === CLIENT_SECRET;
    if (!grant || !isClient || challenge !== grant.challenge || body.get('redirect_uri') !== grant.redirectUri) {
      return answer(res, 400, { error: 'invalid_grant', error_description: '<script>alert(1)</script>' });
    }
    const token = await this.sign(
      { nonce: grant.nonce, ...grant.claims, ...this.forgery.claims },
      this.forgery.isUnsigned,
    );
    const access = `access-${grant.claims.sub}`;
    return answer(res, 200, { access_token: access, token_type: 'Bearer', expires_in: 60, id_token: token });
  }

  /** Signs a token for the service. */
  sign(claims: JWTPayload, isUnsigned = false, header: { typ?: string; kid?: string } = {}): Promise<string> {
    return new SignJWT({ iss: this.issuer, aud: CLIENT_ID, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
      .setIssuedAt(claims.iat ?? undefined)
      .setExpirationTime(claims.exp ?? '5 minutes')
      .sign((isUnsigned ? this.#others : this.#keys).privateKey);
  }

  /**
   * Logs somebody in who was sent to `location`.
   *
   * @param claims of the ID token, with `sub`
   * @returns the path and query to which the browser returns
   */
  authorize(location: string, claims: JWTPayload): string {
    const { searchParams } = new URL(location);
    const get = (name: string): string => searchParams.get(name) ?? '';
    const code = randomBytes(16).toString('hex');
    const redirectUri = get('redirect_uri');
    this.#grants.set(code, { nonce: get('nonce'), challenge: get('code_challenge'), redirectUri, claims });
    const query = new URLSearchParams({ code, state: get('state'), iss: this.forgery.iss ?? this.issuer });
    return `${new URL(redirectUri).pathname}?${query}`;
  }
}
