import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { MAX_CLOCK_DIFFERENCE_MS } from '../database/clock.ts';
import type { App } from './app.ts';
import type { AppCollection } from './apps.model.ts';

const FLUSH_AFTER_MS = 1_000;

interface Activity {
  app: Pick<App, 'id' | 'sourceAppId'>;
  at: Date;
}

export type AppActivity = ReturnType<typeof createAppActivity>;

/**
 * Records the time of each app's latest submission in its app document (`lastSubmissionAt`).
 *
 * Costs one small write per active app and second, independent of the number of submissions. An
 * index on the records' `updatedAt` would cost an index write per submission instead. A crash loses
 * times that are not written yet, so the value is for display only and no invariant depends on it.
 */
export function createAppActivity(apps: AppCollection) {
  let pending = new Map<string, Activity>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let newest = new Date(0);

  /** Records a submission to `app` at `at`; a flush writes it within about one second. */
  function note(app: Pick<App, 'id' | 'sourceAppId'>, at: Date): void {
    newest = at;
    const earlier = pending.get(app.sourceAppId);
    if (!earlier || earlier.at < at) pending.set(app.sourceAppId, { app, at });
    // A failed write notes its times again, which schedules the next attempt.
    timer ??= setTimeout(() => void flush().catch(() => undefined), FLUSH_AFTER_MS).unref();
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const batch = pending;
    if (batch.size === 0) return;
    pending = new Map();
    const updates = [...batch.values()].map(({ app, at }) => ({
      // By _id and without upsert, so that a deleted app is not created again.
      updateOne: { filter: { _id: app.id }, update: { $max: { lastSubmissionAt: at } } },
    }));
    try {
      await apps.bulkWrite(updates, { ordered: false, writeConcern: { w: 1 } });
    } catch (error) {
      for (const { app, at } of batch.values()) note(app, at);
      throw error;
    }
  }

  /**
   * Resolves when everything recorded before the call is in the database. Rejects with the driver's
   * error when the write fails; the times stay recorded for the next flush.
   */
  function flush(): Promise<void> {
    running = running.catch(() => undefined).then(write);
    return running;
  }

  return {
    note,
    flush,
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
