import { type Route, routes } from '../../api/endpoint.ts';
import { requireOperator } from '../../apps/app-scope.ts';
import { retentionEndpoints } from './retention.contract.ts';
import type { RetentionStore } from './retention-store.ts';

/** The endpoints of the retention of records (spec 4.6). */
export const retentionRoutes = (retention: RetentionStore): Route[] =>
  routes(retentionEndpoints, {
    getRetention: async ({ principal, params }) => {
      requireOperator(principal, params.sourceAppId);
      return retention.get(params.sourceAppId);
    },

    replaceRetention: async ({ principal, params, body }) => {
      requireOperator(principal, params.sourceAppId);
      await retention.replace(params.sourceAppId, body);
      return body;
    },
  });
