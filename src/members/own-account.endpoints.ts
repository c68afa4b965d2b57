import type { Request } from 'express';
import { Binary } from 'mongodb';
import { z } from 'zod';
import type { Passkey, SignedIn } from '../accounts/accounts.model.ts';
import type { AccountService } from '../accounts/accounts.service.ts';
import { relyingPartyOf } from '../accounts/passkeys.ts';
import { type AuditFacts, type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import type { SessionPrincipal } from '../api/principal.ts';
import { Timestamp } from '../api/validation.ts';
import { Forbidden, NotFound, Unauthenticated } from '../core/errors.ts';
import { Account, AccountName, ChosenPassword, Memberships } from '../sessions/account-log-in.endpoints.ts';
import { CreatedPasskey, CreationOptions } from '../sessions/passkeys.contract.ts';
import type { SessionService } from '../sessions/sessions.service.ts';

const Ok = z.strictObject({ ok: z.literal(true) });
const SessionId = z.string().meta({ example: 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4gQo9xTn6rVb1' });
const Code = z.string('must be a string').max(100, 'is too long').meta({ example: '123456' });
const ShownPasskey = z.strictObject({
  ...{ id: z.string().meta({ example: 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g' }), name: AccountName },
  ...{ createdAt: Timestamp, lastUsedAt: Timestamp.nullable() },
});
const own = { auth: 'session', load: 'light', tag: 'Own account' } as const;
const RECENT = 'Needs a log-in of the last ten minutes, else 403 with `reauthenticate`.';

/** What somebody does with their own account (spec 4.13). */
export const ownAccountEndpoints = {
  getAccount: {
    ...own,
    method: 'get',
    path: '/auth/account',
    summary: 'The own account',
    response: z.strictObject({
      ...{ account: Account, memberships: Memberships, hasPassword: z.boolean() },
      ...{ totp: z.boolean(), recoveryCodes: z.int().meta({ description: 'How many are unused' }) },
    }),
    errors: [],
  },
  renameAccount: {
    ...own,
    method: 'patch',
    path: '/auth/account',
    audit: 'account.changed',
    summary: 'Change the own name',
    body: jsonBody(z.strictObject({ name: AccountName })),
    response: Ok,
    errors: [],
  },
  replaceAccountPassword: {
    ...own,
    method: 'put',
    path: '/auth/account/password',
    audit: 'account.password.replaced',
    summary: 'Replace the own password',
    description: `All other sessions of the account end. ${RECENT} Failures count as failed log-ins.`,
    body: jsonBody(z.strictObject({ current: z.string().max(1_000).optional(), password: ChosenPassword })),
    slow: true,
    response: Ok,
    errors: [409, 429],
  },
  listSessions: {
    ...own,
    method: 'get',
    path: '/auth/account/sessions',
    summary: 'The own sessions',
    response: z.strictObject({
      sessions: z.array(
        z.strictObject({
          ...{ id: SessionId, current: z.boolean(), method: z.string(), createdAt: Timestamp, expiresAt: Timestamp },
          ...{ device: z.string(), address: z.string() },
        }),
      ),
    }),
    errors: [],
  },
  endSession: {
    ...own,
    method: 'delete',
    path: '/auth/account/sessions/:id',
    audit: 'account.sessions.ended',
    summary: 'End one of the own sessions',
    params: z.object({ id: SessionId }),
    response: Ok,
    errors: [404],
  },
  endOtherSessions: {
    ...own,
    method: 'delete',
    path: '/auth/account/sessions',
    audit: 'account.sessions.ended',
    summary: 'End all other own sessions',
    response: Ok,
    errors: [],
  },
  beginTotp: {
    ...own,
    method: 'post',
    path: '/auth/account/totp',
    audit: 'account.factors.changed',
    summary: 'Begin to add an authenticator app',
    description: `The secret is in force after \`confirm\`. ${RECENT}`,
    response: z.strictObject({
      secret: z.string().meta({ example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }),
      uri: z.string().meta({ example: 'otpauth://totp/Example' }),
    }),
    errors: [403, 409],
  },
  confirmTotp: {
    ...own,
    method: 'post',
    path: '/auth/account/totp/confirm',
    audit: 'account.factors.changed',
    summary: 'Add the authenticator app by its first code',
    description: 'The recovery codes are shown only in this response. Each works once in place of a code.',
    body: jsonBody(z.strictObject({ code: Code })),
    response: z.strictObject({ recoveryCodes: z.array(z.string()) }),
    errors: [403, 409, 429],
  },
  removeTotp: {
    ...own,
    method: 'delete',
    path: '/auth/account/totp',
    audit: 'account.factors.changed',
    summary: 'Remove the authenticator app and the recovery codes',
    description: RECENT,
    response: Ok,
    errors: [403],
  },
  listPasskeys: {
    ...own,
    method: 'get',
    path: '/auth/account/passkeys',
    summary: 'The own passkeys',
    response: z.strictObject({ passkeys: z.array(ShownPasskey) }),
    errors: [],
  },
  beginPasskey: {
    ...own,
    method: 'post',
    path: '/auth/account/passkeys/options',
    audit: 'account.factors.changed',
    summary: 'Begin to add a passkey',
    description: `The options for \`navigator.credentials.create\`. The challenge counts once, for five minutes. ${RECENT}`,
    response: CreationOptions,
    errors: [403, 409],
  },
  addPasskey: {
    ...own,
    method: 'post',
    path: '/auth/account/passkeys',
    audit: 'account.factors.changed',
    summary: 'Add a passkey',
    description: `With the first second factor of an account the response has recovery codes, which are shown only once. ${RECENT}`,
    body: jsonBody(z.strictObject({ name: AccountName, response: CreatedPasskey })),
    response: ShownPasskey.extend({ recoveryCodes: z.array(z.string()).optional() }),
    errors: [403, 409],
  },
  removePasskey: {
    ...own,
    method: 'delete',
    path: '/auth/account/passkeys/:id',
    audit: 'account.factors.changed',
    summary: 'Remove a passkey',
    description: `409 for the only way into the account. Recovery codes end with the last second factor. ${RECENT}`,
    params: z.object({ id: z.string().max(2_000) }),
    response: Ok,
    errors: [403, 404, 409],
  },
} as const satisfies Endpoints;

export function ownAccountRoutes(deps: {
  accounts: AccountService;
  sessions: Pick<SessionService, 'confirmAccount'>;
  publicUrl: string | undefined;
}): Route[] {
  const { accounts, sessions, publicUrl } = deps;

  /** The account and session of a request. @throws {Forbidden} for the log-in of an app */
  async function signedIn(principal: SessionPrincipal, req: Request): Promise<SignedIn> {
    if (!principal.account) throw new Forbidden('Log in with an account to use this');
    const found = await accounts.findSession(principal.account.id.toHexString(), req.sessionID);
    if (!found) throw new Unauthenticated();
    return found;
  }

  const facts = ({ account }: SignedIn, detail: AuditFacts['detail'] = {}): AuditFacts => ({
    app: null,
    target: account._id.toHexString(),
    detail,
  });

  return routes(ownAccountEndpoints, {
    getAccount: async ({ principal, req }) => {
      const { account } = await signedIn(principal, req);
      return {
        ...(await accounts.present(account)),
        ...{ hasPassword: account.passwordHash !== undefined, totp: account.totp !== undefined },
        recoveryCodes: account.recoveryCodes?.length ?? 0,
      };
    },

    renameAccount: async ({ principal, body, req, audit }) => {
      const self = await signedIn(principal, req);
      await accounts.rename(self, body.name);
      audit(facts(self));
      return { ok: true as const };
    },

    replaceAccountPassword: async ({ principal, body, req, leftMs, audit }) => {
      const self = await signedIn(principal, req);
      const caller = { address: req.ip ?? '', leftMs };
      await accounts.changePassword(self, body, (password, hash) =>
        sessions.confirmAccount(self.account.email, password, hash, caller),
      );
      audit(facts(self));
      return { ok: true as const };
    },

    listSessions: async ({ principal, req }) => {
      const { account, session } = await signedIn(principal, req);
      const open = account.sessions.filter(
        ({ expiresAt, state }) => state === 'active' && expiresAt.getTime() > Date.now(),
      );
      return {
        sessions: open.map(({ id, method, createdAt, expiresAt, device, address }) => ({
          ...{ id: shownId(id), current: id === session.id, method, device, address },
          ...{ createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() },
        })),
      };
    },

    endSession: async ({ principal, params, req, audit }) => {
      const self = await signedIn(principal, req);
      const id = new Binary(Buffer.from(params.id, 'base64url'));
      if (!(await accounts.endOwn(self, id))) throw new NotFound('Session not found');
      audit(facts(self));
      return { ok: true as const };
    },

    endOtherSessions: async ({ principal, req, audit }) => {
      const self = await signedIn(principal, req);
      await accounts.endOthers(self);
      audit(facts(self));
      return { ok: true as const };
    },

    beginTotp: async ({ principal, req, audit }) => {
      const self = await signedIn(principal, req);
      const begun = await accounts.beginTotp(self);
      audit(facts(self, { begun: true }));
      return begun;
    },

    confirmTotp: async ({ principal, body, req, audit }) => {
      const self = await signedIn(principal, req);
      const recoveryCodes = await accounts.confirmTotp(self, body.code);
      audit(facts(self, { totp: true }));
      return { recoveryCodes };
    },

    listPasskeys: async ({ principal, req }) => {
      const { account } = await signedIn(principal, req);
      return { passkeys: (account.passkeys ?? []).map(shownPasskey) };
    },

    beginPasskey: async ({ principal, req, audit }) => {
      const self = await signedIn(principal, req);
      const options = await accounts.beginPasskey(self, relyingPartyOf(publicUrl, req.headers.host));
      audit(facts(self, { begun: true }));
      return options;
    },

    addPasskey: async ({ principal, body, req, audit }) => {
      const self = await signedIn(principal, req);
      const at = relyingPartyOf(publicUrl, req.headers.host);
      const { passkey, recoveryCodes } = await accounts.addPasskey(self, body, at);
      audit(facts(self, { passkey: true }));
      return { ...shownPasskey(passkey), ...(recoveryCodes && { recoveryCodes }) };
    },

    removePasskey: async ({ principal, params, req, audit }) => {
      const self = await signedIn(principal, req);
      if (!(await accounts.removePasskey(self, params.id))) throw new NotFound('Passkey not found');
      audit(facts(self, { passkey: false }));
      return { ok: true as const };
    },

    removeTotp: async ({ principal, req, audit }) => {
      const self = await signedIn(principal, req);
      await accounts.removeTotp(self);
      audit(facts(self, { totp: false }));
      return { ok: true as const };
    },
  });
}

const shownPasskey = ({ id, name, createdAt, lastUsedAt }: Passkey) => ({
  ...{ id, name, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null },
});

/** A hash, from which no session id can be made. */
const shownId = (id: Binary): string => Buffer.from(id.buffer).toString('base64url');
