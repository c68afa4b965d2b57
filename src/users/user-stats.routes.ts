import { type Route, routes } from '../http/endpoint.ts';
import { JsonStream } from '../http/reply.ts';
import { userStatsEndpoints } from './user-stats.contract.ts';
import type { AppStats, UserStatsService } from './user-stats.service.ts';

export const userStatsRoutes = (stats: UserStatsService): Route[] =>
  routes(userStatsEndpoints, {
    getStats: async ({ app, query }) => {
      const { users, lastSubmissionAt, days } = await stats.ofApp(app, query.days);
      return { users, lastSubmissionAt: lastSubmissionAt?.toISOString() ?? null, days };
    },

    getStatsOfAllApps: () => new JsonStream('apps', presentAll(stats.ofAllApps())),
  });

async function* presentAll(apps: AsyncIterable<AppStats>) {
  for await (const { lastSubmissionAt = null, ...app } of apps) yield { ...app, lastSubmissionAt };
}
