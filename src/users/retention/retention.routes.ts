import { type Route, routes } from '../../api/endpoint.ts';
import type { AppScope } from '../../apps/app-scope.ts';
import { retentionEndpoints } from './retention.contract.ts';
import type { RetentionStore } from './retention-store.ts';

/** The endpoints of the retention of records (spec 4.6). */
export const retentionRoutes = (retention: RetentionStore, scope: AppScope): Route[] =>
  routes(retentionEndpoints, {
    getRetention: async ({ principal, params }) => {
      const { id } = await scope(principal, params.sourceAppId);
      return retention.get(id);
    },

    replaceRetention: async ({ principal, params, body }) => {
      const { id } = await scope(principal, params.sourceAppId);
      await retention.replace(id, body);
      return body;
    },
  });
