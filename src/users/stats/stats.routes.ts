import { type Route, routes } from '../../api/endpoint.ts';
import { JsonStream } from '../../api/reply.ts';
import type { AppScope } from '../../apps/app-scope.ts';
import { userStatsEndpoints } from './stats.contract.ts';
import type { AppStats, UserStatsService } from './stats.service.ts';

/** The routes of `userStatsEndpoints`. */
export const userStatsRoutes = (stats: UserStatsService, scope: AppScope): Route[] =>
  routes(userStatsEndpoints, {
    getStats: async ({ principal, query }) => {
      const app = await scope(principal, query.sourceAppId);
      const { users, lastSubmissionAt, days } = await stats.ofApp(app, query.days);
      return { users, lastSubmissionAt: lastSubmissionAt?.toISOString() ?? null, days };
    },

    getStatsOfAllApps: ({ query: { sourceAppId } }) =>
      JsonStream.of('apps', sourceAppId ? stats.ofApps(sourceAppId) : stats.ofAllApps(), present),
  });

function present({ sourceAppId, users, lastSubmissionAt }: AppStats) {
  return { sourceAppId, users, lastSubmissionAt: lastSubmissionAt ?? null };
}
