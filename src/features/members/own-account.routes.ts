import { Binary } from 'mongodb';
import { z } from 'zod';
import { type AnyInput, type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import type { SessionPrincipal } from '../../core/api/principal.ts';
import { Forbidden, NotFound, Unauthenticated } from '../../platform/core/errors.ts';
import { Ok, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { Account, AccountName, ChosenPassword, Memberships } from '../accounts/account-schemas.ts';
import type { Passkey, SignedIn } from '../accounts/accounts.model.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { relyingPartyOf } from '../accounts/passkeys.ts';
import { CreatedPasskey, CreationOptions } from '../accounts/webauthn.ts';

const SessionId = z.string().meta({ example: 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4gQo9xTn6rVb1' });
const Code = z.string(code('notText')).max(100, code('tooLongText')).meta({ example: '123456' });
const ShownPasskey = z.strictObject({
  id: z.string().meta({ example: 'Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g' }),
  name: AccountName,
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
});
const shared = { auth: 'session', load: 'light', tag: 'Own account' } as const;
const ofFactors = { ...shared, audit: 'account.factors.changed' } as const;
const RECENT = 'Needs a log-in of the last ten minutes, else 403 with `reauthenticate`.';

/** What somebody does with their own account (spec 4.13). */
export const ownAccountEndpoints = {
  getAccount: {
    ...shared,
    method: 'get',
    path: '/auth/account',
    summary: 'The own account',
    response: z.strictObject({
      account: Account,
      memberships: Memberships,
      hasPassword: z.boolean(),
      totp: z.boolean(),
      recoveryCodes: z.int().meta({ description: 'How many are unused' }),
    }),
  },
  renameAccount: {
    ...shared,
    method: 'patch',
    path: '/auth/account',
    audit: 'account.changed',
    summary: 'Change the own name',
    body: jsonBody(z.strictObject({ name: AccountName })),
    response: Ok,
  },
  replaceAccountPassword: {
    ...shared,
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
    ...shared,
    method: 'get',
    path: '/auth/account/sessions',
    summary: 'The own sessions',
    response: z.strictObject({
      sessions: z.array(
        z.strictObject({
          id: SessionId,
          current: z.boolean(),
          method: z.string(),
          createdAt: Timestamp,
          expiresAt: Timestamp,
          device: z.string(),
          address: z.string(),
        }),
      ),
    }),
  },
  endSession: {
    ...shared,
    method: 'delete',
    path: '/auth/account/sessions/:id',
    audit: 'account.sessions.ended',
    summary: 'End one of the own sessions',
    params: z.object({ id: SessionId }),
    response: Ok,
    errors: [404],
  },
  endOtherSessions: {
    ...shared,
    method: 'delete',
    path: '/auth/account/sessions',
    audit: 'account.sessions.ended',
    summary: 'End all other own sessions',
    response: Ok,
  },
  beginTotp: {
    ...ofFactors,
    method: 'post',
    path: '/auth/account/totp',
    summary: 'Begin to add an authenticator app',
    description: `The secret is in force after \`confirm\`. ${RECENT}`,
    response: z.strictObject({
      secret: z.string().meta({ example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }),
      uri: z.string().meta({ example: 'otpauth://totp/Example' }),
    }),
    errors: [403, 409],
  },
  confirmTotp: {
    ...ofFactors,
    method: 'post',
    path: '/auth/account/totp/confirm',
    summary: 'Add the authenticator app by its first code',
    description: 'The recovery codes are shown only in this response. Each works once in place of a code.',
    body: jsonBody(z.strictObject({ code: Code })),
    response: z.strictObject({ recoveryCodes: z.array(z.string()) }),
    errors: [403, 409, 429],
  },
  removeTotp: {
    ...ofFactors,
    method: 'delete',
    path: '/auth/account/totp',
    summary: 'Remove the authenticator app and the recovery codes',
    description: RECENT,
    response: Ok,
    errors: [403],
  },
  listPasskeys: {
    ...shared,
    method: 'get',
    path: '/auth/account/passkeys',
    summary: 'The own passkeys',
    response: z.strictObject({ passkeys: z.array(ShownPasskey) }),
  },
  beginPasskey: {
    ...ofFactors,
    method: 'post',
    path: '/auth/account/passkeys/options',
    summary: 'Begin to add a passkey',
    description: `The options for \`navigator.credentials.create\`. The challenge counts once, for five minutes. ${RECENT}`,
    response: CreationOptions,
    errors: [403, 409],
  },
  addPasskey: {
    ...ofFactors,
    method: 'post',
    path: '/auth/account/passkeys',
    summary: 'Add a passkey',
    description: `With the first second factor of an account the response has recovery codes, which are shown only once. ${RECENT}`,
    body: jsonBody(z.strictObject({ name: AccountName, response: CreatedPasskey })),
    response: ShownPasskey.extend({ recoveryCodes: z.array(z.string()).optional() }),
    errors: [403, 409],
  },
  removePasskey: {
    ...ofFactors,
    method: 'delete',
    path: '/auth/account/passkeys/:id',
    summary: 'Remove a passkey',
    description: `409 for the only way into the account. Recovery codes end with the last second factor. ${RECENT}`,
    params: z.object({ id: z.string().max(2_000) }),
    response: Ok,
    errors: [403, 404, 409],
  },
} as const satisfies Endpoints;

export function ownAccountRoutes(
  { service: accounts, logIns }: Pick<Accounts, 'service' | 'logIns'>,
  publicUrl: string | undefined,
): Route[] {
  /**
   * Returns a handler that gets the account and session of its request; the event of the endpoint
   * names the account. @throws {Forbidden} for the log-in of an app
   */
  const forOwn =
    <Input extends Pick<AnyInput, 'req' | 'audit'> & { principal: SessionPrincipal }, Reply>(
      handle: (own: SignedIn, input: Input) => Promise<Reply>,
    ) =>
    async (input: Input): Promise<Reply> => {
      const { principal, req, audit } = input;
      if (!principal.account) throw new Forbidden('accountRequired');
      const own = await accounts.findSession(principal.account.id.toHexString(), req.sessionID);
      if (!own) throw new Unauthenticated();
      audit({ app: null, target: own.account._id.toHexString(), detail: {} });
      return handle(own, input);
    };

  return routes(ownAccountEndpoints, {
    getAccount: forOwn(async ({ account }) => ({
      ...(await accounts.present(account)),
      hasPassword: account.passwordHash !== undefined,
      totp: account.totp !== undefined,
      recoveryCodes: account.recoveryCodes?.length ?? 0,
    })),

    renameAccount: forOwn(async (own, { body, until }) => {
      await accounts.rename(own, body.name, until);
    }),

    replaceAccountPassword: forOwn(async (own, { body, req, leftMs }) => {
      const caller = { address: req.ip ?? '', leftMs };
      await accounts.changePassword(own, body, (password, hash) =>
        logIns.confirm(own.account.email, password, hash, caller),
      );
    }),

    listSessions: forOwn(async ({ account, session }) => {
      const open = account.sessions.filter(
        ({ expiresAt, state }) => state === 'active' && expiresAt.getTime() > Date.now(),
      );
      return {
        sessions: open.map(({ id, method, createdAt, expiresAt, device, address }) => ({
          // A hash, from which no session id can be made.
          id: Buffer.from(id.buffer).toString('base64url'),
          current: id === session.id,
          method,
          device,
          address,
          createdAt: createdAt.toISOString(),
          expiresAt: expiresAt.toISOString(),
        })),
      };
    }),

    endSession: forOwn(async (own, { params }) => {
      const id = new Binary(Buffer.from(params.id, 'base64url'));
      if (!(await accounts.endSession(own, id))) throw new NotFound('sessionNotFound');
    }),

    endOtherSessions: forOwn(async (own, { until }) => {
      await accounts.endOtherSessions(own, until);
    }),

    beginTotp: forOwn(async (own, { audit }) => {
      const begun = await accounts.beginTotp(own);
      audit({ detail: { begun: true } });
      return begun;
    }),

    confirmTotp: forOwn(async (own, { body, audit }) => {
      const recoveryCodes = await accounts.confirmTotp(own, body.code);
      audit({ detail: { totp: true } });
      return { recoveryCodes };
    }),

    removeTotp: forOwn(async (own, { audit }) => {
      await accounts.removeTotp(own);
      audit({ detail: { totp: false } });
    }),

    listPasskeys: forOwn(async ({ account }) => ({ passkeys: (account.passkeys ?? []).map(shownPasskey) })),

    beginPasskey: forOwn(async (own, { req, audit }) => {
      const options = await accounts.beginPasskey(own, relyingPartyOf(publicUrl, req.headers.host));
      audit({ detail: { begun: true } });
      return options;
    }),

    addPasskey: forOwn(async (own, { body, req, audit }) => {
      const at = relyingPartyOf(publicUrl, req.headers.host);
      const { passkey, recoveryCodes } = await accounts.addPasskey(own, body, at);
      audit({ detail: { passkey: true } });
      return { ...shownPasskey(passkey), ...(recoveryCodes && { recoveryCodes }) };
    }),

    removePasskey: forOwn(async (own, { params, audit }) => {
      await accounts.removePasskey(own, params.id);
      audit({ detail: { passkey: false } });
    }),
  });
}

const shownPasskey = ({ id, name, createdAt, lastUsedAt }: Passkey) => ({
  id,
  name,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});
