import { type Route, routes } from '../../api/endpoint.ts';
import { requireOperator } from '../../apps/app-scope.ts';
import { indexSlotEndpoints } from './index-slots.contract.ts';
import type { IndexSlotService } from './index-slots.service.ts';

/** The endpoint of indexed fields (spec 4.3). */
export const indexSlotRoutes = (indexSlots: IndexSlotService): Route[] =>
  routes(indexSlotEndpoints, {
    listIndexes: async ({ principal, params }) => {
      requireOperator(principal, params.sourceAppId);
      return indexSlots.list(params.sourceAppId);
    },
  });
