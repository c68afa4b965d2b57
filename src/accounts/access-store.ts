import type { Filter, ObjectId, UpdateFilter } from 'mongodb';
import { Conflict, Forbidden } from '../core/errors.ts';
import { type AppRole, rolesUpTo } from '../core/roles.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { type AccessCollection, type AccessDocument, ADMINS, MAX_MEMBERS, type Member } from './accounts.model.ts';

export interface Membership {
  /** Absent for a role that groups give: they name the app. */
  appId?: ObjectId;
  sourceAppId: string;
  role: AppRole;
}

/**
 * What an account may do by what was given to it: as an admin, and in the named app or in its
 * apps.
 */
export interface Access {
  isAdmin: boolean;
  memberships: Membership[];
}

interface MemberApp {
  id: ObjectId;
  sourceAppId: string;
}

const ACTIVE_MANAGER = { role: 'manager' as const, isSuspended: { $ne: true } };
const LAST_MANAGER = 'The last manager stays while the app has no shared log-in';
const LAST_ADMIN = 'The last active admin stays';
const SESSION_MEMBERSHIPS = 1_000;

export type AccessStore = ReturnType<typeof createAccessStore>;

/** Members of apps, and admins. Each rule over all members of an app is a filter of one update. */
export function createAccessStore(access: AccessCollection) {
  const update = async (filter: Filter<AccessDocument>, change: UpdateFilter<AccessDocument>): Promise<boolean> =>
    (await access.updateOne(filter, change)).matchedCount === 1;

  const exists = async (filter: Filter<AccessDocument>): Promise<boolean> =>
    (await access.findOne(filter, { projection: { _id: 1 } })) !== null;

  /** The conditions of which one holds while another admin is active. */
  const anotherAdmin = (account: ObjectId): Filter<AccessDocument>[] => [
    { members: { $elemMatch: { account: { $ne: account } } } },
    { byGroups: { $elemMatch: { $ne: account } } },
  ];

  /**
   * Ends what makes an account an admin while `condition` holds. A given role is kept in
   * `suspended`.
   */
  async function suspend(account: ObjectId, condition: Filter<AccessDocument>): Promise<boolean> {
    const $pull = { members: { account }, byGroups: account };
    const given = { _id: ADMINS, 'members.account': account, ...condition };
    const hadRole = await update(given, { $pull, $addToSet: { suspended: account } });
    const hadGroups = await update({ _id: ADMINS, byGroups: account, ...condition }, { $pull });
    return hadRole || hadGroups;
  }

  const markMemberships = async (account: ObjectId, isSuspended: boolean): Promise<void> => {
    const change = { $set: { 'members.$[one].isSuspended': isSuspended } };
    const filter = { 'members.account': account, _id: { $ne: ADMINS } };
    await access.updateMany(filter, change, { arrayFilters: [{ 'one.account': account }] });
  };

  /** Creates the document of an app, or of the admins, unless it exists. */
  async function ensure(_id: string, app?: MemberApp): Promise<void> {
    const named = app && { appId: app.id, sourceAppId: app.sourceAppId };
    const created = { ...named, createdAt: new Date(), members: [] };
    try {
      await access.updateOne({ _id }, { $setOnInsert: created }, { upsert: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  /** Adds a member, or raises its role. @throws {Conflict} when there are too many */
  async function put(_id: string, account: ObjectId, role: Member['role'], app?: MemberApp): Promise<void> {
    await ensure(_id, app);
    const upTo = role === 'admin' ? [role] : rolesUpTo(role);
    const sameOrLower = { members: { $elemMatch: { account, role: { $in: upTo } } } };
    if (await update({ _id, ...sameOrLower }, { $set: { 'members.$.role': role } })) return;
    const free = { [`members.${MAX_MEMBERS - 1}`]: { $exists: false } };
    const member = { account, role, addedAt: new Date() };
    if (await update({ _id, 'members.account': { $ne: account }, ...free }, { $push: { members: member } })) return;
    // A member with a higher role keeps it.
    if (await exists({ _id, 'members.account': account })) return;
    throw new Conflict(`An app has at most ${MAX_MEMBERS} members`);
  }

  return {
    /**
     * Resolves with the access of an account to one app, or to all of its apps. Reads the database,
     * so that a removal is in force on every server at once.
     */
    async read(account: ObjectId, sourceAppId?: string): Promise<Access> {
      const named = sourceAppId === undefined ? {} : { $or: [{ _id: ADMINS }, { sourceAppId }] };
      const projection = { appId: 1, sourceAppId: 1, members: { $elemMatch: { account } } };
      const found = await access
        .find({ 'members.account': account, ...named }, { projection, limit: SESSION_MEMBERSHIPS })
        .toArray();
      const memberships = found.flatMap(({ appId, sourceAppId: name, members: [member] }) =>
        appId && name !== undefined && member && member.role !== 'admin'
          ? [{ appId, sourceAppId: name, role: member.role }]
          : [],
      );
      memberships.sort((a, b) => (a.sourceAppId < b.sourceAppId ? -1 : 1));
      return { isAdmin: found.some(({ _id }) => _id === ADMINS), memberships };
    },

    members: async (appId: ObjectId): Promise<Member[]> =>
      (await access.findOne({ _id: appId.toHexString() }))?.members ?? [],

    admins: async (): Promise<Member[]> => (await access.findOne({ _id: ADMINS }))?.members ?? [],

    putMember: (app: MemberApp, account: ObjectId, role: AppRole): Promise<void> =>
      put(app.id.toHexString(), account, role, app),

    putAdmin: (account: ObjectId): Promise<void> => put(ADMINS, account, 'admin'),

    /**
     * Replaces a member's role, or removes the member (`undefined`). Resolves with false when the
     * account is no member. @throws {Conflict} for the last manager of an app without shared log-in
     * @throws {Forbidden} for a manager when the caller may not change one
     */
    async changeMember(
      appId: ObjectId,
      account: ObjectId,
      role: AppRole | undefined,
      { changesManagers }: { changesManagers: boolean },
    ): Promise<boolean> {
      const _id = appId.toHexString();
      const another = { $elemMatch: { ...ACTIVE_MANAGER, account: { $ne: account } } };
      const anyMember = role === 'manager' ? [{}] : [{ sharedLogin: { $ne: false } }, { members: another }];
      // A member who is no manager can always be changed.
      const lesser = { members: { $elemMatch: { account, role: { $ne: 'manager' as const } } } };
      const filter = { _id, 'members.account': account, $or: changesManagers ? [lesser, ...anyMember] : [lesser] };
      const change: UpdateFilter<AccessDocument> =
        role === undefined ? { $pull: { members: { account } } } : { $set: { 'members.$[one].role': role } };
      const arrayFilters = role === undefined ? {} : { arrayFilters: [{ 'one.account': account }] };
      if ((await access.updateOne(filter, change, arrayFilters)).matchedCount === 1) return true;
      if (!(await exists({ _id, 'members.account': account }))) return false;
      if (!changesManagers) throw new Forbidden('Only managers and admins may change a manager');
      throw new Conflict(LAST_MANAGER);
    },

    /**
     * Ends the admin role that was given to an account. @throws {Conflict} for the last active
     * admin
     */
    async removeAdmin(account: ObjectId): Promise<void> {
      const stays = { $or: [...anotherAdmin(account), { byGroups: account }] };
      const given = { _id: ADMINS, 'members.account': account };
      if (await update({ ...given, ...stays }, { $pull: { members: { account } } })) return;
      if (await exists(given)) throw new Conflict(LAST_ADMIN);
      await update({ _id: ADMINS }, { $pull: { suspended: account } });
    },

    /** Ends the admin role of an account until its suspension ends. @throws as `removeAdmin` */
    async suspendAdmin(account: ObjectId): Promise<void> {
      if (await suspend(account, { $or: anotherAdmin(account) })) return;
      const own = { $or: [{ 'members.account': account }, { byGroups: account }] };
      if (await exists({ _id: ADMINS, ...own })) throw new Conflict(LAST_ADMIN);
    },

    /** Notes that groups make an account an admin, so that another admin may go. */
    async joinByGroups(account: ObjectId): Promise<void> {
      await ensure(ADMINS);
      await update({ _id: ADMINS, byGroups: { $ne: account } }, { $addToSet: { byGroups: account } });
    },

    /** Takes back what `joinByGroups` noted of an account that did not become an admin. */
    retractByGroups: (account: ObjectId): Promise<boolean> =>
      update({ _id: ADMINS, byGroups: account }, { $pull: { byGroups: account } }),

    /** Resolves with false when groups made an account an admin and it is the last active one. */
    async leaveByGroups(account: ObjectId): Promise<boolean> {
      const stays = { $or: [...anotherAdmin(account), { 'members.account': account }] };
      const own = { _id: ADMINS, byGroups: account };
      return (await update({ ...own, ...stays }, { $pull: { byGroups: account } })) || !(await exists(own));
    },

    /** What a suspended account was given counts for nobody until the suspension ends. */
    async suspendRoles(account: ObjectId): Promise<void> {
      await suspend(account, {});
      await markMemberships(account, true);
    },

    /** Gives back what `suspendRoles` and `suspendAdmin` took. */
    async resumeRoles(account: ObjectId): Promise<void> {
      const member = { account, role: 'admin' as const, addedAt: new Date() };
      const filter = { _id: ADMINS, suspended: account, 'members.account': { $ne: account } };
      await update(filter, { $pull: { suspended: account }, $push: { members: member } });
      await markMemberships(account, false);
    },

    /** Removes all that an account was given that does not exist any more. */
    async forget(account: ObjectId): Promise<void> {
      await access.updateMany({ 'members.account': account }, { $pull: { members: { account } } });
      const $pull = { byGroups: account, suspended: account };
      await update({ _id: ADMINS, $or: [{ byGroups: account }, { suspended: account }] }, { $pull });
    },

    listByGroups: async (): Promise<ObjectId[]> => (await access.findOne({ _id: ADMINS }))?.byGroups ?? [],

    /**
     * Removes an erased account everywhere. @throws {Conflict} when an app or the service needs it
     */
    async removeEverywhere(account: ObjectId): Promise<void> {
      // Before the first removal, so that a refused erasure changes nothing.
      const others = { $elemMatch: { ...ACTIVE_MANAGER, account: { $ne: account } } };
      const own = { $elemMatch: { role: 'manager' as const, account } };
      const needed = { sharedLogin: false, $and: [{ members: own }, { members: { $not: others } }] };
      if (await exists(needed)) throw new Conflict(LAST_MANAGER);
      await this.suspendAdmin(account);
      await this.removeAdmin(account);
      for await (const { appId } of access.find({ 'members.account': account, _id: { $ne: ADMINS } })) {
        if (appId) await this.changeMember(appId, account, undefined, { changesManagers: true });
      }
    },

    sharedLogin: async (appId: ObjectId): Promise<boolean> =>
      (await access.findOne({ _id: appId.toHexString() }, { projection: { sharedLogin: 1 } }))?.sharedLogin ?? true,

    /**
     * Allows or refuses the app's password; resolves with the epoch that the copy in the app's
     * document has to have. @throws {Conflict} when the app has no manager
     */
    async setSharedLogin(app: MemberApp, enabled: boolean): Promise<number> {
      const _id = app.id.toHexString();
      await ensure(_id, app);
      const isAllowed = enabled ? {} : { members: { $elemMatch: ACTIVE_MANAGER } };
      const changed = await access.findOneAndUpdate(
        { _id, ...isAllowed },
        { $set: { sharedLogin: enabled }, $inc: { sharedLoginEpoch: 1 } },
        { returnDocument: 'after', projection: { sharedLoginEpoch: 1 } },
      );
      if (!changed) throw new Conflict('The app has no manager yet: invite one first');
      return changed.sharedLoginEpoch ?? 0;
    },
  };
}
