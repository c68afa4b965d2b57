import { ObjectId } from 'mongodb';
import { type AppModel, NOT_BEING_DELETED } from '../../core/apps/apps.model.ts';
import type { AppRevision } from '../../core/apps/revision.ts';
import { limitAttempts } from '../../platform/core/attempts.ts';
import { beginsBefore } from '../../platform/database/clock.ts';
import type { RemovalGuard } from '../../platform/database/removal.ts';
import type { PersonData } from '../people/person-data.ts';
import { withoutPerson, withoutVersion } from '../record-conditions/stored-conditions.ts';
import type { NotifyRoute } from './emails.ts';

const PROJECTION = { 'form.notify.routes': 1, 'form.revision': 1 } as const;

/** The routes of notifications whose conditions name a person by the email (spec 4.6). */
export function createPersonRoutes(apps: AppModel, revision: Pick<AppRevision, 'publish'>): PersonData {
  /** Resolves with the routes of an app, with the revision of its settings. */
  async function routesOf(_id: ObjectId): Promise<{ routes: NotifyRoute[]; stored: ObjectId } | undefined> {
    const app = await apps.findOne({ _id, ...NOT_BEING_DELETED }, { projection: PROJECTION });
    const { notify, revision: stored } = app?.form ?? {};
    return notify?.routes && stored ? { routes: notify.routes, stored } : undefined;
  }

  async function idsWithRoutes(appIds: readonly ObjectId[]): Promise<ObjectId[]> {
    const filter = { _id: { $in: [...appIds] }, 'form.notify.routes': { $exists: true } };
    return (await apps.find(filter, { projection: { _id: 1 } })).map(({ _id }) => _id);
  }

  return {
    name: 'conditions',

    async *entriesOf(appIds, email) {
      for (const appId of await idsWithRoutes(appIds)) {
        const { routes = [] } = (await routesOf(appId)) ?? {};
        const named = routes.filter((route) => withoutPerson(route.if, email));
        for (const route of named) yield { appId, shown: { kind: 'condition', if: withoutVersion(route.if) } };
      }
    },

    /** The routes stay, so that they match no other records than before. */
    async eraseOf(appIds, email, guard) {
      let erased = 0;
      for (const appId of await idsWithRoutes(appIds)) erased += await eraseIn(appId, email, guard);
      if (erased > 0) await revision.publish();
      return erased;
    },
  };

  async function eraseIn(_id: ObjectId, email: string, guard: RemovalGuard): Promise<number> {
    for (const again = limitAttempts(); ; again()) {
      const { routes = [], stored } = (await routesOf(_id)) ?? {};
      const changed = routes.map((route) => ({ route, kept: withoutPerson(route.if, email) }));
      const count = changed.filter(({ kept }) => kept).length;
      if (!stored || count === 0) return 0;
      const after = changed.map(({ route, kept }) => (kept ? { ...route, if: kept } : route));
      const filter = { _id, 'form.revision': stored, ...NOT_BEING_DELETED, ...beginsBefore(await guard()) };
      const update = { $set: { 'form.notify.routes': after, 'form.revision': new ObjectId() } };
      if ((await apps.updateOne(filter, update)).matchedCount > 0) return count;
    }
  }
}
