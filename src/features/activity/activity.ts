import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../core/apps/app.ts';
import type { AppPart } from '../../core/apps/app-part.ts';
import type { AppModel } from '../../core/apps/apps.model.ts';
import { createAccumulator } from '../../platform/core/accumulator.ts';
import { MAX_CLOCK_DIFFERENCE_MS } from '../../platform/database/clock.ts';
import type { MembersOf } from '../../platform/database/mongoose.ts';

const members = {
  /** May lag by a second, and a crash loses updates. */
  lastSubmissionAt: Date,
};

declare module '../../core/apps/app.ts' {
  interface AppDocument extends MembersOf<typeof members> {}
  interface App {
    /** Approximate. */
    lastSubmissionAt?: Date | undefined;
  }
}

/** The time of the latest submission of an app. */
export const activityPart: AppPart = {
  members,
  read: ({ lastSubmissionAt }) => ({ lastSubmissionAt }),
};

const WRITE_EVERY_MS = 1_000;

export type AppActivity = ReturnType<typeof createAppActivity>;

/**
 * Records the time of each app's latest submission (`lastSubmissionAt`), with one write per active
 * app and second. An index on `updatedAt` would cost a write per submission. A crash loses times,
 * so the value is for display only.
 */
export function createAppActivity(apps: AppModel) {
  let newest = Number.NEGATIVE_INFINITY;
  const times = createAccumulator<{ app: Pick<App, 'id'>; at: Date }>({
    everyMs: WRITE_EVERY_MS,
    merge: (one, other) => (one.at < other.at ? other : one),
    write: (values) => {
      // Without upsert, so that a deleted app is not created again.
      const updates = values.map(([, { app, at }]) => ({
        updateOne: { filter: { _id: app.id }, update: { $max: { lastSubmissionAt: at } } },
      }));
      // By the collection: a bulk write.
      return apps.collection.bulkWrite(updates, { ordered: false, writeConcern: { w: 1 } });
    },
  });

  return {
    /** Records a submission; it is written within about one second. */
    note(app: Pick<App, 'id' | 'sourceAppId'>, at: Date): void {
      newest = performance.now();
      times.add(app.sourceAppId, { app, at });
    },
    /** Resolves when everything recorded before the call is stored. */
    flush: times.flush,
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
