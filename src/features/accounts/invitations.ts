import { type Filter, ObjectId } from 'mongodb';
import type { AppService } from '../../core/apps/apps.service.ts';
import { Conflict, Gone } from '../../platform/core/errors.ts';
import { type AppRole, rolesUpTo } from '../../platform/core/roles.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import { inFreePlace } from '../../platform/database/free-place.ts';
import { say } from '../../platform/languages/reasons.ts';
import { type AccountStore, createToken, hashToken } from './account-documents.ts';
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
  const free = (): Filter<InvitationDocument> => ({ ...open(), takenBy: { $exists: false } });

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

  /** Takes a free invitation whose inviter may still invite; undefined when there is none. */
  async function take(_id: InvitationDocument['_id'], until: Until): Promise<InvitationDocument | undefined> {
    const filter = { _id, ...free(), ...beginsBefore(await until()) };
    const change = { $set: { takenBy: new ObjectId() } };
    const taken = await invitations.findOneAndUpdate(filter, change, { returnDocument: 'after' });
    if (!taken || (await holds(taken))) return taken ?? undefined;
    await invitations.deleteOne({ _id });
    return undefined;
  }

  /** @throws {Conflict} when the app has too many */
  async function insert(invitation: InvitationDocument): Promise<void> {
    const { app } = invitation;
    if (!app) return invitations.insertOne(invitation);
    const options = { projection: { place: 1 } } as const;
    const taken = () => invitations.find({ 'app.id': app.id }, options);
    const full = () => new Conflict(say('invitationLimit', { max: MAX_INVITATIONS }));
    if ((await taken()).length >= MAX_INVITATIONS) await list(app.id);
    await inFreePlace(MAX_INVITATIONS, taken, (place) => invitations.insertOne({ ...invitation, place }), full);
  }

  return {
    /**
     * Stores an invitation; resolves with it and its token, which cannot be shown again. An earlier
     * one of the same email to the same app ends, and of no email an earlier one of no email.
     * @throws {Conflict} when the app has too many
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
      await invitations.deleteMany({ email: email ?? { $exists: false }, ...same, ...isEarlier });
      return { token, invitation: stored };
    },

    list,

    /** Resolves with the email of each invitation that exists, by its id. */
    async named(ids: readonly string[]): Promise<Map<string, string>> {
      const found = await invitations.find({ id: { $in: [...ids] } }, { projection: { id: 1, email: 1 } });
      return new Map(found.flatMap(({ id, email }) => (email === undefined ? [] : [[id, email] as const])));
    },

    /** Withdraws an invitation with one of these roles. */
    remove: async (appId: ObjectId, id: string, withRoles: readonly AppRole[]): Promise<boolean> =>
      (await invitations.deleteOne({ 'app.id': appId, id, 'app.role': { $in: [...withRoles] } })).deletedCount === 1,

    /** @throws {Gone} when the token is used or expired, or the inviter may not invite any more */
    async find(token: string): Promise<InvitationDocument> {
      const found = await invitations.findOne({ _id: hashToken(token), ...free() });
      if (!found || !(await holds(found))) throw gone();
      return found;
    },

    /**
     * Takes an invitation for one acceptance, also under parallel use, which ends with `end` or
     * `giveBack`. @throws {Gone} as `find` @throws {Unavailable} when the time is over
     */
    async take(token: string, until: Until): Promise<InvitationDocument> {
      const taken = await take(hashToken(token), until);
      if (!taken) throw gone();
      return taken;
    },

    listFor: (email: string): Promise<InvitationDocument[]> =>
      invitations.find({ email, ...free() }, { limit: MAX_INVITATIONS }),

    /** Takes an invitation of a proved email; undefined where `take` throws {@link Gone}. */
    takeStored: ({ _id }: InvitationDocument, until: Until): Promise<InvitationDocument | undefined> =>
      take(_id, until),

    /** Removes an invitation that was accepted. */
    async end({ _id }: InvitationDocument): Promise<void> {
      await invitations.deleteOne({ _id });
    },

    /** Opens a taken invitation again, unless it was withdrawn, replaced or erased meanwhile. */
    async giveBack({ _id, takenBy }: InvitationDocument): Promise<void> {
      if (takenBy) await invitations.updateOne({ _id, takenBy }, { $unset: { takenBy: 1 } });
    },

    /**
     * Withdraws the invitations that an account sent: all, or those to one app.
     * @throws {Unavailable} when the time is over
     */
    async withdrawBy(invitedBy: ObjectId, until: Until, appId?: ObjectId): Promise<void> {
      const inTime = beginsBefore(await until());
      await invitations.deleteMany({ invitedBy, ...(appId && { 'app.id': appId }), ...inTime });
    },

    /** Removes the invitations to an email. @throws {Unavailable} when the time is over */
    async forget(email: string, until: Until): Promise<void> {
      await invitations.deleteMany({ email, ...beginsBefore(await until()) });
    },

    async endFirstLinks(): Promise<void> {
      await invitations.deleteMany({ email: { $exists: false } });
    },
  };
}

const gone = (): Gone => new Gone('invitationUsed');
