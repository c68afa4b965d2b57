import { Types } from 'mongoose';
import { AppNotFound } from '../core/errors.ts';
import { type App, toApp } from './app.ts';
import type { AppCollection, DeletedAppCollection } from './apps.model.ts';
import { type AppPageRequest, findAppPage } from './listing/app-page.ts';

/**
 * The state of an incarnation that existed earlier:
 * - `live`: it exists, possibly under another `sourceAppId`;
 * - `deleting`: its deletion has begun;
 * - `deleted`: it has a tombstone;
 * - `missing`: it has neither document nor tombstone, after a manual edit or during a restore.
 *   Nothing may be removed for a missing app (invariant 8).
 */
export type AppState = 'live' | 'deleting' | 'deleted' | 'missing';

/** Reads apps (spec 2.2 and 4.4). An app in creation or deletion counts as absent. */
export function createAppLookup({ apps, deletedApps }: { apps: AppCollection; deletedApps: DeletedAppCollection }) {
  async function find(sourceAppId: string, readConcern: 'local' | 'majority' = 'local'): Promise<App | undefined> {
    const found = await apps.findOne({ sourceAppId, deletingSince: { $exists: false } }, { readConcern });
    return found ? toApp(found) : undefined;
  }

  return {
    /** Resolves with the app of that id, or undefined. */
    find,

    /** Resolves with the app of that id. @throws {NotFound} */
    async get(sourceAppId: string): Promise<App> {
      const app = await find(sourceAppId);
      if (!app) throw new AppNotFound();
      return app;
    },

    /**
     * Resolves with the state of an incarnation. While it is `deleting`, the deletion's last
     * removal of records has not run yet.
     */
    async stateOf(_id: Types.ObjectId): Promise<AppState> {
      const app = await apps.findOne({ _id }, { projection: { deletingSince: 1 } });
      if (app) return app.deletingSince ? 'deleting' : 'live';
      // Read after the app, because a deletion writes the tombstone before it removes the app.
      const tombstone = await deletedApps.findOne({ _id }, { readConcern: 'majority' });
      return tombstone ? 'deleted' : 'missing';
    },

    /**
     * Resolves with the app of a session, or undefined when the app is deleted or its password has
     * changed.
     * @param id the app's `_id`, as hexadecimal text
     */
    async findBySession(id: string, credentialId: string): Promise<App | undefined> {
      const _id = new Types.ObjectId(id);
      const found = await apps.findOne({ _id, credentialId, deletingSince: { $exists: false } });
      return found ? toApp(found) : undefined;
    },

    /** Resolves with an incarnation of an app, or undefined when it does not exist any more. */
    async findById(_id: Types.ObjectId): Promise<App | undefined> {
      const found = await apps.findOne({ _id, deletingSince: { $exists: false } });
      return found ? toApp(found) : undefined;
    },

    /** Yields all apps, ordered by `sourceAppId`, from a cursor. */
    async *list(): AsyncGenerator<App> {
      const found = apps.find({ deletingSince: { $exists: false } }).sort({ sourceAppId: 1 });
      for await (const app of found) yield toApp(app);
    },

    /** Resolves with a page of apps (spec 4.4). */
    async page(request: AppPageRequest): Promise<App[]> {
      return (await findAppPage(apps, request)).map(toApp);
    },

    /** Resolves with those of the named apps that exist, ordered by `sourceAppId`. */
    async named(names: readonly string[]): Promise<App[]> {
      const filter = { sourceAppId: { $in: [...names] }, deletingSince: { $exists: false } };
      return (await apps.find(filter).sort({ sourceAppId: 1 }).toArray()).map(toApp);
    },

    /** Resolves with the ids of at most `count` apps, ascending, after `after`. */
    async idsAfter(after: Types.ObjectId | undefined, count: number): Promise<Types.ObjectId[]> {
      const filter = { deletingSince: { $exists: false }, ...(after && { _id: { $gt: after } }) };
      const found = await apps
        .find(filter, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .limit(count)
        .toArray();
      return found.map(({ _id }) => _id);
    },

    /** Resolves with the `sourceAppId` of each of these apps, by its id in hexadecimal. */
    async namesOf(ids: readonly Types.ObjectId[]): Promise<Map<string, string>> {
      const found = await apps.find({ _id: { $in: [...ids] } }, { projection: { sourceAppId: 1 } }).toArray();
      return new Map(found.map(({ _id, sourceAppId }) => [_id.toHexString(), sourceAppId]));
    },
  };
}
