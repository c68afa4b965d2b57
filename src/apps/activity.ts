import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createAccumulator } from '../core/accumulator.ts';
import { MAX_CLOCK_DIFFERENCE_MS } from '../database/clock.ts';
import type { App } from './app.ts';
import type { AppCollection } from './apps.model.ts';

const WRITE_EVERY_MS = 1_000;

export type AppActivity = ReturnType<typeof createAppActivity>;

/**
 * Records the time of each app's latest submission in its app document (`lastSubmissionAt`).
 *
 * Costs one small write per active app and second, independent of the number of submissions. An
 * index on the records' `updatedAt` would cost an index write per submission instead. A crash loses
 * times that are not written yet, so the value is for display only and no invariant depends on it.
 */
export function createAppActivity(apps: AppCollection) {
  let newest = new Date(0);
  const times = createAccumulator<{ app: Pick<App, 'id'>; at: Date }>({
    everyMs: WRITE_EVERY_MS,
    merge: (one, other) => (one.at < other.at ? other : one),
    write: (values) => {
      // By _id and without upsert, so that a deleted app is not created again.
      const updates = values.map(([, { app, at }]) => ({
        updateOne: { filter: { _id: app.id }, update: { $max: { lastSubmissionAt: at } } },
      }));
      return apps.bulkWrite(updates, { ordered: false, writeConcern: { w: 1 } });
    },
  });

  return {
    /** Records a submission to `app` at `at`; it is written within about one second. */
    note(app: Pick<App, 'id' | 'sourceAppId'>, at: Date): void {
      newest = at;
      times.add(app.sourceAppId, { app, at });
    },
    /** Resolves when everything recorded before the call is in the database. */
    flush: times.flush,
    /** The time of the latest submission to this server. */
    latest: (): Date => newest,
  };
}

/** For how long an answer is used. */
const KEEP_MS = 1_000;
/** Servers write the time of an app's last submission about once a second. */
const RECENT_MS = 3_000;
/** Beyond this the database is busy. */
const LIMIT_MS = 100;

/** How background work leaves the database to submissions. */
export interface Pace {
  /** Resolves with whether submissions arrive, for any app and on any server. */
  isBusy(): Promise<boolean>;
  /**
   * Waits for as long as a batch took if submissions arrive, and for a turn of the event loop
   * otherwise.
   *
   * @param begun when the batch began, by `performance.now()`
   * @param signal ends the wait
   */
  rest(begun: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Creates the pace of background work. For other servers it reads the times that servers note for
 * the dashboard, so it costs submissions nothing.
 */
export function createPace(apps: AppCollection, activity: Pick<AppActivity, 'latest'>): Pace {
  let last = { at: Number.NEGATIVE_INFINITY, busy: false };

  async function read(): Promise<boolean> {
    const now = Date.now();
    // Not a time that a server with a wrong clock noted.
    const lastSubmissionAt = { $gte: new Date(now - RECENT_MS), $lte: new Date(now + MAX_CLOCK_DIFFERENCE_MS) };
    try {
      const options = { projection: { _id: 1 }, maxTimeMS: LIMIT_MS };
      return (await apps.findOne({ lastSubmissionAt }, options)) !== null;
    } catch {
      return true;
    }
  }

  async function isBusy(): Promise<boolean> {
    if (Date.now() - activity.latest().getTime() < RECENT_MS) return true;
    const at = performance.now();
    if (at - last.at < KEEP_MS) return last.busy;
    last = { at, busy: await read() };
    return last.busy;
  }

  return {
    isBusy,

    async rest(begun, signal) {
      const took = performance.now() - begun;
      if (await isBusy()) await sleep(took, undefined, { signal }).catch(() => undefined);
      else await nextTurn();
    },
  };
}
