import pLimit from 'p-limit';
import type { AppActivity } from '../../apps/app-activity.ts';
import type { App, AppService } from '../../apps/apps.service.ts';
import { NotFound } from '../../core/errors.ts';
import type { UserCounts } from './user-counts.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A year is 365 counts; the connection pool is for submissions too. */
const COUNTS_AT_ONCE = 4;

/** How many records an app has, and when they came. */
export interface UserStats {
  users: number;
  lastSubmissionAt: Date | undefined;
  /** Records created on each day (UTC, as `YYYY-MM-DD`), oldest day first. */
  days: { date: string; created: number }[];
}

export interface AppStats {
  sourceAppId: string;
  users: number;
  lastSubmissionAt: Date | undefined;
}

export type UserStatsService = ReturnType<typeof createUserStatsService>;

/** Numbers for the dashboard. All counts come from index keys (user-counts.ts), last submissions from the apps' own documents (app-activity.ts). */
export function createUserStatsService(deps: { apps: AppService; activity: AppActivity; counts: UserCounts }) {
  const { apps, activity, counts } = deps;

  return {
    /**
     * Of one app.
     * @param days how many days, today included
     * @throws {NotFound} when the app is gone
     */
    async ofApp({ sourceAppId, id }: App, days: number, now = new Date()): Promise<UserStats> {
      await activity.flush();
      const app = await apps.get(sourceAppId);
      if (!app.id.equals(id)) throw new NotFound('App not found');
      const limit = pLimit(COUNTS_AT_ONCE);
      const today = Math.floor(now.getTime() / DAY_MS);
      const perDay = Array.from({ length: days }, (_, index) => {
        const [from, to] = [index, index + 1].map((day) => new Date((today - days + 1 + day) * DAY_MS)) as [Date, Date];
        return limit(async () => ({
          date: from.toISOString().slice(0, 10),
          created: await counts.created(id, from, to),
        }));
      });
      const [users, ...created] = await Promise.all([counts.ofApp(id), ...perDay]);
      return { users, lastSubmissionAt: app.lastSubmissionAt, days: created };
    },

    /** Of every app, by `sourceAppId`. */
    async *ofAllApps(): AsyncGenerator<AppStats> {
      const [users] = await Promise.all([counts.ofAllApps(), activity.flush()]);
      for await (const { id, sourceAppId, lastSubmissionAt } of apps.list()) {
        yield { sourceAppId, users: users.get(id.toHexString()) ?? 0, lastSubmissionAt };
      }
    },
  };
}
