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

    getStatsOfAllApps: () => JsonStream.of('apps', stats.ofAllApps(), present),
  });

function present({ sourceAppId, users, lastSubmissionAt }: AppStats) {
  return { sourceAppId, users, lastSubmissionAt: lastSubmissionAt ?? null };
}
