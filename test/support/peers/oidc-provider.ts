import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

export const CLIENT_ID = 'the-service';
export const CLIENT_SECRET = 'the-secret-of-the-service';

/** Somebody whom the provider knows. `sub` is what they enter to log in. */
interface ProviderAccount {
  sub: string;
  email: string;
  email_verified: boolean;
  name: string;
  groups?: string[];
}

/** A real provider of single sign-on, with a page to log in and one to log out. */
export interface OidcProvider {
  issuer: string;
  /** Adds somebody who can log in. */
  add(account: ProviderAccount): void;
  close(): Promise<void>;
}

const page = (title: string, content: string): string =>
  `<!DOCTYPE html><html lang="en"><title>${title}</title><h1>${title}</h1>${content}</html>`;

const LOG_IN = page(
  'Log in at the provider',
  `<form method="post"><label>Name <input name="login" autofocus></label><button>Continue</button>
   <button name="cancel" value="1">Cancel</button></form>`,
);

/**
 * Starts a provider at `http://127.0.0.1`. Its cookies are those of no other port when the service
 * is opened at `localhost`.
 *
 * @param publicUrl the `PUBLIC_URL` of the service that uses it
 */
export async function startOidcProvider(publicUrl: string): Promise<OidcProvider> {
  const accounts = new Map<string, ProviderAccount>();
  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [`${publicUrl}/auth/oidc/callback`],
        post_logout_redirect_uris: [`${publicUrl}/dashboard`],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['a key of the tests'] },
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 60, Interaction: 600, Session: 600 },
    interactions: { url: (_, { uid }) => `/log-in/${uid}` },
    findAccount: (_, sub) => {
      const account = accounts.get(sub);
      return account && { accountId: sub, claims: () => ({ ...account }) };
    },
    // Nobody is asked which claims the service may read.
    loadExistingGrant: async ({ oidc }) => {
      const { client, session } = oidc;
      if (!client || session?.accountId === undefined) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          const button = '<button form="op.logoutForm" name="logout" value="yes">Log out everywhere</button>';
          ctx.body = page('Log out at the provider', `${form}${button}`);
        },
      },
    },
  });
  const handle = provider.callback();

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
    if (!req.url?.startsWith('/log-in/')) return handle(req, res);
    if (req.method === 'GET') return res.writeHead(200, { 'Content-Type': 'text/html' }).end(LOG_IN);
    let body = '';
    for await (const part of req) body += String(part);
    const given = new URLSearchParams(body);
    const accountId = given.get('login') ?? '';
    const result =
      given.has('cancel') || !accounts.has(accountId)
        ? { error: 'access_denied', error_description: 'Cancelled by the end user' }
        : { login: { accountId } };
    return provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
  }

  return {
    issuer,
    add: (account) => accounts.set(account.sub, account),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
