import { ObjectId, type UpdateFilter } from 'mongodb';
import { type AppCollection, type AppDocument, NOT_BEING_DELETED } from '../apps/apps.model.ts';
import { type IndexUse, ofEpoch } from '../apps/index-slots.ts';
import type { AppRevision } from '../apps/revision.ts';
import { AppNotFound, Unavailable } from '../core/errors.ts';
import { changing, matching } from '../database/filters.ts';

const MAX_OPEN = 200;
const MAX_ATTEMPTS = 24;

const OPEN = { $in: ['building', 'dropping'] };

/** The clocks of servers and of MongoDB may differ so much; then a check is late. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/** An app with an index of words to build, to drop or to check. */
export interface OpenWords {
  appId: ObjectId;
  use: IndexUse;
  slotEpoch: number;
  now: Date;
}

export type WordStore = ReturnType<typeof createWordStore>;

/** The uses of the index of words in `apps`. No method changes a use that was replaced. */
export function createWordStore(apps: AppCollection, revision: Pick<AppRevision, 'publish'>) {
  const find = (_id: ObjectId) =>
    apps.findOne({ _id, ...NOT_BEING_DELETED }, { projection: { words: 1, slotEpoch: 1 } });

  const change = (appId: ObjectId, { id, state }: IndexUse, update: UpdateFilter<AppDocument>) =>
    apps.updateOne({ _id: appId, ...NOT_BEING_DELETED, 'words.id': id, 'words.state': state }, update);

  return {
    /** Undefined: the search has no index. @throws {NotFound} */
    async of(appId: ObjectId): Promise<IndexUse | undefined> {
      const app = await find(appId);
      if (!app) throw new AppNotFound();
      return app.words;
    },

    /** Whether this use of the index is complete. */
    async isReady(appId: ObjectId, { id }: IndexUse): Promise<boolean> {
      const ready = { _id: appId, 'words.id': id, 'words.state': 'ready' as const };
      return (await apps.findOne(ready, { projection: { _id: 1 } })) !== null;
    },

    /**
     * Begins to build the index, or to drop it. The new epoch refuses writes of servers that do not
     * know of it (decision 21). @throws {NotFound}
     */
    async enable(appId: ObjectId, isEnabled: boolean): Promise<void> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const app = await find(appId);
        if (!app) throw new AppNotFound();
        const { words, slotEpoch = 0 } = app;
        if ((words !== undefined && words.state !== 'dropping') === isEnabled) return;
        const since = slotEpoch + 1;
        const next: IndexUse | undefined = isEnabled
          ? { id: new ObjectId(), state: 'building', since, done: 0, total: 0 }
          : words && { id: words.id, state: 'dropping', since, done: 0, total: words.total };
        if (!next) return;
        const isUnchanged = { ...ofEpoch(slotEpoch), 'words.id': words?.id ?? { $exists: false } };
        const { matchedCount } = await apps.updateOne(
          matching<AppDocument>({ _id: appId, ...NOT_BEING_DELETED, ...isUnchanged }),
          { $set: { words: next, slotEpoch: since } },
        );
        if (matchedCount === 0) continue;
        await revision.publish();
        return;
      }
      throw new Unavailable();
    },

    /** Apps with an index to build or to drop, or with records to check now. */
    async open(): Promise<OpenWords[]> {
      const soon = new Date(Date.now() + CLOCKS_DIFFER_MS);
      const pipeline = [
        { $match: { $or: [{ 'words.state': OPEN }, { 'words.checkAt': { $lte: soon } }], ...NOT_BEING_DELETED } },
        { $match: { $or: [{ 'words.state': OPEN }, { $expr: { $lte: ['$words.checkAt', '$$NOW'] } }] } },
        { $limit: MAX_OPEN },
        {
          $project: { _id: 0, appId: '$_id', use: '$words', slotEpoch: { $ifNull: ['$slotEpoch', 0] }, now: '$$NOW' },
        },
      ];
      return apps.aggregate<OpenWords>(pipeline).toArray();
    },

    /** Stores that every server knows the state of a use. */
    async setKnown(appId: ObjectId, use: IndexUse): Promise<void> {
      await change(appId, use, { $currentDate: { 'words.knownAt': true } });
    },

    /** Stores the progress of a use. */
    async advance(
      appId: ObjectId,
      use: IndexUse,
      progress: Partial<Pick<IndexUse, 'done' | 'total' | 'position'>>,
    ): Promise<void> {
      const set = Object.fromEntries(Object.entries(progress).map(([name, value]) => [`words.${name}`, value]));
      await change(appId, use, { $set: set });
    },

    /** Ends the build or a check of a use. `checkAt`: the time of the next check. */
    async finish(appId: ObjectId, use: IndexUse, total: number, checkAt: Date): Promise<void> {
      const checks = use.state === 'ready' ? (use.checks ?? 0) + 1 : 0;
      await change(
        appId,
        use,
        changing<AppDocument>({
          $set: {
            ...{ 'words.state': 'ready', 'words.done': total, 'words.total': total },
            ...{ 'words.checkAt': checkAt, 'words.checks': checks },
          },
          $unset: { 'words.knownAt': 1, 'words.position': 1 },
        }),
      );
    },

    async remove(appId: ObjectId, use: IndexUse): Promise<void> {
      await change(appId, use, { $unset: { words: 1 } });
    },
  };
}
