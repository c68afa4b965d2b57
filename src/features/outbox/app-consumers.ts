import type { Filter, ObjectId, UpdateFilter } from 'mongodb';
import type { AppDocument } from '../../core/apps/app.ts';
import type { AppPart } from '../../core/apps/app-part.ts';
import type { AppModel } from '../../core/apps/apps.model.ts';
import type { AppRevision } from '../../core/apps/revision.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import { lookup } from '../../platform/database/lookups.ts';
import type { MembersOf } from '../../platform/database/mongoose.ts';

const members = { consumers: [String] } as const;

declare module '../../core/apps/app.ts' {
  interface AppDocument extends MembersOf<typeof members> {}
  interface App {
    /** Whether events of its records are stored (spec 6). */
    hasConsumers?: boolean;
  }
}

export const consumersPart: AppPart = {
  members,
  // The job that relays events.
  indexes: [[{ consumers: 1 }, { sparse: true }]],
  read: ({ consumers = [] }) => ({ hasConsumers: consumers.length > 0 }),
};

export type AppConsumers = ReturnType<typeof createAppConsumers>;

/** While an app has consumers, each write of a record stores its event (outbox.ts). */
export function createAppConsumers(apps: AppModel, revision: Pick<AppRevision, 'publish'>) {
  /** Resolves with whether the filter matched. */
  async function update(filter: Filter<AppDocument>, change: UpdateFilter<AppDocument>): Promise<boolean> {
    const { matchedCount, modifiedCount } = await apps.updateOne(filter, change);
    if (modifiedCount > 0) await revision.publish();
    return matchedCount === 1;
  }

  return {
    /**
     * Adds a consumer by a name unique in the app; then every server stores the app's events.
     * @throws {Unavailable} when the time is over, and when the app is gone
     */
    async add(appId: ObjectId, consumer: string, until: Until): Promise<void> {
      const inTime = { _id: appId, ...beginsBefore(await until()) };
      if (!(await update(inTime, { $addToSet: { consumers: consumer } }))) throw new Unavailable();
    },

    /**
     * Removes a consumer. Without any, servers stop storing events.
     * @param before by MongoDB's clock: a statement that begins later may meet a restored one
     */
    async remove(appId: ObjectId, consumer: string, before: Date): Promise<void> {
      await update({ _id: appId, ...beginsBefore(before) }, { $pull: { consumers: consumer } });
    },

    async hasAny(appId: ObjectId): Promise<boolean> {
      const filter = { _id: appId, 'consumers.0': { $exists: true } };
      return (await apps.findOne(filter, { projection: { _id: 1 } })) !== null;
    },

    /** Looks for an app with consumers. */
    any: lookup(apps.collection, { consumers: { $gt: '' } }),
  };
}
