import type { Request, Response } from 'express';
import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { clientNetwork } from '../../platform/core/client-network.ts';
import type { Config } from '../../platform/core/config.ts';
import { AppError, InvalidInput, NotFound } from '../../platform/core/errors.ts';
import type { SharedLimits } from '../../platform/database/shared-limits.ts';
import { Redirect } from '../../platform/http/reply.ts';
import { Ok } from '../../platform/http/validation.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { jsonOrFormBody } from '../form-bodies/form-bodies.ts';
import { FormEntries } from '../form-bodies/form-body.ts';
import {
  CALLBACK_PATH,
  FLOW_MS,
  LOGOUT_TOKEN_S,
  type Provider,
  type RefusalCode,
  SignOnRefused,
  safeReturnTo,
} from './provider.ts';
import { createSignOn } from './sign-on.ts';

const COOKIE_PATH = '/auth/oidc';
/** Failed callbacks of a network, each of which sends a request to the provider. */
const MAX_FAILURES = 60;
const FAILURES_MS = 15 * 60 * 1_000;
const MAX_TOKEN_LENGTH = 20_000;
/** Times of servers and of the provider differ a little. */
const LOGOUT_AGAIN_MS = (LOGOUT_TOKEN_S + 120) * 1_000;

const signOnTag = { tag: 'Accounts' } as const;
const visit = { ...signOnTag, method: 'get', isRedirect: true, response: z.never() } as const;

/** The ways to log in, and single sign-on (spec 4.13.4). */
export const singleSignOnEndpoints = {
  getLogInMethods: {
    ...signOnTag,
    method: 'get',
    path: '/auth/login',
    auth: 'none',
    summary: 'The ways to log in',
    response: z.strictObject({
      password: z.boolean().meta({ description: 'False: single sign-on is the only way' }),
      accounts: z.boolean().meta({ description: 'Whether there is an account, which logs in by its email' }),
      oidc: z.strictObject({ label: z.string().meta({ example: 'Example SSO' }) }).nullable(),
    }),
  },
  startSignOn: {
    ...visit,
    path: '/auth/oidc/start',
    auth: 'none',
    summary: 'Begin a single sign-on',
    description: 'Leads to the provider, or to the log-in page with `error`. 404 without single sign-on.',
    query: z.object({ returnTo: z.string().optional().meta({ example: '/dashboard' }) }),
    responseHeaders: { 'Set-Cookie': 'The cookie of the flow, for ten minutes' },
    errors: [404],
  },
  finishSignOn: {
    ...visit,
    path: CALLBACK_PATH,
    auth: 'visitor',
    audit: 'login',
    summary: 'Complete a single sign-on',
    description:
      'The provider sends browsers here. Leads to `returnTo`, or to the log-in page with `error`: `expired`, `failed`, `no_access` or `unavailable`.',
    slow: true,
    responseHeaders: { 'Set-Cookie': 'The session cookie' },
    errors: [404],
  },
  endSignedOn: {
    ...signOnTag,
    method: 'post',
    path: '/auth/oidc/backchannel-logout',
    auth: 'none',
    audit: 'account.sessions.ended',
    summary: 'End the sessions of somebody who logged out at the provider',
    description: 'OpenID Connect Back-Channel Logout. 400 for a token that is not genuine or was used.',
    body: jsonOrFormBody(z.strictObject({ logout_token: z.string().max(MAX_TOKEN_LENGTH) })),
    response: Ok,
    slow: true,
    errors: [404, 503],
  },
} as const satisfies Endpoints;

/** Single sign-on (spec 4.13.4). @param deps.provider undefined: it is not configured */
export function signOnRoutes(deps: {
  accounts: Accounts;
  provider: Provider | undefined;
  audit: Pick<AuditLog, 'record'>;
  limits: SharedLimits;
  config: Pick<Config, 'oidc' | 'production' | 'sessionCookieName'>;
}): Route[] {
  const { accounts } = deps;
  const { oidc, production, sessionCookieName } = deps.config;
  const { store, challenges, enter } = accounts;
  const signOn = createSignOn(accounts, oidc?.createsAccounts ?? false);
  // Browsers refuse __Host- with a path.
  const flowCookie = `${sessionCookieName.replace(/^__Host-/i, '__Secure-')}_sign_on`;
  const cookieOptions = { path: COOKIE_PATH, httpOnly: true, sameSite: 'lax', secure: production } as const;
  const failures = deps.limits.create('sign-on', MAX_FAILURES, FAILURES_MS);

  function required(): { provider: Provider; publicUrl: string } {
    if (!deps.provider || !oidc) throw new NotFound('noSignOn');
    return { provider: deps.provider, publicUrl: oidc.publicUrl };
  }

  /** Answers a refusal with the log-in page, and everything else as other endpoints do. */
  async function orLogInPage(publicUrl: string, work: () => Promise<string>): Promise<Redirect> {
    try {
      return new Redirect(await work(), { status: 302 });
    } catch (error) {
      const code = error instanceof SignOnRefused ? error.code : refusalOf(error);
      return new Redirect(`${publicUrl}/dashboard/login?error=${code}`, { status: 302, isRefusal: true });
    }
  }

  /** The flow of this browser. It ends with the first callback, whatever that brings. */
  function takeCookie(req: Request, res: Response): string | undefined {
    res.clearCookie(flowCookie, cookieOptions);
    const prefix = `${flowCookie}=`;
    const found = (req.headers.cookie ?? '').split(';').find((part) => part.trim().startsWith(prefix));
    return found?.trim().slice(prefix.length);
  }

  return routes(singleSignOnEndpoints, {
    getLogInMethods: async () => ({
      password: !oidc?.only,
      accounts: await store.any(),
      oidc: oidc ? { label: oidc.label } : null,
    }),

    startSignOn: ({ query, res }) => {
      const { provider, publicUrl } = required();
      return orLogInPage(publicUrl, async () => {
        const { location, flow } = await provider.start(safeReturnTo(query.returnTo, publicUrl));
        res.cookie(flowCookie, flow, { ...cookieOptions, maxAge: FLOW_MS });
        return location;
      });
    },

    finishSignOn: ({ req, res, until, audit }) => {
      const { provider, publicUrl } = required();
      return orLogInPage(publicUrl, async () => {
        const network = clientNetwork(req.ip ?? '');
        const flow = await provider.readFlow(takeCookie(req, res));
        const { undo } = await failures.take(network);
        if (!undo) throw new SignOnRefused('unavailable');
        const claims = await provider.finish(queryOf(req), flow);
        // A database that fails here must not refuse a sign-on that succeeded.
        await undo().catch(() => undefined);
        if (!(await challenges.use(`sign-on ${flow.state}`, FLOW_MS))) throw new SignOnRefused('expired');
        const { entry, detail } = await signOn.enter(claims, until, ({ _id }, { app = null }) => {
          const id = _id.toHexString();
          const actor = { kind: 'operator', id, method: 'oidc', address: req.ip } as const;
          return deps.audit.record({ action: 'invitation.accepted', actor, app, target: id });
        });
        await enter(entry, { req, res, audit });
        audit({ detail });
        return publicUrl + safeReturnTo(flow.returnTo, publicUrl);
      });
    },

    endSignedOn: async ({ body, audit }) => {
      const { provider } = required();
      const token =
        body instanceof FormEntries ? body.list.find(([name]) => name === 'logout_token')?.[1] : body.logout_token;
      const logout = await provider.readLogout((token ?? '').slice(0, MAX_TOKEN_LENGTH)).catch(unavailable);
      if (!logout) throw new InvalidInput('logoutTokenInvalid');
      // Before the token counts as used, so that the provider can repeat what failed.
      const target = await store.endSignedOn(logout.issuer, logout.which);
      if (!(await challenges.use(`logout ${logout.id}`, LOGOUT_AGAIN_MS))) {
        throw new InvalidInput('logoutTokenUsed');
      }
      audit({ app: null, ...(target && { target: target.toHexString() }), detail: { byProvider: true } });
    },
  });
}

function queryOf(req: Request): string {
  const at = req.originalUrl.indexOf('?');
  return at < 0 ? '' : req.originalUrl.slice(at);
}

/** @throws what is no answer to a person */
function refusalOf(error: unknown): RefusalCode {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  return 'no_access';
}

function unavailable(error: unknown): never {
  if (error instanceof SignOnRefused) throw new AppError(503, 'noProvider');
  throw error;
}
