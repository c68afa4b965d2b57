import type { ObjectId } from 'mongodb';
import type { AppCollection } from './apps.model.ts';
import type { AppRevision } from './revision.ts';

export type AppConsumers = ReturnType<typeof createAppConsumers>;

/** While an app has consumers, each write of a record stores its event (records/outbox.ts). */
export function createAppConsumers(apps: AppCollection, revision: Pick<AppRevision, 'publish'>) {
  return {
    /** Adds a consumer by a name unique in the app; then every server stores the app's events. */
    async add(appId: ObjectId, consumer: string): Promise<void> {
      const { modifiedCount } = await apps.updateOne({ _id: appId }, { $addToSet: { consumers: consumer } });
      if (modifiedCount > 0) await revision.publish();
    },

    /** Removes a consumer. Without any, servers stop storing events. */
    async remove(appId: ObjectId, consumer: string): Promise<void> {
      const { modifiedCount } = await apps.updateOne({ _id: appId }, { $pull: { consumers: consumer } });
      if (modifiedCount > 0) await revision.publish();
    },

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
