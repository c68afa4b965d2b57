import type { Document, Filter, ObjectId, UpdateFilter } from 'mongodb';
import { Conflict, Forbidden, Unavailable } from '../../platform/core/errors.ts';
import { type AppRole, rolesUpTo } from '../../platform/core/roles.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import { changing } from '../../platform/database/filters.ts';
import { say } from '../../platform/languages/reasons.ts';
import { type AccessDocument, type AccessModel, ADMINS, MAX_MEMBERS, type Member } from './accounts.model.ts';

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

const ACTIVE = { isSuspended: false };
const ACTIVE_MANAGER = { role: 'manager' as const, ...ACTIVE };
const GIVEN = { byGroups: { $exists: false } };
const LAST_MANAGER = 'lastManager';
const LAST_ADMIN = 'lastAdmin';
const SESSION_MEMBERSHIPS = 1_000;

const tooMany = (): Conflict => new Conflict(say('memberLimit', { max: MAX_MEMBERS }));

const withMember = (member: Filter<Member>): Filter<AccessDocument> => ({ members: { $elemMatch: member } });

export type AccessStore = ReturnType<typeof createAccessStore>;

/**
 * Members of apps, and admins. Each rule over all members of an app is a filter of one update. A
 * new member counts for no rule until `activate` says that its account is active.
 */
export function createAccessStore(access: AccessModel) {
  const update = async (filter: Filter<AccessDocument>, change: UpdateFilter<AccessDocument>): Promise<boolean> =>
    (await access.updateOne(filter, change)).matchedCount === 1;

  const exists = async (filter: Filter<AccessDocument>): Promise<boolean> =>
    (await access.findOne(filter, { projection: { _id: 1 } })) !== null;

  /**
   * Matches the admins if one stays when entries of an account end, or are suspended: if the
   * account has no active entry that ends, or if another active one exists.
   */
  const withAdminLeft = (account: ObjectId, ends: Filter<Member> = {}, stays?: Filter<Member>) => {
    const isCounted = withMember({ ...ends, account, ...ACTIVE });
    const others = [{ account: { $ne: account }, ...ACTIVE }, ...(stays ? [{ ...stays, account, ...ACTIVE }] : [])];
    return { _id: ADMINS, $or: [{ $nor: [isCounted] }, ...others.map(withMember)] };
  };

  /** Says of the entries of an account whether they count, unless a later epoch has said it. */
  const markOf = (account: ObjectId, isSuspended: boolean, epoch: number, which: Document = {}) => ({
    change: { $set: { 'members.$[one].isSuspended': isSuspended, 'members.$[one].epoch': epoch } },
    options: { arrayFilters: [{ 'one.account': account, 'one.epoch': { $not: { $gt: epoch } }, ...which }] },
  });

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
  async function put(
    _id: string,
    member: Pick<Member, 'account' | 'role' | 'byGroups'>,
    until: Until,
    app?: MemberApp,
  ): Promise<void> {
    const { account, role, byGroups } = member;
    const inTime = beginsBefore(await until());
    await ensure(_id, app);
    const own = { account, ...(byGroups ? { byGroups } : GIVEN) };
    const upTo: Member['role'][] = role === 'admin' ? [role] : rolesUpTo(role);
    const sameOrLower = withMember({ ...own, role: { $in: upTo } });
    if (await update({ _id, ...sameOrLower, ...inTime }, { $set: { 'members.$.role': role } })) return;
    const free = byGroups ? {} : { [`members.${MAX_MEMBERS - 1}`]: { $exists: false } };
    const added = { ...member, addedAt: new Date(), isSuspended: true };
    if (await update({ _id, $nor: [withMember(own)], ...free, ...inTime }, { $push: { members: added } })) return;
    const { members = [] } = (await access.findOne({ _id })) ?? {};
    const found = members.find((one) => one.account.equals(account) && one.byGroups === byGroups);
    // A member with a higher role keeps it.
    if (found && !upTo.includes(found.role)) return;
    // The time was over, or another change came between.
    if (found || members.length < MAX_MEMBERS) throw new Unavailable();
    throw tooMany();
  }

  return {
    /**
     * Resolves with the access of an account to one app, or to all of its apps. Reads the database,
     * so that a removal is in force on every server at once.
     */
    async read(account: ObjectId, sourceAppId?: string): Promise<Access> {
      const named = sourceAppId === undefined ? {} : { $or: [{ _id: ADMINS }, { sourceAppId }] };
      const projection = { appId: 1, sourceAppId: 1, ...withMember({ account, ...GIVEN }) };
      const options = { projection, limit: SESSION_MEMBERSHIPS };
      const found = await access.find({ 'members.account': account, ...named }, options);
      const memberships = found.flatMap(({ appId, sourceAppId: name, members: [member] = [] }) =>
        appId && name !== undefined && member && member.role !== 'admin'
          ? [{ appId, sourceAppId: name, role: member.role }]
          : [],
      );
      memberships.sort((a, b) => (a.sourceAppId < b.sourceAppId ? -1 : 1));
      return { isAdmin: found.some(({ _id, members = [] }) => _id === ADMINS && members.length > 0), memberships };
    },

    members: async (appId: ObjectId): Promise<Member[]> =>
      (await access.findOne({ _id: appId.toHexString() }))?.members ?? [],

    /** @throws {Conflict} when the app has as many members as it may have */
    async requirePlace(appId: ObjectId): Promise<void> {
      const isFull = { [`members.${MAX_MEMBERS - 1}`]: { $exists: true } };
      if (await exists({ _id: appId.toHexString(), ...isFull })) throw tooMany();
    },

    /** Resolves with those who were given the role, also suspended ones. */
    admins: async (): Promise<Member[]> =>
      ((await access.findOne({ _id: ADMINS }))?.members ?? []).filter(({ byGroups }) => !byGroups),

    putMember: (app: MemberApp, account: ObjectId, role: AppRole, until: Until): Promise<void> =>
      put(app.id.toHexString(), { account, role }, until, app),

    putAdmin: (account: ObjectId, until: Until): Promise<void> => put(ADMINS, { account, role: 'admin' }, until),

    /**
     * Replaces a member's role, or removes the member (`undefined`). Resolves with the replaced
     * role, undefined when the account is no member.
     * @throws {Conflict} for the last manager of an app without shared log-in
     * @throws {Forbidden} for a manager when the caller may not change one
     */
    async changeMember(
      appId: ObjectId,
      account: ObjectId,
      role: AppRole | undefined,
      { changesManagers, until }: { changesManagers: boolean; until: Until },
    ): Promise<Member['role'] | undefined> {
      const _id = appId.toHexString();
      const another = { $elemMatch: { ...ACTIVE_MANAGER, account: { $ne: account } } };
      const anyMember = role === 'manager' ? [{}] : [{ sharedLogin: { $ne: false } }, { members: another }];
      // A member who is no manager can always be changed.
      const lesser = { members: { $elemMatch: { account, role: { $ne: 'manager' as const } } } };
      const filter = {
        _id,
        'members.account': account,
        $or: changesManagers ? [lesser, ...anyMember] : [lesser],
        ...beginsBefore(await until()),
      };
      const change: UpdateFilter<AccessDocument> =
        role === undefined ? { $pull: { members: { account } } } : { $set: { 'members.$[one].role': role } };
      const arrayFilters = role === undefined ? {} : { arrayFilters: [{ 'one.account': account }] };
      const projection = { members: { $elemMatch: { account } } };
      const options = { ...arrayFilters, projection, returnDocument: 'before' as const };
      const [before] = (await access.findOneAndUpdate(filter, change, options))?.members ?? [];
      if (before) return before.role;
      if (!(await exists({ _id, 'members.account': account }))) return undefined;
      if (!changesManagers) throw new Forbidden('managerIsProtected');
      throw new Conflict(LAST_MANAGER);
    },

    /**
     * Ends the admin role that was given to an account. @throws {Conflict} for the last active
     * admin
     */
    async removeAdmin(account: ObjectId, until: Until): Promise<void> {
      const given = { account, ...GIVEN };
      const own = withMember(given);
      const filter = { ...withAdminLeft(account, GIVEN, { byGroups: true }), ...own, ...beginsBefore(await until()) };
      if (await update(filter, changing<AccessDocument>({ $pull: { members: given } }))) return;
      if (await exists({ _id: ADMINS, ...own })) throw new Conflict(LAST_ADMIN);
    },

    /** Notes that groups make an account an admin, so that another admin may go. */
    joinByGroups: (account: ObjectId, until: Until): Promise<void> =>
      put(ADMINS, { account, role: 'admin', byGroups: true }, until),

    /** Takes back what `joinByGroups` noted of an account that did not become an admin. */
    retractByGroups: (account: ObjectId): Promise<boolean> =>
      update({ _id: ADMINS }, { $pull: { members: { account, byGroups: true } } }),

    /** Resolves with false when groups made an account an admin and it is the last active one. */
    async leaveByGroups(account: ObjectId): Promise<boolean> {
      const own = withMember({ account, byGroups: true });
      const filter = { ...withAdminLeft(account, { byGroups: true }, GIVEN), ...own };
      const left = await update(filter, { $pull: { members: { account, byGroups: true } } });
      return left || !(await exists({ _id: ADMINS, ...own }));
    },

    /**
     * Counts an account no more as an admin or manager who stays, by a suspension of this epoch.
     * @throws {Conflict} for the last active admin
     */
    async suspend(account: ObjectId, epoch: number, until: Until): Promise<void> {
      const { change, options } = markOf(account, true, epoch);
      const own = { 'members.account': account };
      const filter = { ...withAdminLeft(account), ...own, ...beginsBefore(await until()) };
      const isAdmin = (await access.updateOne(filter, change, options)).matchedCount === 1;
      if (!isAdmin && (await exists({ _id: ADMINS, ...own }))) throw new Conflict(LAST_ADMIN);
      await access.updateMany({ _id: { $ne: ADMINS }, ...own }, change, options);
    },

    /**
     * Counts the roles that were given to an account, or the one by groups. It was active at this
     * epoch.
     */
    async activate(account: ObjectId, epoch: number, by: 'gift' | 'groups' = 'gift'): Promise<void> {
      const which = { 'one.byGroups': by === 'groups' ? true : { $ne: true } };
      const { change, options } = markOf(account, false, epoch, which);
      await access.updateMany({ 'members.account': account }, change, options);
    },

    /** Removes all that an account was given that does not exist any more. */
    async forget(account: ObjectId): Promise<void> {
      await access.updateMany({ 'members.account': account }, { $pull: { members: { account } } });
    },

    listByGroups: async (): Promise<ObjectId[]> =>
      ((await access.findOne({ _id: ADMINS }))?.members ?? []).flatMap(({ account, byGroups }) =>
        byGroups ? [account] : [],
      ),

    /**
     * Removes an erased account everywhere. @throws {Conflict} when an app or the service needs it
     */
    async removeEverywhere(account: ObjectId, until: Until): Promise<void> {
      // Before the first removal, so that a refused erasure changes nothing.
      const others = { $elemMatch: { ...ACTIVE_MANAGER, account: { $ne: account } } };
      const manager = { $elemMatch: { role: 'manager' as const, account } };
      const needed = { sharedLogin: false, $and: [{ members: manager }, { members: { $not: others } }] };
      if (await exists(needed)) throw new Conflict(LAST_MANAGER);
      const own = { 'members.account': account };
      const filter = { ...withAdminLeft(account), ...own, ...beginsBefore(await until()) };
      const wasAdmin = await update(filter, { $pull: { members: { account } } });
      if (!wasAdmin && (await exists({ _id: ADMINS, ...own }))) throw new Conflict(LAST_ADMIN);
      // By the collection: a cursor.
      for await (const { appId } of access.collection.find({ 'members.account': account, _id: { $ne: ADMINS } })) {
        if (appId) await this.changeMember(appId, account, undefined, { changesManagers: true, until });
      }
    },

    /**
     * Allows or refuses the app's password; resolves with whether it was allowed, and the epoch
     * that the copy in the app's document has to have.
     * @throws {Conflict} when the app has no manager
     */
    async setSharedLogin(
      app: MemberApp,
      enabled: boolean,
      until: Until,
    ): Promise<{ wasAllowed: boolean; epoch: number }> {
      const _id = app.id.toHexString();
      const inTime = beginsBefore(await until());
      await ensure(_id, app);
      const isAllowed = enabled ? {} : { members: { $elemMatch: ACTIVE_MANAGER } };
      const changed = await access.findOneAndUpdate(
        { _id, ...isAllowed, ...inTime },
        { $set: { sharedLogin: enabled }, $inc: { sharedLoginEpoch: 1 } },
        { returnDocument: 'before', projection: { sharedLogin: 1, sharedLoginEpoch: 1 } },
      );
      if (!changed) throw new Conflict('noManager');
      return { wasAllowed: changed.sharedLogin !== false, epoch: (changed.sharedLoginEpoch ?? 0) + 1 };
    },
  };
}
