import { ObjectId } from 'mongodb';
import type { AppDocument } from '../../core/apps/app.ts';
import { type AppModel, NOT_BEING_DELETED } from '../../core/apps/apps.model.ts';
import type { AppRevision } from '../../core/apps/revision.ts';
import { limitAttempts } from '../../platform/core/attempts.ts';
import { AppNotFound } from '../../platform/core/errors.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { type PassDeps, workOnEach } from '../record-reads/record-passes.ts';
import { createIndexBuilds } from './index-builds.ts';
import { type IndexUse, ofEpoch } from './index-slots.ts';
import { createIndexUses } from './index-uses.ts';
import type { SlotStore } from './slots.ts';
import type { WordRecords } from './word-records.ts';

export type WordStore = ReturnType<typeof createWordStore>;

/** The uses of the index of words in `apps`. No method changes a use that was replaced. */
export function createWordStore(apps: AppModel, revision: Pick<AppRevision, 'publish'>) {
  const find = (_id: ObjectId) =>
    apps.findOne({ _id, ...NOT_BEING_DELETED }, { projection: { words: 1, slotEpoch: 1 } });

  return {
    ...createIndexUses<IndexUse>(apps, 'words'),

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
    async enable(appId: ObjectId, isEnabled: boolean, until: Until): Promise<boolean> {
      for (const again = limitAttempts(); ; again()) {
        const app = await find(appId);
        if (!app) throw new AppNotFound();
        const { words, slotEpoch = 0 } = app;
        const wasEnabled = words !== undefined && words.state !== 'dropping';
        if (wasEnabled === isEnabled) return wasEnabled;
        const since = slotEpoch + 1;
        const next: IndexUse | undefined = isEnabled
          ? { id: new ObjectId(), state: 'building', since, done: 0, total: 0 }
          : words && { id: words.id, state: 'dropping', since, done: 0, total: words.total };
        if (!next) return wasEnabled;
        const isUnchanged = { ...ofEpoch(slotEpoch), 'words.id': words?.id ?? { $exists: false } };
        const inTime = beginsBefore(await until());
        const { matchedCount } = await apps.updateOne(
          typedFilter<AppDocument>({ _id: appId, ...NOT_BEING_DELETED, ...isUnchanged, ...inTime }),
          { $set: { words: next, slotEpoch: since } },
        );
        if (matchedCount === 0) continue;
        await revision.publish();
        return wasEnabled;
      }
    },
  };
}

const EVERY_MS = 1_000;

/** Later checks remove the words of values that were replaced. */
const LATER_CHECKS_MS = 7 * 24 * 60 * 60 * 1_000;

/** Builds, checks and drops the indexes of words, with the waits and fences of index slots. */
export function createWordJob(
  deps: PassDeps & { store: WordStore; records: WordRecords; catchUp: SlotStore['catchUp'] },
): Job {
  const { store, catchUp } = deps;
  const builds = createIndexBuilds<IndexUse>({
    ...deps,
    laterChecksMs: LATER_CHECKS_MS,
    async noteAhead(appId, { slotEpoch }) {
      if (slotEpoch !== undefined) await catchUp(appId, slotEpoch);
    },
  });
  return {
    name: 'search-words',
    everyMs: EVERY_MS,
    hasWork: (hasAny) => hasAny([store.anyOpen()]),
    async run(context) {
      await builds.announce(await store.open());
      return workOnEach(await store.open(), context, (app) => {
        const { slotEpoch } = app;
        return builds.workOn(app, { slotEpoch }, context);
      });
    },
  };
}
