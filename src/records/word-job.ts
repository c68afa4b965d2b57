import type { IndexUse } from '../apps/index-slots.ts';
import type { Job } from '../jobs/job.ts';
import { createIndexBuilds } from './index-builds.ts';
import { type PassDeps, workOnEach } from './record-passes.ts';
import type { SlotStore } from './slot-store.ts';
import type { WordRecords } from './word-records.ts';
import type { WordStore } from './word-store.ts';

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
    hasWork: async () => (await store.open()).length > 0,
    async run(context) {
      await builds.announce(await store.open());
      return workOnEach(await store.open(), context, (app) => {
        const { slotEpoch } = app;
        return builds.workOn(app, { slotEpoch }, context);
      });
    },
  };
}
