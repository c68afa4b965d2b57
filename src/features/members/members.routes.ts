import type { ObjectId } from 'mongodb';
import { z } from 'zod';
import { type AnyInput, type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { AppPath } from '../../core/api/parameters.ts';
import type { ScopedApp, SessionPrincipal } from '../../core/api/principal.ts';
import type { Apps } from '../../core/apps/apps.ts';
import { Conflict, Forbidden, NotFound } from '../../platform/core/errors.ts';
import { type AppRole, higherRole, rolesUpTo } from '../../platform/core/roles.ts';
import type { Until } from '../../platform/database/clock.ts';
import { parseObjectId } from '../../platform/database/ordered-ids.ts';
import type { SharedLimits } from '../../platform/database/shared-limits.ts';
import { Id, Ok, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { Email, MemberRole } from '../accounts/account-schemas.ts';
import { MAX_MEMBERS } from '../accounts/accounts.model.ts';
import { requireEmail } from '../accounts/accounts.service.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { NewInvitation } from '../accounts/invitations.ts';
import { hasSecondFactor } from '../accounts/second-factor.ts';
import { createSharedLogins } from './shared-login.ts';

/** Emails with invitations to one app; the link is shown in any case. */
const MAX_MAILS = 100;
const MAILS_MS = 60 * 60 * 1_000;
/** Those to one email, from all apps. */
const MAX_MAILS_TO_ONE = 3;
const MAILS_TO_ONE_MS = 24 * 60 * 60 * 1_000;

const Link = z.string().meta({
  description: 'To give to the invited person; it cannot be shown again',
  example: 'https://users.example.com/dashboard/invitation#Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4g',
});

export const InvitationCreated = z
  .strictObject({ id: Id, expiresAt: Timestamp, link: Link })
  .meta({ id: 'InvitationCreated' });

const shared = { auth: 'session', scope: 'manage', scoped: true, load: 'light', tag: 'Members' } as const;
const ofApp = { ...shared, params: AppPath } as const;

/** The members of an app, its invitations and its shared log-in (spec 4.13). */
export const memberEndpoints = {
  listInvitations: {
    ...ofApp,
    method: 'get',
    path: '/auth/apps/:sourceAppId/invitations',
    summary: 'The open invitations to an app',
    response: z.strictObject({
      invitations: z.array(
        z.strictObject({ id: Id, email: z.string(), role: MemberRole, createdAt: Timestamp, expiresAt: Timestamp }),
      ),
    }),
  },
  createInvitation: {
    ...ofApp,
    method: 'post',
    path: '/auth/apps/:sourceAppId/invitations',
    audit: 'invitation.created',
    summary: 'Invite somebody to an app',
    description:
      'The link works once, for 7 days. Where the service sends email, it is also sent to the email. Nobody gives a role above their own.',
    body: jsonBody(z.strictObject({ email: Email, role: MemberRole })),
    response: InvitationCreated,
    errors: [409],
  },
  deleteInvitation: {
    ...shared,
    method: 'delete',
    path: '/auth/apps/:sourceAppId/invitations/:id',
    audit: 'invitation.deleted',
    params: AppPath.extend({ id: Id }),
    summary: 'Withdraw an invitation',
    response: Ok,
  },
  listMembers: {
    ...ofApp,
    method: 'get',
    path: '/auth/apps/:sourceAppId/members',
    summary: 'The members of an app',
    response: z.strictObject({
      members: z.array(
        z.strictObject({
          id: Id,
          email: z.string(),
          name: z.string(),
          role: MemberRole,
          addedAt: Timestamp,
          secondFactor: z.boolean(),
          suspended: z.boolean(),
          byGroups: z.boolean().meta({ description: 'Whether groups of the provider give the role' }),
        }),
      ),
    }),
  },
  changeMember: {
    ...shared,
    method: 'patch',
    path: '/auth/apps/:sourceAppId/members/:accountId',
    audit: 'member.changed',
    params: AppPath.extend({ accountId: Id }),
    summary: 'Give a member another role',
    description: 'In force on every server with the response.',
    body: jsonBody(z.strictObject({ role: MemberRole })),
    response: Ok,
    errors: [409],
  },
  removeMember: {
    ...shared,
    method: 'delete',
    path: '/auth/apps/:sourceAppId/members/:accountId',
    audit: 'member.removed',
    params: AppPath.extend({ accountId: Id }),
    summary: 'Remove a member',
    description: 'In force on every server with the response.',
    response: Ok,
    errors: [409],
  },
  getAccess: {
    ...ofApp,
    method: 'get',
    path: '/auth/apps/:sourceAppId/access',
    summary: "Whether the app's password may log in",
    response: z.strictObject({ sharedLogin: z.boolean() }),
  },
  replaceAccess: {
    ...ofApp,
    method: 'put',
    path: '/auth/apps/:sourceAppId/access',
    audit: 'access.replaced',
    summary: "Allow or refuse the app's password",
    description:
      'For managers and admins. With `sharedLogin: false` the password and all sessions created with it are refused; the app needs a manager.',
    body: jsonBody(z.strictObject({ sharedLogin: z.boolean(code('notBoolean')) })),
    response: z.strictObject({ sharedLogin: z.boolean() }),
    errors: [409],
  },
} as const satisfies Endpoints;

export type Inviter = ReturnType<typeof createInviter>;

/**
 * Returns a function that creates an invitation and resolves with what its response shows. With
 * PUBLIC_URL it also sends the link by email, if `maySend` allows it.
 */
export function createInviter(
  { invitations, mail }: Accounts,
  apps: Pick<Apps['service'], 'find'>,
  publicUrl: string | undefined,
  limits: Pick<SharedLimits, 'create'>,
) {
  const mailsToOne = limits.create('invitations of an email', MAX_MAILS_TO_ONE, MAILS_TO_ONE_MS);
  /** The limit of the app counts first: an app that reached it uses up no email's share. */
  const mayMail = async (email: string, maySend: () => Promise<boolean>): Promise<boolean> =>
    (await maySend()) && (await mailsToOne.take(email)).waitMs === 0;

  return async (
    offer: NewInvitation & { email: string },
    { principal: { account, own }, req }: Pick<AnyInput, 'req'> & { principal: SessionPrincipal },
    maySend = async () => true,
  ): Promise<z.input<typeof InvitationCreated>> => {
    const login = own && { invitedWith: { appId: own.id, credentialId: own.credentialId } };
    const { token, invitation } = await invitations.create({
      ...offer,
      ...(account ? { invitedBy: account.id } : login),
    });
    const origin = publicUrl ?? `${req.protocol}://${req.headers.host ?? 'localhost'}`;
    // No server logs what follows `#`.
    const link = `${origin}/dashboard/invitation#${token}`;
    if (publicUrl !== undefined && mail.isOn && (await mayMail(offer.email, maySend))) {
      const role = offer.app?.role ?? (offer.admin ? 'admin' : 'member');
      const app = offer.app && (await apps.find(offer.app.sourceAppId));
      const place = app?.form?.name ?? offer.app?.sourceAppId;
      mail.send(offer.email, { kind: 'invitation', link, app: place, role });
    }
    return { id: invitation.id, expiresAt: invitation.expiresAt.toISOString(), link };
  };
}

/** @throws {NotFound} when the text is no id */
export function parseAccountId(text: string): ObjectId {
  const id = parseObjectId(text);
  if (!id) throw new NotFound('accountNotFound');
  return id;
}

export function memberRoutes(
  { store, access, invitations, roles }: Accounts,
  { model }: Pick<Apps, 'model'>,
  invite: Inviter,
  limits: SharedLimits,
): Route[] {
  const sharedLogins = createSharedLogins(model);
  const mails = limits.create('invitations', MAX_MAILS, MAILS_MS);

  return routes(memberEndpoints, {
    listInvitations: async ({ app: { id } }) => {
      const open = await invitations.list(id);
      return {
        invitations: open.map(({ id: invitationId, email = '', app, createdAt, expiresAt }) => ({
          id: invitationId,
          email,
          role: app?.role ?? 'viewer',
          createdAt: createdAt.toISOString(),
          expiresAt: expiresAt.toISOString(),
        })),
      };
    },

    createInvitation: async ({ app: { id, sourceAppId }, principal, body: { role, ...body }, req, audit }) => {
      requireRole(principal, role);
      const offer = { email: requireEmail(body.email), app: { id, sourceAppId, role } };
      const maySend = async () => (await mails.take(sourceAppId)).waitMs === 0;
      const created = await invite(offer, { principal, req }, maySend);
      audit({ target: created.id, detail: { role } });
      return created;
    },

    deleteInvitation: async ({ app: { id }, principal, params }) => {
      const withdrawn = await invitations.remove(id, params.id, rolesUpTo(highestRole(principal)));
      if (!withdrawn) throw new NotFound('invitationNotFound');
    },

    listMembers: async ({ app }) => {
      const given = await access.members(app.id);
      const inGroups = await store.inGroups(roles.groupsOf(app.sourceAppId), MAX_MEMBERS);
      const accounts = await store.named(given.map(({ account }) => account));
      for (const account of inGroups) accounts.set(account._id.toHexString(), account);
      const members = new Map(given.map((member) => [member.account.toHexString(), member]));
      return {
        members: [...accounts].flatMap(([id, account]) => {
          const member = members.get(id);
          if (member?.role === 'admin') return [];
          const byGroups = roles.roleBy(account.groups?.names, app.sourceAppId);
          const role = member && byGroups ? higherRole(member.role, byGroups) : (member?.role ?? byGroups);
          const addedAt = member?.addedAt ?? account.groups?.at;
          if (!role || !addedAt) return [];
          const { email, name, suspendedAt } = account;
          return {
            id,
            email,
            name,
            role,
            addedAt: addedAt.toISOString(),
            byGroups: member === undefined,
            secondFactor: hasSecondFactor(account),
            suspended: suspendedAt !== undefined,
          };
        }),
      };
    },

    changeMember: async ({ app, principal, params, body, until, audit }) => {
      requireRole(principal, body.role);
      const { role } = body;
      const before = await change(app, principal, params.accountId, role, until);
      audit({ target: params.accountId, detail: { role }, changed: { before: { role: before }, after: { role } } });
    },

    removeMember: async ({ app, principal, params, until, audit }) => {
      const role = await change(app, principal, params.accountId, undefined, until);
      audit({ target: params.accountId, changed: { before: { role } } });
    },

    getAccess: async ({ app: { id } }) => ({ sharedLogin: await sharedLogins.isAllowed(id) }),

    replaceAccess: async ({ app, principal, body, until, audit }) => {
      if (principal.role !== 'admin' && !principal.account) {
        throw new Forbidden('managerRequired');
      }
      const { sharedLogin } = body;
      const { wasAllowed, epoch } = await access.setSharedLogin(app, sharedLogin, until);
      await sharedLogins.set(app.id, sharedLogin, epoch);
      audit({ detail: { sharedLogin }, changed: { before: { sharedLogin: wasAllowed }, after: { sharedLogin } } });
      return { sharedLogin };
    },
  });

  async function change(
    app: ScopedApp,
    principal: SessionPrincipal,
    accountId: string,
    role: AppRole | undefined,
    until: Until,
  ) {
    const id = parseAccountId(accountId);
    const byGroups = roles.roleBy((await store.findById(id))?.groups?.names, app.sourceAppId);
    if (byGroups && (role === undefined || higherRole(byGroups, role) !== role)) {
      throw new Conflict('groupsGiveRole');
    }
    const changesManagers = highestRole(principal) === 'manager';
    const before = await access.changeMember(app.id, id, role, { changesManagers, until });
    if (!before) throw new NotFound('memberNotFound');
    if (role !== 'manager') await invitations.withdrawBy(id, until, app.id);
    return before;
  }
}

/** The highest role that a caller may give and take: the password of an app gives no managers. */
const highestRole = ({ role, account }: SessionPrincipal): AppRole =>
  role === 'admin' || account ? 'manager' : 'editor';

/**
 * Nobody gives a role above their own: a manager may replace the schema, and the app's password may
 * not. @throws {Forbidden}
 */
function requireRole(principal: SessionPrincipal, given: AppRole): void {
  if (!rolesUpTo(highestRole(principal)).includes(given)) {
    throw new Forbidden('roleIsProtected');
  }
}
