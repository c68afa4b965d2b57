import { type Filter, ObjectId } from 'mongodb';
import { Conflict, Gone } from '../core/errors.ts';
import { type AppRole, rolesUpTo } from '../core/roles.ts';
import { createToken, hashToken } from './account-store.ts';
import { type InvitationCollection, type InvitationDocument, MAX_INVITATIONS } from './accounts.model.ts';

const INVITATION_MS = 7 * 24 * 60 * 60 * 1_000;
/** The link to the first admin account. */
export const FIRST_LINK_MS = 60 * 60 * 1_000;

export type NewInvitation = Pick<InvitationDocument, 'email' | 'admin' | 'name' | 'invitedBy'> & {
  app?: InvitationDocument['app'] | undefined;
};

export type Invitations = ReturnType<typeof createInvitations>;

/** Invitations in the database. A token is stored as its hash and works once. */
export function createInvitations(invitations: InvitationCollection) {
  const open = (): Filter<InvitationDocument> => ({ expiresAt: { $gt: new Date() } });

  return {
    /**
     * Stores an invitation; resolves with it and its token, which cannot be shown again. An earlier
     * one of the same email to the same app ends. @throws {Conflict} when the app has too many
     */
    async create(
      { app, ...offer }: NewInvitation,
      forMs = INVITATION_MS,
    ): Promise<{ token: string; invitation: InvitationDocument }> {
      const count = app ? await invitations.countDocuments({ 'app.id': app.id }, { limit: MAX_INVITATIONS }) : 0;
      if (count >= MAX_INVITATIONS) {
        throw new Conflict(`An app has at most ${MAX_INVITATIONS} open invitations; delete one first`);
      }
      const { email } = offer;
      const { token, hash } = createToken();
      const createdAt = new Date();
      const times = { createdAt, expiresAt: new Date(createdAt.getTime() + forMs) };
      const stored = { _id: hash, id: new ObjectId().toHexString(), ...offer, ...(app && { app }), ...times };
      await invitations.insertOne(stored);
      // Those of a higher role stay: whoever may not give it may not take it either.
      const same = app ? { 'app.id': app.id, 'app.role': { $in: rolesUpTo(app.role) } } : { app: { $exists: false } };
      const isEarlier = { _id: { $ne: hash }, createdAt: { $lt: createdAt } };
      if (email !== undefined) await invitations.deleteMany({ email, ...same, ...isEarlier });
      return { token, invitation: stored };
    },

    /** Resolves with the open invitations to an app, the oldest first. */
    list: (appId: ObjectId): Promise<InvitationDocument[]> =>
      invitations.find({ 'app.id': appId, ...open() }, { sort: { createdAt: 1 }, limit: MAX_INVITATIONS }).toArray(),

    /** Withdraws an invitation with one of these roles. */
    remove: async (appId: ObjectId, id: string, withRoles: readonly AppRole[]): Promise<boolean> =>
      (await invitations.deleteOne({ 'app.id': appId, id, 'app.role': { $in: [...withRoles] } })).deletedCount === 1,

    /** @throws {Gone} when the token is used or expired */
    async find(token: string): Promise<InvitationDocument> {
      const found = await invitations.findOne({ _id: hashToken(token), ...open() });
      if (!found) throw gone();
      return found;
    },

    /** Uses an invitation, once also under parallel use. @throws {Gone} */
    async take(token: string): Promise<InvitationDocument> {
      const found = await invitations.findOneAndDelete({ _id: hashToken(token), ...open() });
      if (!found) throw gone();
      return found;
    },

    listFor: (email: string): Promise<InvitationDocument[]> =>
      invitations.find({ email, ...open() }, { limit: MAX_INVITATIONS }).toArray(),

    /** Uses an invitation of a proved email; resolves with false when it was used or withdrawn. */
    takeStored: async ({ _id }: InvitationDocument): Promise<boolean> =>
      (await invitations.deleteOne({ _id, ...open() })).deletedCount === 1,

    /** Stores an invitation again that was taken for a request that failed. */
    async giveBack(invitation: InvitationDocument): Promise<void> {
      await invitations.insertOne(invitation);
    },

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
