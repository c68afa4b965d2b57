import type { Request } from 'express';
import type { Origin } from '../accounts/account-store.ts';
import type { AccountDocument, AccountSession, Entry, LogInMethod, SignedIn } from '../accounts/accounts.model.ts';
import type { AccountService } from '../accounts/accounts.service.ts';
import { relyingPartyOf } from '../accounts/passkeys.ts';
import { secondFactorsOf } from '../accounts/second-factor.ts';
import { type AnyInput, routes } from '../api/endpoint.ts';
import type { Config } from '../core/config.ts';
import { Unauthenticated } from '../core/errors.ts';
import { beginSession, endSession } from './session.ts';
import { sessionEndpoints } from './sessions.contract.ts';
import { INVALID_CREDENTIALS, type SessionService } from './sessions.service.ts';

type LogInInput = Pick<AnyInput, 'req' | 'res' | 'audit'>;

/** Begins the session of a way into an account, under a new id, and answers the request. */
export type EnterAccount = ReturnType<typeof createSessionRoutes>['enter'];

/** @param deps.endSessionUrl resolves with where a browser ends its session at the provider */
export function createSessionRoutes(deps: {
  sessions: SessionService;
  accounts: AccountService;
  endSessionUrl: (() => Promise<string | undefined>) | undefined;
  config: Pick<Config, 'publicUrl' | 'sessionCookieName'>;
}) {
  const { sessions, accounts, endSessionUrl } = deps;
  const { publicUrl, sessionCookieName: cookieName } = deps.config;

  /** Resolves with the account of the request's session, if there is one, and it has this state. */
  async function find({ session, sessionID }: Request, state?: AccountSession['state']): Promise<SignedIn | undefined> {
    if (session?.accountId === undefined) return undefined;
    const found = await accounts.findSession(session.accountId, sessionID);
    return state === undefined || found?.session.state === state ? found : undefined;
  }

  /** Gives the request a new session id, under which `store` begins the account's session. */
  async function begin(
    { _id }: AccountDocument,
    method: LogInMethod,
    { req, res, audit }: LogInInput,
    store: (sessionId: string, origin: Origin) => Promise<void>,
  ): Promise<void> {
    const id = _id.toHexString();
    await beginSession(req, { accountId: id });
    try {
      await store(req.sessionID, { device: req.headers['user-agent'] ?? '', address: req.ip ?? '' });
    } catch (error) {
      await endSession(req, res, cookieName);
      throw error;
    }
    audit({ app: null, target: id, actor: { kind: 'operator', id, method } });
  }

  const present = async (account: AccountDocument) => ({ ok: true as const, ...(await accounts.present(account)) });

  async function enter(entry: Entry, input: LogInInput) {
    const { account, method, second } = entry;
    const before = await find(input.req);
    await begin(account, method, input, (sessionId, origin) => accounts.begin(entry, sessionId, origin));
    if (before) await accounts.endSession(before);
    if (!second) return present(account);
    input.res.status(202);
    return { ok: false as const, second: secondFactorsOf(account) };
  }

  const sessionRoutes = routes(sessionEndpoints, {
    logIn: async (input) => {
      const { body, req, res, leftMs, audit } = input;
      const caller = { address: req.ip ?? '', leftMs };
      if (body.sourceAppId === undefined) {
        return enter(await sessions.logInAccount(body.email ?? '', body.password, caller), input);
      }
      const app = await sessions.logIn(body.sourceAppId, body.password, caller);
      const { id, sourceAppId, role, credentialId } = app;
      await beginSession(req, { appId: id.toHexString(), sourceAppId, role, credentialId });
      // The app may have been deleted during the password check; its sessions were then removed
      // before this one was saved.
      if (!(await sessions.isLive(req.session))) {
        await endSession(req, res, cookieName);
        throw new Unauthenticated(INVALID_CREDENTIALS);
      }
      req.appId = sourceAppId;
      const kind = role === 'admin' ? 'admin' : 'operator';
      audit({ app, actor: { kind, id: sourceAppId, method: 'shared' } });
      return { ok: true as const, sourceAppId, role };
    },

    logOut: async ({ req, res }) => {
      const own = await find(req);
      if (own) await accounts.endSession(own);
      await endSession(req, res, cookieName);
      const url = own?.session.method === 'oidc' ? await endSessionUrl?.() : undefined;
      return { ok: true as const, ...(url !== undefined && { endSessionUrl: url }) };
    },

    getSession: async ({ principal: { own, role, account }, req }) => {
      const found = account && (await accounts.findSession(account.id.toHexString(), req.sessionID));
      if (!account) return { sourceAppId: own?.sourceAppId ?? '', role };
      if (!found) throw new Unauthenticated();
      const shown = await accounts.present(found.account);
      return { sourceAppId: own?.sourceAppId ?? null, role, ...shown, method: account.method };
    },

    completeLogIn: async (input) => {
      const waiting = await find(input.req, 'second');
      if (!waiting) throw new Unauthenticated();
      const { account, session } = waiting;
      const use = await sessions.checkCode(account, input.body, input.req.ip ?? '');
      await begin(account, session.method, input, (sessionId, origin) =>
        accounts.complete(waiting, use, sessionId, origin),
      );
      return present(account);
    },

    beginPasskeyLogIn: async ({ req }) => {
      const waiting = await find(req, 'second');
      return accounts.passkeyOptions(relyingPartyOf(publicUrl, req.headers.host), waiting?.account);
    },

    logInByPasskey: async (input) => {
      const { body, req, leftMs } = input;
      const at = relyingPartyOf(publicUrl, req.headers.host);
      const caller = { address: req.ip ?? '', leftMs };
      return requireComplete(await enter(await sessions.logInByPasskey(body.response, at, caller), input));
    },

    logInByLink: async (input) => requireComplete(await enter(await accounts.useLink(input.body.token), input)),

    previewInvitation: ({ body }) => accounts.preview(body.token),

    acceptInvitation: async (input) => {
      const own = await find(input.req, 'active');
      return enter(await accounts.accept(input.body.token, input.body, own, input.until), input);
    },

    forgetPassword: ({ body, res }) => {
      accounts.forget(body.email);
      res.status(202);
      return { ok: true as const };
    },

    resetPassword: async (input) => enter(await accounts.reset(input.body.token, input.body.password), input),
  });

  return { enter, routes: sessionRoutes };
}

/** A passkey and a link of the host need no second factor. */
function requireComplete<Reply extends { ok: boolean }>(reply: Reply): Extract<Reply, { ok: true }> {
  if (!reply.ok) throw new Error('this log-in needs no second factor');
  return reply as Extract<Reply, { ok: true }>;
}
