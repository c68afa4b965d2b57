import type { Job, StepContext } from '../jobs/job.ts';
import type { DueCheck, OpenRenames, RenameStore, SlotHandover } from '../schemas/pending-renames.ts';
import type { RecordMoves } from './record-moves.ts';
import { createRecordPasses, type PassDeps, workOnEach } from './record-passes.ts';

const EVERY_MS = 1_000;

/**
 * Moves the values of renamed fields (decision 22), in passes over the records of an app, until a
 * pass that began after the last write of an earlier version moves nothing.
 */
export function createRenameJob(deps: PassDeps & { store: RenameStore; moves: RecordMoves; slots: SlotHandover }): Job {
  const { store, moves, countForDisplay, slots, revision } = deps;
  const { announce, isSettled: hasSettled, nextCheck, inBatches } = createRecordPasses(deps);

  /** Works on one app for a while. Resolves with whether more work waits. */
  async function workOn(app: OpenRenames, context: StepContext): Promise<boolean> {
    const { appId, renames, now } = app;
    let { progress } = app;
    // A server that stored the version may have stopped before it did this.
    await slots.handOver(appId, renames.pairs);
    const isSettled = hasSettled(progress, now);
    if (progress.moved === undefined) {
      const isFirst = progress.isFinal === undefined;
      if (!isFirst && !isSettled) return false;
      const total = isFirst ? await countForDisplay(appId) : progress.total;
      progress = { ...progress, moved: 0, isFinal: isSettled, ...(isFirst && { done: 0, total }) };
    }
    const result = await inBatches(context, async (limit) => {
      const { visited, moved, last } = await moves.batch(appId, renames, progress.position, limit);
      const done = Math.min(progress.total, progress.done + visited);
      progress = { ...progress, moved: (progress.moved ?? 0) + moved, done, ...(last && { position: last }) };
      return visited < limit ? 'end' : undefined;
    });
    if (result === 'end') return endPass();
    if (result === undefined) await store.advance(app, progress);
    return true;

    async function endPass(): Promise<boolean> {
      if (progress.isFinal && progress.moved === 0) {
        await store.finish(app, nextCheck(now, 0));
        await revision.bump(); // so that submissions stop looking for unmoved records soon
        return false;
      }
      const { position: _, moved: __, ...ended } = progress;
      await store.advance(app, { ...ended, done: progress.total });
      return isSettled;
    }
  }

  /** Moves values under an old key that another server wrote after the end and did not move. */
  async function search(due: DueCheck, context: StepContext): Promise<boolean> {
    const { appId, version, check, now } = due;
    // A later rename may have renamed the field again.
    const renames = await store.since(appId, version - 1);
    let { position } = check;
    const result = await inBatches(context, async (limit) => {
      let batch: { visited: number; last: typeof position } = { visited: 0, last: undefined };
      for (const one of renames) batch = await moves.batch(appId, one, position, limit);
      position = batch.last ?? position;
      if (batch.visited === limit) return undefined;
      await store.endCheck(due, nextCheck(now, check.done + 1));
      return 'end';
    });
    if (result === undefined && position) await store.advanceCheck(due, position);
    return result !== 'end';
  }

  return {
    name: 'renames',
    everyMs: EVERY_MS,
    hasWork: async () => (await store.open()).length > 0 || (await store.dueChecks()).length > 0,
    async run(context) {
      const unknown = (await store.open()).filter(({ progress }) => !progress.knownAt);
      await announce(unknown, store.setKnown);
      const isMoving = await workOnEach(await store.open(), context, (app) => workOn(app, context));
      const isSearching = await workOnEach(await store.dueChecks(), context, (due) => search(due, context));
      return isMoving || isSearching;
    },
  };
}
