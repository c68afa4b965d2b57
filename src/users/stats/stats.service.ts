import type { App } from '../../apps/app.ts';
import type { AppActivity } from '../../apps/app-activity.ts';
import type { AppService } from '../../apps/apps.service.ts';
import { AppNotFound } from '../../core/errors.ts';
import type { ReadQueues } from '../read-queues.ts';
import type { UserCounts } from './user-counts.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The statistics of one app. */
export interface UserStats {
  users: number;
  lastSubmissionAt: Date | undefined;
  /** Records created on each day (UTC, as `YYYY-MM-DD`), oldest day first. */
  days: { date: string; created: number }[];
}

/** One entry of the statistics of all apps. */
export interface AppStats {
  sourceAppId: string;
  users: number;
  lastSubmissionAt: Date | undefined;
}

export type UserStatsService = ReturnType<typeof createUserStatsService>;

/**
 * Computes the statistics of the dashboard. Counts come from index keys (user-counts.ts), the times
 * of last submissions from the documents of the apps (app-activity.ts).
 */
export function createUserStatsService(deps: {
  apps: AppService;
  activity: AppActivity;
  counts: UserCounts;
  queues: ReadQueues;
}) {
  const { apps, activity, counts, queues } = deps;

  return {
    /**
     * Computes the statistics of one app.
     *
     * @param days the number of days, today included
     * @throws {NotFound} when the app was deleted
     */
    async ofApp(
      { sourceAppId, id }: Pick<App, 'id' | 'sourceAppId'>,
      days: number,
      now = new Date(),
    ): Promise<UserStats> {
      await activity.flush();
      const app = await apps.get(sourceAppId);
      if (!app.id.equals(id)) throw new AppNotFound();
      const today = Math.floor(now.getTime() / DAY_MS);
      const perDay = Array.from({ length: days }, (_, index) => {
        const [from, to] = [index, index + 1].map((day) => new Date((today - days + 1 + day) * DAY_MS)) as [Date, Date];
        return queues.scan(id, async () => ({
          date: from.toISOString().slice(0, 10),
          created: await counts.created(id, from, to),
        }));
      });
      const [users, ...created] = await Promise.all([queues.scan(id, () => counts.ofApp(id)), ...perDay]);
      return { users, lastSubmissionAt: app.lastSubmissionAt, days: created };
    },

    /** Yields the statistics of the named apps, sorted by `sourceAppId`. */
    async *ofApps(names: readonly string[]): AsyncGenerator<AppStats> {
      await activity.flush();
      const found = await apps.named(names);
      const users = await Promise.all(found.map(({ id }) => queues.scan(undefined, () => counts.ofApp(id))));
      for (const [at, { sourceAppId, lastSubmissionAt }] of found.entries()) {
        yield { sourceAppId, users: users[at] ?? 0, lastSubmissionAt };
      }
    },

    /** Yields the statistics of every app, sorted by `sourceAppId`. */
    async *ofAllApps(): AsyncGenerator<AppStats> {
      const [users] = await Promise.all([queues.scan(undefined, () => counts.ofAllApps()), activity.flush()]);
      for await (const { id, sourceAppId, lastSubmissionAt } of apps.list()) {
        yield { sourceAppId, users: users.get(id.toHexString()) ?? 0, lastSubmissionAt };
      }
    },
  };
}
