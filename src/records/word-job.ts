import type { Pace } from '../apps/activity.ts';
import type { AppRevision } from '../apps/revision.ts';
import type { Job, StepContext } from '../jobs/job-runner.ts';
import type { RecordReader } from './record-reader.ts';
import { CHECKS_MS, inBatches, nextCheck, WRITES_END_MS } from './slot-job.ts';
import type { SlotStore } from './slot-store.ts';
import type { WordRecords } from './word-records.ts';
import type { OpenWords, WordStore } from './word-store.ts';

const EVERY_MS = 1_000;

/** Later checks remove the words of values that were replaced. */
const LATER_CHECKS_MS = 7 * 24 * 60 * 60 * 1_000;

/**
 * Builds, checks and drops the indexes of words, with the waits and fences of index slots (decision
 * 21). `writesEndMs` and `checksMs`: shorter in tests only.
 */
export function createWordJob(deps: {
  store: WordStore;
  records: WordRecords;
  countForDisplay: RecordReader['countForDisplay'];
  catchUp: SlotStore['catchUp'];
  revision: AppRevision;
  pace: Pick<Pace, 'rest'>;
  writesEndMs?: number | undefined;
  checksMs?: readonly number[] | undefined;
}): Job {
  const { store, records, countForDisplay, catchUp, revision, pace } = deps;
  const { writesEndMs = WRITES_END_MS, checksMs = CHECKS_MS } = deps;

  /** Ensures that every server knows the states of these uses, and stores when it did. */
  async function announce(open: readonly OpenWords[]): Promise<void> {
    const unknown = open.filter(({ use }) => use.state !== 'ready' && !use.knownAt);
    if (unknown.length === 0) return;
    await revision.publish();
    for (const { appId, use } of unknown) await store.setKnown(appId, use);
  }

  /** Works on one app for a while. Resolves with whether more work waits. */
  async function workOn(app: OpenWords, context: StepContext): Promise<boolean> {
    const { use, now } = app;
    if (use.state === 'ready') return pass(app, context);
    const isSettled = use.knownAt !== undefined && now.getTime() - use.knownAt.getTime() >= writesEndMs;
    if (!isSettled) return false;
    await records.ensureIndex();
    return use.state === 'dropping' ? drop(app, context) : pass(app, context);
  }

  async function drop({ appId, use, slotEpoch }: OpenWords, context: StepContext): Promise<boolean> {
    let { done } = use;
    const result = await inBatches(context, pace, async (limit) => {
      const { found, dropped, ahead } = await records.drop(appId, limit, slotEpoch);
      if (found === 0) {
        await store.remove(appId, use);
        return 'end';
      }
      done += dropped;
      if (dropped === found) return undefined;
      if (ahead !== undefined) await catchUp(appId, ahead);
      return 'behind';
    });
    if (result === undefined || result === 'behind') {
      await store.advance(appId, use, { done, total: Math.max(use.total, done) });
    }
    return result !== 'end';
  }

  async function pass({ appId, use, slotEpoch, now }: OpenWords, context: StepContext): Promise<boolean> {
    const isBuild = use.state === 'building';
    let { done, total, position } = use;
    if (isBuild && position === undefined) total = await countForDisplay(appId);
    const result = await inBatches(context, pace, async (limit) => {
      const { read, last, isDisturbed, ahead } = await records.build(appId, use, position, limit, slotEpoch);
      if (!isDisturbed) {
        if (isBuild) done += read;
        position = last;
        return read < limit ? 'end' : undefined;
      }
      if (ahead === undefined) return undefined;
      await catchUp(appId, ahead);
      return 'behind';
    });
    if (result === 'stopped') return true;
    if (result === 'end') {
      const checks = isBuild ? 0 : (use.checks ?? 0) + 1;
      const later = new Date(now.getTime() + LATER_CHECKS_MS);
      await store.finish(appId, use, isBuild ? done : total, nextCheck(checksMs, now, checks) ?? later);
      if (isBuild) await revision.bump(); // so that servers know that it is complete
      return false;
    }
    const progress = isBuild && { done, total: Math.max(total, done) };
    await store.advance(appId, use, { ...progress, ...(position && { position }) });
    return true;
  }

  return {
    name: 'search-words',
    everyMs: EVERY_MS,
    hasWork: async () => (await store.open()).length > 0,
    async run(context) {
      await announce(await store.open());
      let hasMore = false;
      for (const app of await store.open()) {
        if (context.signal.aborted || !context.stillOwner()) return true;
        if (await workOn(app, context)) hasMore = true;
      }
      return hasMore;
    },
  };
}
