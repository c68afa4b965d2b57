import type { ObjectId } from 'mongodb';
import type { SessionPrincipal } from '../../core/api/principal.ts';
import { limitAttempts } from '../../platform/core/attempts.ts';
import { Forbidden, NotFound, PreconditionFailed, Unauthenticated } from '../../platform/core/errors.ts';
import type { Until } from '../../platform/database/clock.ts';
import type { Guard } from '../../platform/database/guarded-insert.ts';
import type { RenameStore } from '../renames/rename-store.ts';
import type { PendingRenames } from '../renames/renames.ts';
import { findTarget, isCondition, type QuerySchema } from '../search/conditions.ts';
import { SHARED, type ViewContent, type ViewDocument, type ViewOwner, type ViewStore } from './views.model.ts';

type Caller = Pick<SessionPrincipal, 'account' | 'own' | 'scopes'>;

export type ViewService = ReturnType<typeof createViewService>;

/** The views of lists (spec 4.3.4). Shared ones are changed by who manages the app. */
export function createViewService(deps: {
  store: ViewStore;
  renamesSince: RenameStore['since'];
  accounts: {
    /** Matches an account that exists. */
    guard(id: ObjectId): Guard<{ _id: ObjectId }>;
    /** Removes what an account was given that was erased meanwhile. */
    settle(id: ObjectId): Promise<void>;
  };
}) {
  const { store, accounts, renamesSince } = deps;

  const guardOf = ({ accountId }: ViewOwner) => accountId && accounts.guard(accountId);

  async function find(appId: ObjectId, caller: Caller, id: string): Promise<ViewDocument> {
    const view = await store.find(appId, ownerOf(caller), id);
    if (!view) throw new NotFound('viewNotFound');
    if (view.owner === SHARED) requireManager(caller);
    return view;
  }

  /**
   * What a change of a view has to write: the view and the change under the keys of the later one
   * of their versions. Another server may have stored the view under a later version than the one
   * that this request has read.
   */
  async function contentOf(
    view: ViewDocument,
    change: Partial<ViewContent>,
    version: number,
  ): Promise<Partial<ViewContent> & { version: number }> {
    const { version: stored } = view;
    const target = Math.max(stored, version);
    const renames = stored === version ? [] : await renamesSince(view.appId, Math.min(stored, version));
    const known = renames.filter((rename) => rename.version <= target);
    return {
      ...underPresentKeys(view, known),
      ...change,
      ...underPresentKeys({ ...change, version }, known),
      version: target,
    };
  }

  return {
    /** Resolves with the shared views of an app and those of the caller, by name. */
    async list(appId: ObjectId, caller: Caller): Promise<ViewDocument[]> {
      const found = await store.list(appId, ownerOf(caller));
      if (found.length === 0) return [];
      const renames = await renamesSince(appId, Math.min(...found.map(({ version }) => version)));
      return found.map((view) => ({ ...view, ...underPresentKeys(view, renames) }));
    },

    /**
     * @param content under the keys of its `version` of the schema
     * @throws {Forbidden} when the caller may not share views
     * @throws {Conflict} when there are too many
     * @throws {Unauthenticated} when the account was erased meanwhile
     */
    async create(
      appId: ObjectId,
      caller: Caller,
      content: ViewContent & { shared: boolean; version: number },
    ): Promise<ViewDocument> {
      const { shared, ...rest } = content;
      if (shared) requireManager(caller);
      const owner = shared ? { owner: SHARED } : ownerOf(caller);
      const view = await store.add(appId, owner, rest, guardOf(owner));
      if (!owner.accountId) return view;
      await accounts.settle(owner.accountId);
      // The account may have been erased meanwhile.
      const stored = await store.find(appId, owner, view._id.toHexString());
      if (!stored) throw new Unauthenticated();
      return stored;
    },

    /**
     * Changes what `change` names; a view that is shared no longer is the caller's own.
     * @param version the one of the schema whose keys `change` has, and then the whole view
     * @param revisions the only states that may be changed; undefined: any
     * @throws {PreconditionFailed} when the view is in another state @throws {NotFound}
     */
    async change(
      appId: ObjectId,
      caller: Caller,
      id: string,
      change: Partial<ViewContent> & { shared?: boolean },
      version: number,
      until: Until,
      revisions?: readonly string[],
    ): Promise<ViewDocument> {
      const { shared, ...content } = change;
      for (const again = limitAttempts('viewChanging', 1); ; again()) {
        const view = await find(appId, caller, id);
        if (shared) requireManager(caller);
        if (revisions && !revisions.includes(view.revision.toHexString())) {
          throw new PreconditionFailed('viewChanged');
        }
        const isShared = shared ?? view.owner === SHARED;
        const owner = isShared ? { owner: SHARED } : ownerOf(caller);
        const changed = await store.change(view, await contentOf(view, content, version), owner, until);
        if (changed && owner.accountId) await accounts.settle(owner.accountId);
        if (changed) return changed;
      }
    },

    /** @throws {NotFound} @throws {Forbidden} when it is shared, and the caller does not manage */
    async remove(appId: ObjectId, caller: Caller, id: string, until: Until): Promise<void> {
      if (!(await store.remove(await find(appId, caller, id), until))) throw new NotFound('viewNotFound');
    },
  };
}

/** Without an account, the views belong to all who log in with the password of the same app. */
export function ownerOf({ account, own }: Caller): ViewOwner {
  if (account) return { owner: `account:${account.id.toHexString()}`, accountId: account.id };
  if (!own) throw new Error('a session without an account belongs to an app');
  return { owner: `login:${own.id.toHexString()}` };
}

function requireManager({ scopes }: Caller): void {
  if (!scopes.has('manage')) throw new Forbidden('viewsOfManagers');
}

/** Returns the parts of a view that name fields, with the keys after renames of later versions. */
function underPresentKeys(
  { version, query, columns, sort }: Partial<ViewContent> & Pick<ViewDocument, 'version'>,
  renames: readonly PendingRenames[],
): Partial<ViewContent> {
  const later = renames.filter((one) => one.version > version);
  if (later.length === 0) return {};
  const present = (path: string): string =>
    path.replace(/^data\.([^:]+)/, (_, key: string) => {
      const now = later.reduce((from, { pairs }) => pairs.find((pair) => pair.from === from)?.to ?? from, key);
      return `data.${now}`;
    });
  const parameters = [...new URLSearchParams(query)].map(([name, value]): [string, string] => [
    name,
    name === 'where' || name === 'by' ? present(value) : value,
  ]);
  return {
    ...(query !== undefined && { query: new URLSearchParams(parameters).toString() }),
    ...(columns && { columns: columns.map(present) }),
    ...(sort !== undefined && { sort: present(sort) }),
  };
}

/** The columns of lists besides those of fields. */
const OWN_COLUMNS: readonly string[] = ['email', 'createdAt', 'updatedAt', 'confirmedAt', 'schemaVersion'];

/** Returns the parts of a view that cannot be applied to a list of the newest schema. */
export function missingParts({ query, columns, sort }: ViewContent, schema: QuerySchema) {
  const keys = new Set(schema.fields.map(({ key }) => `data.${key}`));
  const path = sort.replace(/:(?:asc|desc)$/, '');
  const missing = {
    where: new URLSearchParams(query).getAll('where').filter((where) => !isCondition(where, schema)),
    columns: columns.filter((column) => !OWN_COLUMNS.includes(column) && !keys.has(column)),
    sort: sort === '' || findTarget(path, schema) ? [] : [sort],
  };
  return (['where', 'columns', 'sort'] as const).flatMap((part) => missing[part].map((value) => ({ part, value })));
}
