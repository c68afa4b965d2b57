import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { Conflict, NotFound } from '../../platform/core/errors.ts';
import { type Cursors, pageOf } from '../../platform/http/cursors.ts';
import { Id, Ok, PageLimit, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { AccountName, Email } from '../accounts/account-schemas.ts';
import type { AccountDocument } from '../accounts/accounts.model.ts';
import { requireEmail } from '../accounts/accounts.service.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { hasSecondFactor } from '../accounts/second-factor.ts';
import { InvitationCreated, type Inviter, parseAccountId } from './members.routes.ts';

const shared = { auth: 'session', role: 'admin', load: 'light', tag: 'Accounts' } as const;
const ofAccount = { ...shared, params: z.object({ id: Id }) } as const;

/** The accounts of the whole service, for admins (spec 4.13). */
export const accountEndpoints = {
  listAccounts: {
    ...shared,
    method: 'get',
    path: '/auth/accounts',
    summary: 'All accounts',
    description: 'By email.',
    query: z.strictObject({
      q: z
        .string(code('notOneText'))
        .max(200, code('tooLongText'))
        .optional()
        .meta({ description: 'A part of the email' }),
      limit: PageLimit,
      cursor: z.string(code('notOneText')).max(1_000, code('tooLongText')).optional(),
    }),
    response: z.strictObject({
      accounts: z.array(
        z.strictObject({
          id: Id,
          email: z.string(),
          name: z.string(),
          createdAt: Timestamp,
          admin: z.boolean(),
          suspended: z.boolean(),
          secondFactor: z.boolean(),
          sessions: z.int(),
        }),
      ),
      next: z.string().optional(),
    }),
  },
  createAccount: {
    ...shared,
    method: 'post',
    path: '/auth/accounts',
    audit: 'account.created',
    summary: 'Invite somebody to the service',
    description: 'The link works once, for 7 days. Where the service sends email, it is also sent to the email.',
    body: jsonBody(
      z.strictObject({
        email: Email,
        name: AccountName.optional(),
        admin: z.boolean(code('notBoolean')).default(false),
      }),
    ),
    response: InvitationCreated,
    errors: [409],
  },
  changeAccount: {
    ...ofAccount,
    method: 'patch',
    path: '/auth/accounts/:id',
    audit: 'account.changed',
    summary: 'Make an account an admin or suspend it',
    description: 'In force on every server with the response. A suspension ends all sessions.',
    body: jsonBody(
      z.strictObject({
        admin: z.boolean(code('notBoolean')).optional(),
        suspended: z.boolean(code('notBoolean')).optional(),
      }),
    ),
    response: Ok,
    errors: [404, 409],
  },
  endAccountSessions: {
    ...ofAccount,
    method: 'delete',
    path: '/auth/accounts/:id/sessions',
    audit: 'account.sessions.ended',
    summary: 'End all sessions of an account',
    response: Ok,
    errors: [404],
  },
  deleteAccount: {
    ...ofAccount,
    method: 'delete',
    path: '/auth/accounts/:id',
    audit: 'account.erased',
    summary: 'Erase an account',
    description: 'Permanent. Its id stays in the audit log, and nothing else of it.',
    response: Ok,
    errors: [404, 409],
  },
} as const satisfies Endpoints;

export function accountRoutes({ store, access, status, roles }: Accounts, invite: Inviter, cursors: Cursors): Route[] {
  /** @throws {NotFound} */
  async function find(text: string): Promise<AccountDocument> {
    const account = await store.findById(parseAccountId(text));
    if (!account) throw new NotFound('accountNotFound');
    return account;
  }

  return routes(accountEndpoints, {
    listAccounts: async ({ query: { q = '', limit, cursor } }) => {
      const bound = ['accounts', q];
      const after = cursors.read<{ after: string }>(cursor, bound)?.after;
      const [found, isAdmin] = await Promise.all([store.page(q, after, limit + 1), roles.findAdmins()]);
      const { page, last } = pageOf(found, limit);
      const next = last && { next: cursors.write({ after: last.email }, bound) };
      return { accounts: page.map((account) => shownAccount(account, isAdmin(account))), ...next };
    },

    createAccount: async ({ principal, body: { admin, name, ...body }, req, audit }) => {
      const email = requireEmail(body.email);
      if (await store.findByEmail(email)) throw new Conflict('accountExists');
      const offer = { email, ...(admin && { admin }), ...(name !== undefined && { name }) };
      const created = await invite(offer, { principal, req });
      audit({ app: null, target: created.id, detail: { admin } });
      return created;
    },

    changeAccount: async ({ params, body: { admin, suspended }, until, audit }) => {
      const { _id: id, suspendedAt, groups } = await find(params.id);
      // A suspended admin would count as the active one who stays.
      if (admin && (suspended ?? suspendedAt !== undefined)) {
        throw new Conflict('suspendedAdmin');
      }
      if (admin === false && roles.isAdminBy(groups?.names)) {
        throw new Conflict('groupsGiveAdmin');
      }
      // What may be refused comes first, so that a refused request changes nothing.
      if (admin === false) await access.removeAdmin(id, until);
      if (admin === true) await access.putAdmin(id, until);
      if (suspended === true) await status.suspend(id, until);
      if (suspended === false) await status.resume(id, until);
      else if (admin === true) await status.activate(id);
      const detail = { ...(admin !== undefined && { admin }), ...(suspended !== undefined && { suspended }) };
      audit({ app: null, detail });
    },

    endAccountSessions: async ({ params, until, audit }) => {
      if (!(await store.endSessions(parseAccountId(params.id), until))) throw new NotFound('accountNotFound');
      audit({ app: null });
    },

    deleteAccount: async ({ params, until, audit }) => {
      const { _id, email } = await find(params.id);
      await status.erase(_id, email, until);
      audit({ app: null });
    },
  });
}

function shownAccount(account: AccountDocument, admin: boolean) {
  const { _id, email, name, createdAt, suspendedAt, sessions } = account;
  return {
    id: _id.toHexString(),
    email,
    name,
    createdAt: createdAt.toISOString(),
    admin,
    suspended: suspendedAt !== undefined,
    secondFactor: hasSecondFactor(account),
    sessions: sessions.filter(({ expiresAt }) => expiresAt.getTime() > Date.now()).length,
  };
}
