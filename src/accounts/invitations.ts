import { type Filter, ObjectId } from 'mongodb';
import type { AppService } from '../apps/apps.service.ts';
import { Conflict, Gone } from '../core/errors.ts';
import { type AppRole, rolesUpTo } from '../core/roles.ts';
import { inFreePlace } from '../database/free-place.ts';
import { type AccountStore, createToken, hashToken } from './account-store.ts';
import { type InvitationDocument, type InvitationModel, MAX_INVITATIONS } from './accounts.model.ts';
import type { Roles } from './roles.ts';

const INVITATION_MS = 7 * 24 * 60 * 60 * 1_000;
/** The link to the first admin account. */
export const FIRST_LINK_MS = 60 * 60 * 1_000;

export type NewInvitation = Pick<InvitationDocument, 'email' | 'admin' | 'name' | 'invitedBy' | 'invitedWith'> & {
  app?: InvitationDocument['app'] | undefined;
};

export type Invitations = ReturnType<typeof createInvitations>;

/**
 * Invitations in the database. A token is stored as its hash and works once, while the inviter may
 * still give what the invitation offers.
 */
export function createInvitations(
  invitations: InvitationModel,
  store: Pick<AccountStore, 'findById'>,
  roles: Pick<Roles, 'read'>,
  apps: Pick<AppService, 'findBySession'>,
) {
  const open = (): Filter<InvitationDocument> => ({ expiresAt: { $gt: new Date() } });

  /** Whether the inviter may still give what an invitation offers; the host always may. */
  async function holds({ invitedBy, invitedWith, app }: InvitationDocument): Promise<boolean> {
    if (invitedWith) {
      const { appId, credentialId } = invitedWith;
      const by = await apps.findBySession(appId.toHexString(), credentialId);
      return by !== undefined && (by.role === 'admin' || (app !== undefined && by.id.equals(app.id)));
    }
    if (!invitedBy) return true;
    const account = await store.findById(invitedBy);
    if (!account || account.suspendedAt) return false;
    const { isAdmin, memberships } = await roles.read(account, app?.sourceAppId);
    return isAdmin || (app !== undefined && memberships.some(({ role }) => role === 'manager'));
  }

  /** Resolves with the open invitations to an app, the oldest first. Removes those that ended. */
  async function list(appId: ObjectId): Promise<InvitationDocument[]> {
    const options = { sort: { createdAt: 1 }, limit: MAX_INVITATIONS } as const;
    const found = await invitations.find({ 'app.id': appId, ...open() }, options);
    const byInviter = new Map<string, boolean>();
    const [kept, ended]: [InvitationDocument[], InvitationDocument[]] = [[], []];
    for (const one of found) {
      const inviter = String(one.invitedBy ?? one.invitedWith?.credentialId);
      const isOpen = byInviter.get(inviter) ?? (await holds(one));
      byInviter.set(inviter, isOpen);
      (isOpen ? kept : ended).push(one);
    }
    if (ended.length > 0) await invitations.deleteMany({ _id: { $in: ended.map(({ _id }) => _id) } });
    return kept;
  }

  /** @throws {Conflict} when the app has too many */
  async function insert({ place: _, ...invitation }: InvitationDocument): Promise<void> {
    const { app } = invitation;
    if (!app) return invitations.insertOne(invitation);
    const options = { projection: { place: 1 } } as const;
    const taken = () => invitations.find({ 'app.id': app.id }, options);
    const full = () => new Conflict(`An app has at most ${MAX_INVITATIONS} open invitations; delete one first`);
    if ((await taken()).length >= MAX_INVITATIONS) await list(app.id);
    await inFreePlace(MAX_INVITATIONS, taken, (place) => invitations.insertOne({ ...invitation, place }), full);
  }

  return {
    /**
     * Stores an invitation; resolves with it and its token, which cannot be shown again. An earlier
     * one of the same email to the same app ends. @throws {Conflict} when the app has too many
     */
    async create(
      { app, ...offer }: NewInvitation,
      forMs = INVITATION_MS,
    ): Promise<{ token: string; invitation: InvitationDocument }> {
      const { email } = offer;
      const { token, hash } = createToken();
      const createdAt = new Date();
      const times = { createdAt, expiresAt: new Date(createdAt.getTime() + forMs) };
      const stored = { _id: hash, id: new ObjectId().toHexString(), ...offer, ...(app && { app }), ...times };
      await insert(stored);
      // Those of a higher role stay: whoever may not give it may not take it either.
      const same = app ? { 'app.id': app.id, 'app.role': { $in: rolesUpTo(app.role) } } : { app: { $exists: false } };
      const isEarlier = { _id: { $ne: hash }, createdAt: { $lt: createdAt } };
      if (email !== undefined) await invitations.deleteMany({ email, ...same, ...isEarlier });
      return { token, invitation: stored };
    },

    list,

    /** Withdraws an invitation with one of these roles. */
    remove: async (appId: ObjectId, id: string, withRoles: readonly AppRole[]): Promise<boolean> =>
      (await invitations.deleteOne({ 'app.id': appId, id, 'app.role': { $in: [...withRoles] } })).deletedCount === 1,

    /** @throws {Gone} when the token is used or expired, or the inviter may not invite any more */
    async find(token: string): Promise<InvitationDocument> {
      const found = await invitations.findOne({ _id: hashToken(token), ...open() });
      if (!found || !(await holds(found))) throw gone();
      return found;
    },

    /** Uses an invitation, once also under parallel use. @throws {Gone} as `find` */
    async take(token: string): Promise<InvitationDocument> {
      const found = await invitations.findOneAndDelete({ _id: hashToken(token), ...open() });
      if (!found || !(await holds(found))) throw gone();
      return found;
    },

    listFor: (email: string): Promise<InvitationDocument[]> =>
      invitations.find({ email, ...open() }, { limit: MAX_INVITATIONS }),

    /** Uses an invitation of a proved email; resolves with false where `take` throws. */
    takeStored: async (invitation: InvitationDocument): Promise<boolean> =>
      (await invitations.deleteOne({ _id: invitation._id, ...open() })).deletedCount === 1 && holds(invitation),

    /** Stores an invitation again that was taken for a request that failed. */
    giveBack: insert,

    /** Withdraws the invitations that an account sent: all, or those to one app. */
    async withdrawBy(invitedBy: ObjectId, appId?: ObjectId): Promise<void> {
      await invitations.deleteMany({ invitedBy, ...(appId && { 'app.id': appId }) });
    },

    /** Removes the invitations that an email received. */
    async forget(email: string): Promise<void> {
      await invitations.deleteMany({ email });
    },

    async endFirstLinks(): Promise<void> {
      await invitations.deleteMany({ email: { $exists: false } });
    },
  };
}

const gone = (): Gone => new Gone('This invitation was used or has expired; ask for a new one');
