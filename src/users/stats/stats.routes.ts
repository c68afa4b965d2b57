import { type Route, routes } from '../../api/endpoint.ts';
import { JsonStream } from '../../api/reply.ts';
import { userStatsEndpoints } from './stats.contract.ts';
import type { AppStats, UserStatsService } from './stats.service.ts';

/** The routes of `userStatsEndpoints`. */
export const userStatsRoutes = (stats: UserStatsService): Route[] =>
  routes(userStatsEndpoints, {
    getStats: async ({ principal: { app }, query }) => {
      const { users, lastSubmissionAt, days } = await stats.ofApp(app, query.days);
      return { users, lastSubmissionAt: lastSubmissionAt?.toISOString() ?? null, days };
    },

    getStatsOfAllApps: () => JsonStream.of('apps', stats.ofAllApps(), present),
  });

function present({ sourceAppId, users, lastSubmissionAt }: AppStats) {
  return { sourceAppId, users, lastSubmissionAt: lastSubmissionAt ?? null };
}
