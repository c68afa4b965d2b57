import type { Types } from 'mongoose';
import type { AppCollection, Retention } from '../../apps/apps.model.ts';
import { AppNotFound, Conflict } from '../../core/errors.ts';

export type RetentionStore = ReturnType<typeof createRetentionStore>;

/** The retention settings in the documents of apps. An app that is being deleted has none. */
export function createRetentionStore(apps: AppCollection) {
  const live = { deletingSince: { $exists: false } };

  return {
    /** Resolves with the retention of an app; null: records are kept. @throws {NotFound} */
    async get(_id: Types.ObjectId): Promise<Retention | null> {
      const app = await apps.findOne({ _id, ...live }, { projection: { retention: 1 } });
      if (!app) throw new AppNotFound();
      return app.retention ?? null;
    },

    /**
     * Replaces the retention of an app, if it is still the one that was read when this began: an
     * update that arrives late must not erase by a setting that was replaced since.
     *
     * @throws {NotFound} @throws {Conflict} when it was replaced meanwhile
     */
    async replace(_id: Types.ObjectId, retention: Retention | null): Promise<void> {
      const app = await apps.findOne({ _id, ...live }, { projection: { retention: 1 } });
      if (!app) throw new AppNotFound();
      const update = retention ? { $set: { retention } } : { $unset: { retention: 1 as const } };
      const isUnchanged = { retention: app.retention ?? { $exists: false } };
      const { matchedCount } = await apps.updateOne({ _id, ...live, ...isUnchanged }, update);
      if (matchedCount === 0) throw new Conflict('The retention was changed meanwhile; look at it again');
    },

    /**
     * Resolves with the retention of an app; undefined: records are kept, or the app is deleted.
     */
    async of(_id: Types.ObjectId): Promise<Retention | undefined> {
      const app = await apps.findOne({ _id, ...live }, { projection: { retention: 1 } });
      return app?.retention;
    },

    /** Resolves with the ids of all apps whose records are erased for their age. */
    async appIds(): Promise<Types.ObjectId[]> {
      const filter = { 'retention.days': { $gt: 0 }, ...live };
      const found = await apps.find(filter, { projection: { _id: 1 } }).toArray();
      return found.map(({ _id }) => _id);
    },
  };
}
