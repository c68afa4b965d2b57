import type { AppActivity } from './app-activity.ts';
import type { AppCollection } from './apps.model.ts';

/** For how long an answer is used. */
const KEEP_MS = 1_000;
/** Servers write the time of an app's last submission about once a second. */
const RECENT_MS = 3_000;
/** Beyond this the database is busy. */
const LIMIT_MS = 100;

/** Resolves with whether submissions arrive. Background work leaves the database to them. */
export type BusyCheck = () => Promise<boolean>;

/**
 * Returns a function that resolves with whether submissions arrive, for any app and on any server.
 * For other servers it reads the times that servers note for the dashboard (apps/app-activity.ts),
 * so it costs submissions nothing.
 */
export function createBusyCheck(apps: AppCollection, activity: Pick<AppActivity, 'latest'>): BusyCheck {
  let last = { at: Number.NEGATIVE_INFINITY, busy: false };
  return async () => {
    if (Date.now() - activity.latest().getTime() < RECENT_MS) return true;
    const at = performance.now();
    if (at - last.at < KEEP_MS) return last.busy;
    last = { at, busy: await read() };
    return last.busy;
  };

  async function read(): Promise<boolean> {
    const lastSubmissionAt = { $gte: new Date(Date.now() - RECENT_MS) };
    try {
      const options = { projection: { _id: 1 }, maxTimeMS: LIMIT_MS };
      return (await apps.findOne({ lastSubmissionAt }, options)) !== null;
    } catch {
      return true;
    }
  }
}
