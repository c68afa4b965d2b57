import { type Route, routes } from '../../api/endpoint.ts';
import type { AppScope } from '../../apps/app-scope.ts';
import type { UserService } from '../users.service.ts';
import { breakdownEndpoints } from './breakdown.contract.ts';

/** The route of `breakdownEndpoints` (spec 4.3). */
export const breakdownRoutes = (users: Pick<UserService, 'breakdown'>, scope: AppScope): Route[] =>
  routes(breakdownEndpoints, {
    breakDownUsers: async ({ principal, query: { sourceAppId, field, ...request } }) =>
      users.breakdown(await scope(principal, sourceAppId), field, request),
  });
