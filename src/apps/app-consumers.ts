import type { ObjectId, UpdateFilter } from 'mongodb';
import type { AppDocument, AppModel } from './apps.model.ts';
import type { AppRevision } from './revision.ts';

export type AppConsumers = ReturnType<typeof createAppConsumers>;

/** While an app has consumers, each write of a record stores its event (records/outbox.ts). */
export function createAppConsumers(apps: AppModel, revision: Pick<AppRevision, 'publish'>) {
  async function update(appId: ObjectId, change: UpdateFilter<AppDocument>): Promise<void> {
    const { modifiedCount } = await apps.updateOne({ _id: appId }, change);
    if (modifiedCount > 0) await revision.publish();
  }

  return {
    /** Adds a consumer by a name unique in the app; then every server stores the app's events. */
    add: (appId: ObjectId, consumer: string) => update(appId, { $addToSet: { consumers: consumer } }),

    /** Removes a consumer. Without any, servers stop storing events. */
    remove: (appId: ObjectId, consumer: string) => update(appId, { $pull: { consumers: consumer } }),

    async hasAny(appId: ObjectId): Promise<boolean> {
      const filter = { _id: appId, 'consumers.0': { $exists: true } };
      return (await apps.findOne(filter, { projection: { _id: 1 } })) !== null;
    },

    async existAny(): Promise<boolean> {
      const found = await apps.findOne({ consumers: { $gt: '' } }, { projection: { _id: 1 } });
      return found !== null;
    },
  };
}
