import type { Request } from 'express';
import { z } from 'zod';
import type { Origin } from '../accounts/account-store.ts';
import type { AccountDocument, CodeUse, Entry, LogInMethod, SignedIn } from '../accounts/accounts.model.ts';
import type { AccountService } from '../accounts/accounts.service.ts';
import { relyingPartyOf } from '../accounts/passkeys.ts';
import { secondFactorsOf } from '../accounts/second-factor.ts';
import { type AnyInput, type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import { Unauthenticated } from '../core/errors.ts';
import { AppRole } from '../core/roles.ts';
import { MIN_PASSWORD_LENGTH, passwordProblem } from '../core/secrets.ts';
import { RequestOptions, UsedPasskey } from './passkeys.contract.ts';
import { beginSession, endSession } from './session-store.ts';
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

/** Resolves with the account of the request's session; undefined without one. */
export async function findAccountSession(
  accounts: Pick<AccountService, 'findSession'>,
  { session, sessionID }: Request,
): Promise<SignedIn | undefined> {
  return session?.accountId === undefined ? undefined : accounts.findSession(session.accountId, sessionID);
}

type LogInInput = Pick<AnyInput, 'req' | 'res' | 'audit'>;

export type Entrance = ReturnType<typeof createEntrance>;

/** Begins sessions of accounts, each under a new id, and answers their requests. */
export function createEntrance(accounts: AccountService, cookieName: string) {
  /** Ends the session of the request when `begin` refuses. */
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

  return {
    /** Uses a way into an account. */
    async enter(entry: Entry, input: LogInInput) {
      const { account, method, second } = entry;
      const before = await findAccountSession(accounts, input.req);
      await begin(account, method, input, (sessionId, origin) => accounts.begin(entry, sessionId, origin));
      if (before) await accounts.endSession(before);
      if (!second) return present(account);
      input.res.status(202);
      return { ok: false as const, second: secondFactorsOf(account) };
    },

    /** Uses the code for which a session waits. */
    async complete(waiting: SignedIn, use: CodeUse, input: LogInInput) {
      const { account, session } = waiting;
      await begin(account, session.method, input, (sessionId, origin) =>
        accounts.complete(waiting, use, sessionId, origin),
      );
      return present(account);
    },
  };
}

export function accountLogInRoutes(deps: {
  accounts: AccountService;
  sessions: Pick<SessionService, 'checkCode' | 'logInByPasskey'>;
  entrance: Entrance;
  publicUrl: string | undefined;
}): Route[] {
  const { accounts, sessions, publicUrl } = deps;
  const { enter, complete } = deps.entrance;

  /** The session of a request that waits for its second factor. */
  async function findWaiting(req: Request): Promise<SignedIn | undefined> {
    const found = await findAccountSession(accounts, req);
    return found?.session.state === 'second' ? found : undefined;
  }

  return routes(accountLogInEndpoints, {
    completeLogIn: async (input) => {
      const waiting = await findWaiting(input.req);
      if (!waiting) throw new Unauthenticated();
      return complete(waiting, await sessions.checkCode(waiting.account, input.body, input.req.ip ?? ''), input);
    },

    beginPasskeyLogIn: async ({ req }) => {
      const waiting = await findWaiting(req);
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
      const signedIn = await findAccountSession(accounts, input.req);
      const usable = signedIn?.session.state === 'active' ? signedIn : undefined;
      return enter(await accounts.accept(input.body.token, input.body, usable), input);
    },

    forgetPassword: ({ body, res }) => {
      accounts.forget(body.email);
      res.status(202);
      return { ok: true as const };
    },

    resetPassword: async (input) => enter(await accounts.reset(input.body.token, input.body.password), input),
  });
}

/** A passkey and a link of the host need no second factor. */
function requireComplete<Reply extends { ok: boolean }>(reply: Reply): Extract<Reply, { ok: true }> {
  if (!reply.ok) throw new Error('this log-in needs no second factor');
  return reply as Extract<Reply, { ok: true }>;
}
