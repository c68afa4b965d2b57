import type { AppService } from '../../core/apps/apps.service.ts';
import type { RoleRule } from '../../platform/core/config.ts';
import { type AppRole, higherRole } from '../../platform/core/roles.ts';
import type { Access, AccessStore, Membership } from './access.ts';
import type { AccountDocument } from './accounts.model.ts';

export type Roles = ReturnType<typeof createRoles>;

/**
 * What an account may do: what was given to it, and what the groups of its provider give (spec
 * 4.13.4). Groups are stored and the rules are not, so that other rules hold from the next start.
 */
export function createRoles(
  access: Pick<AccessStore, 'admins' | 'read'>,
  apps: Pick<AppService, 'find'>,
  rules: readonly RoleRule[],
) {
  const known = new Set(rules.map(({ group }) => group));

  const isAdminBy = (groups: readonly string[] = []): boolean =>
    rules.some((rule) => 'admin' in rule && groups.includes(rule.group));

  function rolesBy(groups: readonly string[] = [], named?: string): Map<string, AppRole> {
    const found = new Map<string, AppRole>();
    for (const rule of rules) {
      if ('admin' in rule || !groups.includes(rule.group)) continue;
      const { sourceAppId, role } = rule;
      if (named !== undefined && sourceAppId !== named) continue;
      found.set(sourceAppId, higherRole(role, found.get(sourceAppId) ?? role));
    }
    return found;
  }

  return {
    isAdminBy,

    /** Resolves with a function that returns whether an account is an admin. */
    async findAdmins(): Promise<(account: Pick<AccountDocument, '_id' | 'groups'>) => boolean> {
      const given = new Set((await access.admins()).map(({ account }) => account.toHexString()));
      return ({ _id, groups }) => given.has(_id.toHexString()) || isAdminBy(groups?.names);
    },

    /** Returns the groups that give a role. */
    known: (groups: readonly string[]): string[] => [...new Set(groups)].filter((group) => known.has(group)),

    adminGroups: (groups: readonly string[]): string[] => groups.filter((group) => isAdminBy([group])),

    /** Returns the role that an account has in an app by its groups. */
    roleBy: (groups: readonly string[] | undefined, sourceAppId: string): AppRole | undefined =>
      rolesBy(groups, sourceAppId).get(sourceAppId),

    groupsOf: (sourceAppId: string): string[] =>
      rules.flatMap((rule) => ('sourceAppId' in rule && rule.sourceAppId === sourceAppId ? [rule.group] : [])),

    /** Resolves with the access of an account to one app, or to all of its apps that exist. */
    async read({ _id, groups }: Pick<AccountDocument, '_id' | 'groups'>, named?: string): Promise<Access> {
      const given = await access.read(_id, named);
      if (!groups || groups.names.length === 0) return given;
      const byGroups = rolesBy(groups.names, named);
      const memberships: Membership[] = given.memberships.map((membership) => {
        const role = byGroups.get(membership.sourceAppId);
        byGroups.delete(membership.sourceAppId);
        return role === undefined ? membership : { ...membership, role: higherRole(role, membership.role) };
      });
      for (const [sourceAppId, role] of byGroups) {
        if (await apps.find(sourceAppId)) memberships.push({ sourceAppId, role });
      }
      memberships.sort((a, b) => (a.sourceAppId < b.sourceAppId ? -1 : 1));
      return { isAdmin: given.isAdmin || isAdminBy(groups.names), memberships };
    },
  };
}
