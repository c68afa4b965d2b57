import type { ObjectId } from 'mongodb';
import type { AppRevision } from '../../core/apps/revision.ts';
import { isOverTime } from '../../platform/database/failures.ts';
import { LATE_WRITE_ENDS_MS, SUSPENDED_WRITE_ENDS_MS, WRITE_ENDS_MS } from '../../platform/database/lateness.ts';
import type { StepContext } from '../../platform/jobs/job.ts';
import { STEP_MS, workInBatches } from '../../platform/jobs/pass-job.ts';
import type { Pace } from '../activity/activity.ts';

const CHECKS_MS: readonly number[] = [LATE_WRITE_ENDS_MS, SUSPENDED_WRITE_ENDS_MS];

const BATCH = 500;

/** What a job needs that works on all records of apps. The times are shorter in tests only. */
export interface PassDeps {
  countForDisplay(appId: ObjectId): Promise<number>;
  revision: AppRevision;
  pace: Pick<Pace, 'throttle'>;
  writesEndMs?: number | undefined;
  checksMs?: readonly number[] | undefined;
}

/**
 * Whether not every server may know a state. A later time than now is of a clock of MongoDB that
 * was set back since.
 */
export const isUnknown = ({ knownAt }: { knownAt?: Date | undefined }, now: Date): boolean =>
  knownAt === undefined || knownAt > now;

/** The waits, batches and checks of passes over all records of an app (decision 21). */
export function createRecordPasses({ revision, pace, writesEndMs = WRITE_ENDS_MS, checksMs = CHECKS_MS }: PassDeps) {
  return {
    /** Ensures that every server knows these states, and stores when it did. */
    async announce<State>(unknown: readonly State[], setKnown: (state: State) => Promise<void>): Promise<void> {
      if (unknown.length === 0) return;
      await revision.publish();
      for (const state of unknown) await setKnown(state);
    },

    /** Whether the writes of servers that did not know a state have ended. */
    isSettled: ({ knownAt }: { knownAt?: Date | undefined }, now: Date): boolean =>
      knownAt !== undefined && now.getTime() - knownAt.getTime() >= writesEndMs,

    /** When the next check follows, after `done` checks; undefined: never. */
    nextCheck(now: Date, done: number): Date | undefined {
      const afterMs = checksMs[done];
      return afterMs === undefined ? undefined : new Date(now.getTime() + afterMs);
    },

    /**
     * Repeats `work` until it has a result, for at most {@link STEP_MS}. After a statement over
     * its time limit, batches are smaller. Undefined: the time is over; `stopped`: end the step at
     * once.
     */
    async inBatches<Result>(
      context: StepContext,
      work: (limit: number) => Promise<Result | undefined>,
    ): Promise<Result | undefined | 'stopped'> {
      let limit = BATCH;
      let result: Result | undefined;
      const batch = async (): Promise<boolean> => {
        try {
          result = await work(limit);
        } catch (error) {
          if (!isOverTime(error) || limit === 1) throw error;
          limit = Math.ceil(limit / 8);
        }
        return result === undefined;
      };
      await workInBatches(context, STEP_MS, batch, pace.throttle);
      return result ?? (context.signal.aborted || !context.stillOwner() ? 'stopped' : undefined);
    },
  };
}

/** Works on each of these in turn; resolves with whether more work waits. */
export async function workOnEach<Item>(
  items: readonly Item[],
  { signal, stillOwner }: StepContext,
  work: (item: Item) => Promise<boolean>,
): Promise<boolean> {
  let hasMore = false;
  for (const item of items) {
    if (signal.aborted || !stillOwner()) return true;
    if (await work(item)) hasMore = true;
  }
  return hasMore;
}
