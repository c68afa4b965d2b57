import { z } from 'zod';
import type { AccountService } from '../accounts/accounts.service.ts';
import { type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import { Role, SentPassword, SourceAppId } from '../apps/apps.contract.ts';
import { Unauthenticated } from '../core/errors.ts';
import { APP_ID_FORMAT, APP_ID_PATTERN } from '../core/identifiers.ts';
import {
  Account,
  Email,
  type Entrance,
  findAccountSession,
  LoggedIn,
  Memberships,
  SecondRequired,
} from './account-log-in.endpoints.ts';
import { beginSession, endSession } from './session-store.ts';
import { INVALID_CREDENTIALS, type SessionService } from './sessions.service.ts';

const Credentials = z
  .strictObject({
    sourceAppId: z.string('must be a string').regex(APP_ID_PATTERN, `must be ${APP_ID_FORMAT}`).optional(),
    email: Email.optional(),
    password: SentPassword,
  })
  .superRefine(({ sourceAppId, email }, context) => {
    if (sourceAppId === undefined && email === undefined) {
      context.addIssue({ code: 'custom', path: ['sourceAppId'], message: 'must be a string' });
    }
    if (sourceAppId !== undefined && email !== undefined) {
      context.addIssue({ code: 'custom', path: ['email'], message: 'must not be sent with sourceAppId' });
    }
  })
  .meta({ id: 'Credentials', example: { sourceAppId: 'newsletter', password: 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g' } });

const Ok = z.literal(true);

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
    body: jsonBody(Credentials, 'Invalid log-in'),
    response: z.union([z.strictObject({ ok: Ok, sourceAppId: SourceAppId, role: Role }), LoggedIn]),
    accepted: SecondRequired,
    responseHeaders: { 'Set-Cookie': 'The session cookie' },
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
      ok: Ok,
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
      z.strictObject({ sourceAppId: SourceAppId, role: Role }),
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
  },
} as const satisfies Endpoints;

/** @param endSessionUrl resolves with where a browser ends its session at the provider */
export function sessionRoutes(deps: {
  sessions: SessionService;
  accounts: AccountService;
  enter: Entrance['enter'];
  endSessionUrl: (() => Promise<string | undefined>) | undefined;
  cookieName: string;
}): Route[] {
  const { sessions, accounts, enter, endSessionUrl, cookieName } = deps;

  return routes(sessionEndpoints, {
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
      const own = await findAccountSession(accounts, req);
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
  });
}
