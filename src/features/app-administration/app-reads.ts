import type { ObjectId } from 'mongodb';
import type { App } from '../../core/apps/app.ts';
import { NOT_BEING_DELETED } from '../../core/apps/apps.model.ts';
import type { Apps } from '../../core/apps/apps.ts';

export type AppReads = ReturnType<typeof createAppReads>;

/** Reads several apps at a time. */
export const createAppReads = ({ model, parts: { toApp } }: Pick<Apps, 'model' | 'parts'>) => ({
  /** Resolves with the apps of these names that exist, ascending by `sourceAppId`. */
  async named(names: readonly string[]): Promise<App[]> {
    const filter = { sourceAppId: { $in: [...names] }, ...NOT_BEING_DELETED };
    return (await model.find(filter, { sort: { sourceAppId: 1 } })).map(toApp);
  },

  /** Resolves with at most `count` ids of apps after `after`, ascending. */
  async idsAfter(after: ObjectId | undefined, count: number): Promise<ObjectId[]> {
    const filter = { ...NOT_BEING_DELETED, ...(after && { _id: { $gt: after } }) };
    const found = await model.find(filter, { projection: { _id: 1 }, sort: { _id: 1 }, limit: count });
    return found.map(({ _id }) => _id);
  },

  /** Resolves with the `sourceAppId` of each app, by its id in hexadecimal. */
  async namesOf(ids: readonly ObjectId[]): Promise<Map<string, string>> {
    const found = await model.find({ _id: { $in: [...ids] } }, { projection: { sourceAppId: 1 } });
    return new Map(found.map(({ _id, sourceAppId }) => [_id.toHexString(), sourceAppId]));
  },
});
