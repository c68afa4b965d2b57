import type { Request } from 'express';
import { z } from 'zod';
import { type AnyInput, type Endpoints, jsonBody, type Refuse, routes } from '../../api/endpoint.ts';
import { AppName, Role, SentPassword, SourceAppId } from '../../api/parameters.ts';
import { Refusal } from '../../api/reply.ts';
import { Ok } from '../../api/validation.ts';
import type { Config } from '../../platform/core/config.ts';
import { Unauthenticated } from '../../platform/core/errors.ts';
import { APP_ID_PATTERN } from '../../platform/core/identifiers.ts';
import { code } from '../../platform/languages/problems.ts';
import type { Origin } from '../accounts/account-documents.ts';
import {
  Account,
  AccountName,
  ChosenPassword,
  Email,
  LoggedIn,
  MemberRole,
  Memberships,
  SecondRequired,
} from '../accounts/account-schemas.ts';
import type { AccountDocument, AccountSession, SignedIn, VerifiedLogIn } from '../accounts/accounts.model.ts';
import type { AccountService } from '../accounts/accounts.service.ts';
import { relyingPartyOf } from '../accounts/passkeys.ts';
import { secondFactorsOf } from '../accounts/second-factor.ts';
import { RequestOptions, UsedPasskey } from '../accounts/webauthn.ts';
import { beginSession, endSession } from './session.ts';
import type { SessionService } from './sessions.service.ts';

const Token = z
  .string(code('notText'))
  .max(200, code('tooLongText'))
  .meta({ example: 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g' });

const Credentials = z
  .strictObject({
    sourceAppId: z.string(code('notText')).regex(APP_ID_PATTERN, code('notAppId')).optional(),
    email: Email.optional(),
    password: SentPassword,
  })
  .superRefine(({ sourceAppId, email }, context) => {
    if (sourceAppId === undefined && email === undefined) {
      context.addIssue({ code: 'custom', path: ['sourceAppId'], message: code('notText') });
    }
    if (sourceAppId !== undefined && email !== undefined) {
      context.addIssue({ code: 'custom', path: ['email'], message: code('withAppId') });
    }
  })
  .meta({ id: 'Credentials', example: { sourceAppId: 'newsletter', password: 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g' } });

const NoSession = z.strictObject({ message: z.literal('Not authenticated') }).meta({ id: 'NoSession' });

const visitor = { method: 'post', auth: 'visitor', tag: 'Accounts' } as const;
const cookie = { 'Set-Cookie': 'The session cookie' };

/** The session of the caller (spec 4.2), and the ways into an account (spec 4.13). */
export const sessionEndpoints = {
  logIn: {
    method: 'post',
    path: '/auth/login',
    auth: 'visitor',
    audit: 'login',
    tag: 'Sessions',
    summary: 'Log in',
    description:
      'As an app (`sourceAppId`) or as an account (`email`). Sets the HTTP-only session cookie, valid for 7 days. Failures are limited per app or account and address, and per address over all.',
    body: jsonBody(Credentials, 'invalidLogIn'),
    response: z.union([z.strictObject({ ok: z.literal(true), sourceAppId: SourceAppId, role: Role }), LoggedIn]),
    accepted: SecondRequired,
    responseHeaders: cookie,
    errors: [401, 429],
  },
  logOut: {
    method: 'post',
    path: '/auth/logout',
    auth: 'visitor',
    tag: 'Sessions',
    summary: 'Log out',
    description:
      'Ends the current session. The response is the same without a session. After single sign-on, a browser that follows `endSessionUrl` ends its session at the provider.',
    response: z.strictObject({
      ok: z.literal(true),
      endSessionUrl: z.string().optional().meta({ example: 'https://login.example.com/logout' }),
    }),
    errors: [],
  },
  getSession: {
    method: 'get',
    path: '/auth/session',
    auth: 'session',
    load: 'light',
    tag: 'Sessions',
    summary: 'The current session',
    response: z.union([
      z.strictObject({ sourceAppId: SourceAppId, name: AppName, role: Role }),
      z
        .strictObject({
          sourceAppId: SourceAppId.nullable(),
          role: Role,
          account: Account,
          memberships: Memberships,
          method: z.string().meta({ example: 'password' }),
        })
        .meta({ id: 'AccountSession' }),
    ]),
    errors: [],
    unauthenticated: NoSession,
  },
  completeLogIn: {
    ...visitor,
    path: '/auth/login/second',
    audit: 'login',
    summary: 'Complete a log-in with a code',
    description:
      'A code of the authenticator app or a recovery code; each counts once. Ten guesses in 15 minutes are allowed for an account. The session gets a new id.',
    body: jsonBody(
      z.union([z.strictObject({ code: z.string().max(100) }), z.strictObject({ recoveryCode: z.string().max(100) })]),
    ),
    response: LoggedIn,
    responseHeaders: cookie,
    errors: [401, 429],
  },
  beginPasskeyLogIn: {
    ...visitor,
    path: '/auth/login/passkey/options',
    summary: 'Begin a log-in with a passkey',
    description:
      'The options for `navigator.credentials.get`. The challenge counts once, for five minutes. For a session that waits for a second factor they name its passkeys. 409 without `PUBLIC_URL`, except on localhost.',
    response: RequestOptions,
    errors: [409],
  },
  logInByPasskey: {
    ...visitor,
    path: '/auth/login/passkey',
    audit: 'login',
    summary: 'Log in with a passkey',
    description: 'A passkey counts as both factors. Failures are limited as those of passwords.',
    body: jsonBody(z.strictObject({ response: UsedPasskey })),
    response: LoggedIn,
    responseHeaders: cookie,
    errors: [401, 409, 429],
  },
  logInByLink: {
    ...visitor,
    path: '/auth/login/link',
    audit: 'login',
    summary: 'Log in with a link of the host',
    description: 'A link of the command line works once, for 15 minutes, and without a second factor.',
    body: jsonBody(z.strictObject({ token: Token })),
    response: LoggedIn,
    responseHeaders: cookie,
    errors: [410],
  },
  previewInvitation: {
    ...visitor,
    path: '/auth/invitations/preview',
    summary: 'What an invitation offers',
    description:
      'For the holder of its token, who may accept it. The invitation stays open. The link to the first admin account names no email.',
    body: jsonBody(z.strictObject({ token: Token })),
    response: z
      .strictObject({
        email: Email.optional(),
        sourceAppId: z.string().optional().meta({ example: 'newsletter' }),
        appName: AppName,
        role: MemberRole.optional(),
        admin: z.literal(true).optional(),
        invitedBy: z.string().optional().meta({
          description: 'The name of the account that invites; absent for the log-in of an app and for the host',
          example: 'Ada Lovelace',
        }),
        hasAccount: z.boolean().meta({ description: 'Whether the email has an account, which has to log in first' }),
      })
      .meta({ id: 'InvitationPreview' }),
    errors: [410],
  },
  acceptInvitation: {
    ...visitor,
    path: '/auth/invitations/accept',
    audit: 'invitation.accepted',
    summary: 'Accept an invitation',
    description:
      'Creates the account and logs it in. Somebody who has an account logs in first, and gains the membership. `email` is for the link to the first admin account, which names none.',
    body: jsonBody(
      z.strictObject({
        token: Token,
        name: AccountName,
        email: Email.optional(),
        password: ChosenPassword.optional(),
      }),
    ),
    response: LoggedIn,
    accepted: SecondRequired,
    responseHeaders: cookie,
    slow: true,
    errors: [403, 409, 410],
  },
  forgetPassword: {
    ...visitor,
    path: '/auth/password/forgot',
    summary: 'Ask for a link to choose a new password',
    description:
      'The response is the same for an email without an account. The service sends an account one email in ten minutes.',
    body: jsonBody(z.strictObject({ email: Email })),
    response: Ok,
    status: 202,
    errors: [],
  },
  resetPassword: {
    ...visitor,
    path: '/auth/password/reset',
    audit: 'account.password.replaced',
    summary: 'Choose a new password with a link',
    description: 'The link works once, for an hour. All sessions of the account end, and a new one begins.',
    body: jsonBody(z.strictObject({ token: Token, password: ChosenPassword })),
    response: LoggedIn,
    accepted: SecondRequired,
    responseHeaders: cookie,
    slow: true,
    errors: [409, 410],
  },
} as const satisfies Endpoints;

type LogInInput = Pick<AnyInput, 'req' | 'res' | 'audit'>;

/** The whole body of this refusal is fixed (spec 7), so it has no code. */
export const refuseWithoutSession: Refuse = async (error) => {
  const body: z.input<typeof NoSession> = { message: 'Not authenticated' };
  return error instanceof Unauthenticated ? new Refusal(error.status, body) : undefined;
};

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
    { req, res }: LogInInput,
    store: (sessionId: string, origin: Origin) => Promise<void>,
  ): Promise<void> {
    await beginSession(req, { accountId: _id.toHexString() });
    try {
      await store(req.sessionID, { device: req.headers['user-agent'] ?? '', address: req.ip ?? '' });
    } catch (error) {
      await endSession(req, res, cookieName);
      throw error;
    }
  }

  /** Audits a log-in, and resolves with its response. */
  async function present(
    { account, method, second, joined }: Pick<VerifiedLogIn, 'account' | 'method' | 'second' | 'joined'>,
    { audit }: LogInInput,
  ) {
    const shown = await accounts.present(account);
    const { id, admin } = shown.account;
    const actor = { kind: admin ? 'admin' : 'operator', id, method } as const;
    audit({ app: joined ?? null, target: id, actor, ...(second && { detail: { second } }) });
    return { ok: true as const, ...shown };
  }

  async function enter(entry: VerifiedLogIn, input: LogInInput) {
    const { account, second } = entry;
    const before = await find(input.req);
    await begin(account, input, (sessionId, origin) => accounts.begin(entry, sessionId, origin));
    if (before) await accounts.endSession(before);
    const shown = await present(entry, input);
    if (!second) return shown;
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
        throw new Unauthenticated('invalidCredentials');
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
      const name = own?.form?.name;
      if (!account) return { sourceAppId: own?.sourceAppId ?? '', ...(name !== undefined && { name }), role };
      if (!found) throw new Unauthenticated();
      const shown = await accounts.present(found.account);
      return { sourceAppId: own?.sourceAppId ?? null, role, ...shown, method: account.method };
    },

    completeLogIn: async (input) => {
      const waiting = await find(input.req, 'second');
      if (!waiting) throw new Unauthenticated();
      const { account, session } = waiting;
      const use = await sessions.checkCode(account, input.body, input.req.ip ?? '');
      await begin(account, input, (sessionId, origin) => accounts.complete(waiting, use, sessionId, origin));
      return present({ account, method: session.method, second: false }, input);
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
