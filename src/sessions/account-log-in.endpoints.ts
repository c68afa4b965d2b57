import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Entry, SecondFactor, SignedIn } from '../accounts/accounts.model.ts';
import type { AccountService, ShownAccount } from '../accounts/accounts.service.ts';
import { relyingPartyOf } from '../accounts/passkeys.ts';
import { secondFactorsOf } from '../accounts/second-factor.ts';
import { type AuditFacts, type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import type { Config } from '../core/config.ts';
import { Unauthenticated } from '../core/errors.ts';
import { AppRole } from '../core/roles.ts';
import { MIN_PASSWORD_LENGTH, passwordProblem } from '../core/secrets.ts';
import { RequestOptions, UsedPasskey } from './passkeys.contract.ts';
import { beginAccountSession, endSession } from './session-store.ts';
import type { SessionService } from './sessions.service.ts';

const MAX_NAME_LENGTH = 100;

export const AccountName = z
  .string('must be a string')
  .trim()
  .min(1, 'must not be empty')
  .max(MAX_NAME_LENGTH, `must have at most ${MAX_NAME_LENGTH} characters`)
  .meta({ example: 'Ada Lovelace' });

/** A password that somebody chooses. */
export const ChosenPassword = z
  .string('must be a string')
  .min(MIN_PASSWORD_LENGTH, `must have at least ${MIN_PASSWORD_LENGTH} characters`)
  .superRefine((password, context) => {
    const problem = passwordProblem(password);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ example: 'correct horse battery staple' });

export const Email = z.string('must be a string').max(1_000, 'is too long').meta({ example: 'ada@example.com' });
export const MemberRole = AppRole.meta({ id: 'MemberRole', example: 'editor' });
const Token = z
  .string('must be a string')
  .max(200, 'is too long')
  .meta({ example: 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g' });

export const Account = z
  .strictObject({
    id: z.string().meta({ example: '65f0c0ffee65f0c0ffee65f0' }),
    email: z.string().meta({ example: 'ada@example.com' }),
    name: z.string().meta({ example: 'Ada Lovelace' }),
    admin: z.boolean(),
  })
  .meta({ id: 'Account' });

export const Memberships = z.array(
  z.strictObject({ sourceAppId: z.string().meta({ example: 'newsletter' }), role: MemberRole }),
);

export const LoggedIn = z
  .strictObject({ ok: z.literal(true), account: Account, memberships: Memberships })
  .meta({ id: 'LoggedInAccount' });

/** 202: the password was correct, and the session can do nothing but finish the log-in. */
export const SecondRequired = z
  .strictObject({ ok: z.literal(false), second: z.array(z.enum(['totp', 'passkey'])).meta({ example: ['totp'] }) })
  .meta({ id: 'SecondFactorRequired' });

const visitor = { method: 'post', auth: 'visitor', tag: 'Accounts' } as const;
const cookie = { 'Set-Cookie': 'The session cookie' };

/** The ways into an account beside its password (spec 4.13). */
export const accountLogInEndpoints = {
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
        role: MemberRole.optional(),
        admin: z.literal(true).optional(),
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
    response: z.strictObject({ ok: z.literal(true) }),
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

export type AccountReply = ({ ok: true } & ShownAccount) | { ok: false; second: SecondFactor[] };

/** Resolves with the account of the request's session; undefined without one. */
export async function findAccountSession(
  accounts: Pick<AccountService, 'findSession'>,
  { session, sessionID }: Request,
): Promise<SignedIn | undefined> {
  return session?.accountId === undefined ? undefined : accounts.findSession(session.accountId, sessionID);
}

export type EnterAccount = ReturnType<typeof createEntrance>;

/** Begins the session of a way into an account, under a new id, and answers the request. */
export function createEntrance(accounts: AccountService, cookieName: string) {
  return async (
    entry: Entry,
    req: Request,
    res: Response,
    audit: (facts: AuditFacts) => void,
  ): Promise<AccountReply> => {
    const { account, method, second } = entry;
    const before = await findAccountSession(accounts, req);
    await beginAccountSession(req, account._id.toHexString());
    try {
      await accounts.begin(entry, req.sessionID, originOf(req));
    } catch (error) {
      await endSession(req, res, cookieName);
      throw error;
    }
    if (before) await accounts.endSession(before);
    audit({ app: null, target: account._id.toHexString(), actor: accountActor(account._id.toHexString(), method) });
    if (second) {
      res.status(202);
      return { ok: false as const, second: secondFactorsOf(account) };
    }
    return { ok: true as const, ...(await accounts.present(account)) };
  };
}

const accountActor = (id: string, method: string) => ({ kind: 'operator' as const, id, method });

export const originOf = (req: Request) => ({ device: req.headers['user-agent'] ?? '', address: req.ip ?? '' });

export function accountLogInRoutes(deps: {
  accounts: AccountService;
  sessions: Pick<SessionService, 'checkCode' | 'logInByPasskey'>;
  enter: EnterAccount;
  config: Pick<Config, 'publicUrl' | 'sessionCookieName'>;
}): Route[] {
  const { accounts, sessions, enter } = deps;
  const { publicUrl, sessionCookieName: cookieName } = deps.config;

  return routes(accountLogInEndpoints, {
    completeLogIn: async ({ body, req, res, audit }) => {
      const waiting = await findAccountSession(accounts, req);
      if (waiting?.session.state !== 'second') throw new Unauthenticated();
      const id = waiting.account._id.toHexString();
      const use = await sessions.checkCode(waiting.account, body, req.ip ?? '');
      await beginAccountSession(req, id);
      try {
        await accounts.complete(waiting, use, req.sessionID, originOf(req));
      } catch (error) {
        await endSession(req, res, cookieName);
        throw error;
      }
      audit({ app: null, target: id, actor: accountActor(id, waiting.session.method) });
      return { ok: true as const, ...(await accounts.present(waiting.account)) };
    },

    beginPasskeyLogIn: async ({ req }) => {
      const waiting = await findAccountSession(accounts, req);
      const account = waiting?.session.state === 'second' ? waiting.account : undefined;
      return accounts.passkeyOptions(relyingPartyOf(publicUrl, req.headers.host), account);
    },

    logInByPasskey: async ({ body, req, res, leftMs, audit }) => {
      const at = relyingPartyOf(publicUrl, req.headers.host);
      const caller = { address: req.ip ?? '', leftMs };
      return logged(await enter(await sessions.logInByPasskey(body.response, at, caller), req, res, audit));
    },

    logInByLink: async ({ body, req, res, audit }) =>
      logged(await enter(await accounts.useLink(body.token), req, res, audit)),

    previewInvitation: ({ body }) => accounts.preview(body.token),

    acceptInvitation: async ({ body, req, res, audit }) => {
      const signedIn = await findAccountSession(accounts, req);
      const usable = signedIn?.session.state === 'active' ? signedIn : undefined;
      const entry = await accounts.accept(body.token, body, usable);
      return enter(entry, req, res, audit);
    },

    forgetPassword: ({ body, res }) => {
      accounts.forget(body.email);
      res.status(202);
      return { ok: true as const };
    },

    resetPassword: async ({ body, req, res, audit }) =>
      enter(await accounts.reset(body.token, body.password), req, res, audit),
  });
}

/** A way in without a second factor always answers with the account. */
function logged(reply: AccountReply) {
  if (!reply.ok) throw new Error('this log-in needs no second factor');
  return reply;
}
