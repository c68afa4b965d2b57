import type { ObjectId } from 'mongodb';
import type { AppCollection } from './apps.model.ts';
import type { AppRevision } from './revision.ts';

export type AppConsumers = ReturnType<typeof createAppConsumers>;

/**
 * Who listens to the events of an app. While somebody does, each write of a record stores its event
 * in the record (records/outbox.ts).
 */
export function createAppConsumers(apps: AppCollection, revision: Pick<AppRevision, 'publish'>) {
  return {
    /**
     * Adds a listener. Once this resolves, every server stores the events of the app.
     * @param consumer its name, unique in the app
     */
    async add(appId: ObjectId, consumer: string): Promise<void> {
      const { modifiedCount } = await apps.updateOne({ _id: appId }, { $addToSet: { consumers: consumer } });
      if (modifiedCount > 0) await revision.publish();
    },

    /** Removes a listener. Without any, servers stop to store events. */
    async remove(appId: ObjectId, consumer: string): Promise<void> {
      const { modifiedCount } = await apps.updateOne({ _id: appId }, { $pull: { consumers: consumer } });
      if (modifiedCount > 0) await revision.publish();
    },

    /** Whether somebody listens to the app. */
    async hasAny(appId: ObjectId): Promise<boolean> {
      const filter = { _id: appId, 'consumers.0': { $exists: true } };
      return (await apps.findOne(filter, { projection: { _id: 1 } })) !== null;
    },

    /** Whether somebody listens to any app. */
    async existAny(): Promise<boolean> {
      const found = await apps.findOne({ consumers: { $gt: '' } }, { projection: { _id: 1 } });
      return found !== null;
    },
  };
}
