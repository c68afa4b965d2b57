import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { AppName } from '../../core/api/parameters.ts';
import { Unauthenticated } from '../../platform/core/errors.ts';
import { component, Ok } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { AccountName, ChosenPassword, Email, LoggedIn, MemberRole, SecondRequired } from './account-schemas.ts';
import type { AccountSessions } from './account-sessions.ts';
import type { AccountService } from './accounts.service.ts';
import type { LogInService } from './log-in.service.ts';
import { relyingPartyOf } from './passkeys.ts';
import { RequestOptions, UsedPasskey } from './webauthn.ts';

const Token = z
  .string(code('notText'))
  .max(200, code('tooLongText'))
  .meta({ example: 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g' });

const visitor = { method: 'post', auth: 'visitor', tag: 'Accounts' } as const;
/** Those that may begin a session. */
const entry = { ...visitor, response: LoggedIn, responseHeaders: { 'Set-Cookie': 'The session cookie' } } as const;

/** The ways into an account other than its password (spec 4.13). */
export const logInEndpoints = {
  completeLogIn: {
    ...entry,
    path: '/auth/login/second',
    audit: 'login',
    summary: 'Complete a log-in with a code',
    description:
      'A code of the authenticator app or a recovery code; each counts once. Ten guesses in 15 minutes are allowed for an account. The session gets a new id.',
    body: jsonBody(
      z.union([z.strictObject({ code: z.string().max(100) }), z.strictObject({ recoveryCode: z.string().max(100) })]),
    ),
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
    ...entry,
    path: '/auth/login/passkey',
    audit: 'login',
    summary: 'Log in with a passkey',
    description: 'A passkey counts as both factors. Failures are limited as those of passwords.',
    body: jsonBody(z.strictObject({ response: UsedPasskey })),
    errors: [401, 409, 429],
  },
  logInByLink: {
    ...entry,
    path: '/auth/login/link',
    audit: 'login',
    summary: 'Log in with a link of the host',
    description: 'A link of the command line works once, for 15 minutes, and without a second factor.',
    body: jsonBody(z.strictObject({ token: Token })),
    errors: [410],
  },
  previewInvitation: {
    ...visitor,
    path: '/auth/invitations/preview',
    summary: 'What an invitation offers',
    description:
      'For the holder of its token, who may accept it. The invitation stays open. The link to the first admin account names no email.',
    body: jsonBody(z.strictObject({ token: Token })),
    response: component('InvitationPreview', {
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
    }),
    errors: [410],
  },
  acceptInvitation: {
    ...entry,
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
    accepted: SecondRequired,
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
  },
  resetPassword: {
    ...entry,
    path: '/auth/password/reset',
    audit: 'account.password.replaced',
    summary: 'Choose a new password with a link',
    description: 'The link works once, for an hour. All sessions of the account end, and a new one begins.',
    body: jsonBody(z.strictObject({ token: Token, password: ChosenPassword })),
    accepted: SecondRequired,
    slow: true,
    errors: [409, 410],
  },
} as const satisfies Endpoints;

export function logInRoutes(
  accounts: AccountService,
  logIns: LogInService,
  { find, enter, complete }: AccountSessions,
  publicUrl: string | undefined,
): Route[] {
  return routes(logInEndpoints, {
    completeLogIn: async (input) => {
      const waiting = await find(input.req, 'second');
      if (!waiting) throw new Unauthenticated();
      const use = await logIns.checkCode(waiting.account, input.body, input.req.ip ?? '');
      return complete(waiting, use, input);
    },

    beginPasskeyLogIn: async ({ req }) => {
      const waiting = await find(req, 'second');
      return accounts.passkeyOptions(relyingPartyOf(publicUrl, req.headers.host), waiting?.account);
    },

    logInByPasskey: async (input) => {
      const { body, req, leftMs } = input;
      const at = relyingPartyOf(publicUrl, req.headers.host);
      const caller = { address: req.ip ?? '', leftMs };
      return requireComplete(await enter(await logIns.byPasskey(body.response, at, caller), input));
    },

    logInByLink: async (input) => requireComplete(await enter(await accounts.useLink(input.body.token), input)),

    previewInvitation: ({ body }) => accounts.preview(body.token),

    acceptInvitation: async (input) => {
      const own = await find(input.req, 'active');
      return enter(await accounts.accept(input.body.token, input.body, own, input.until), input);
    },

    forgetPassword: async ({ body, res }) => {
      accounts.forget(body.email);
      res.status(202);
    },

    resetPassword: async (input) => enter(await accounts.reset(input.body.token, input.body.password), input),
  });
}

/** A passkey and a link of the host need no second factor. */
function requireComplete<Reply extends { ok: boolean }>(reply: Reply): Extract<Reply, { ok: true }> {
  if (!reply.ok) throw new Error('this log-in needs no second factor');
  return reply as Extract<Reply, { ok: true }>;
}
