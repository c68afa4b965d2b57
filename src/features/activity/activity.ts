import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Document } from 'mongodb';
import type { App } from '../../core/apps/app.ts';
import type { AppPart } from '../../core/apps/app-part.ts';
import type { AppModel } from '../../core/apps/apps.model.ts';
import { createAccumulator } from '../../platform/core/accumulator.ts';
import { MAX_CLOCK_DIFFERENCE_MS } from '../../platform/database/clock.ts';
import { type MembersOf, schema } from '../../platform/database/mongoose.ts';

const daySchema = schema({
  /** In UTC, as `2026-01-31`. */
  day: { type: String, required: true },
  count: { type: Number, required: true },
});

const members = {
  /** May lag by a second, and a crash loses updates. */
  lastSubmissionAt: Date,
  /** The accepted submissions of the last days that had one. As exact as `lastSubmissionAt`. */
  submissionDays: { type: [daySchema] },
};

declare module '../../core/apps/app.ts' {
  interface AppDocument extends MembersOf<typeof members> {}
  interface App {
    /** Approximate. */
    lastSubmissionAt?: Date | undefined;
    submissionDays?: readonly { day: string; count: number }[] | undefined;
  }
}

/** The time of the latest submission of an app, and how many it got on each day. */
export const activityPart: AppPart = {
  members,
  read: ({ lastSubmissionAt, submissionDays }) => ({ lastSubmissionAt, submissionDays }),
};

const WRITE_EVERY_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** The most days with submissions that an app keeps. */
export const KEPT_DAYS = 90;

interface Submissions {
  app: Pick<App, 'id'>;
  at: Date;
  count: number;
}

/** One statement, so that the counts of two servers add up. */
function countingUpdate({ at, count }: Submissions): Document[] {
  const day = at.toISOString().slice(0, 10);
  const days = { $ifNull: ['$submissionDays', []] };
  const others = { $filter: { input: days, cond: { $ne: ['$$this.day', day] } } };
  const known = { $filter: { input: days, cond: { $eq: ['$$this.day', day] } } };
  const counted = { $add: [count, { $sum: { $map: { input: known, in: '$$this.count' } } }] };
  const submissionDays = { $slice: [{ $concatArrays: [others, [{ day, count: counted }]] }, -KEPT_DAYS] };
  return [{ $set: { lastSubmissionAt: { $max: ['$lastSubmissionAt', at] }, submissionDays } }];
}

export type AppActivity = ReturnType<typeof createAppActivity>;

/**
 * Records the time of each app's latest submission, and how many came on each day, with one write
 * per active app and second. An index on `updatedAt` would cost a write per submission. A crash
 * loses what is not written, so the values are for display only.
 */
export function createAppActivity(apps: AppModel) {
  let newest = Number.NEGATIVE_INFINITY;
  const submissions = createAccumulator<Submissions>({
    everyMs: WRITE_EVERY_MS,
    merge: (one, other) => ({
      app: one.app,
      at: one.at < other.at ? other.at : one.at,
      count: one.count + other.count,
    }),
    write: (values) => {
      // Without upsert, so that a deleted app is not created again.
      const updates = values.map(([, value]) => ({
        updateOne: { filter: { _id: value.app.id }, update: countingUpdate(value) },
      }));
      // By the collection: a bulk write.
      return apps.collection.bulkWrite(updates, { ordered: false, writeConcern: { w: 1 } });
    },
  });

  return {
    /** Records a submission; it is written within about one second. */
    note(app: Pick<App, 'id' | 'sourceAppId'>, at: Date): void {
      newest = performance.now();
      submissions.add(`${Math.floor(at.getTime() / DAY_MS)} ${app.sourceAppId}`, { app, at, count: 1 });
    },
    /** Resolves when everything recorded before the call is stored. */
    flush: submissions.flush,
    /** Returns when this server recorded the latest submission, by `performance.now()`. */
    latest: (): number => newest,
  };
}

const KEEP_MS = 1_000;
/** Servers write the time about once a second. */
const RECENT_MS = 3_000;
/** When a read takes longer, the database is busy. */
const LIMIT_MS = 100;

export type Pace = ReturnType<typeof createPace>;

/** Creates the pace of background work, from times that servers write for the dashboard anyway. */
export function createPace(apps: AppModel, activity: Pick<AppActivity, 'latest'>) {
  let last = { at: Number.NEGATIVE_INFINITY, busy: false };

  async function read(): Promise<boolean> {
    const now = Date.now();
    // Excludes times of a server with a wrong clock.
    const lastSubmissionAt = { $gte: new Date(now - RECENT_MS), $lte: new Date(now + MAX_CLOCK_DIFFERENCE_MS) };
    try {
      const options = { projection: { _id: 1 }, maxTimeMS: LIMIT_MS };
      return (await apps.findOne({ lastSubmissionAt }, options)) !== null;
    } catch {
      return true;
    }
  }

  /** Resolves with whether submissions arrive for any app, on any server. */
  async function isBusy(): Promise<boolean> {
    const at = performance.now();
    if (at - activity.latest() < RECENT_MS) return true;
    if (at - last.at < KEEP_MS) return last.busy;
    last = { at, busy: await read() };
    return last.busy;
  }

  return {
    isBusy,

    /**
     * Waits as long as the batch took if submissions arrive, else one turn of the event loop.
     * @param begun when the batch began, by `performance.now()` @param signal ends the wait
     */
    async throttle(begun: number, signal?: AbortSignal): Promise<void> {
      const took = performance.now() - begun;
      if (await isBusy()) await sleep(took, undefined, { signal }).catch(() => undefined);
      else await nextTurn();
    },
  };
}
