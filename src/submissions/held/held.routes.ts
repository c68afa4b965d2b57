import { type Route, routes } from '../../api/endpoint.ts';
import type { AppScope } from '../../apps/app-scope.ts';
import { presentSubmitted } from '../submissions.presenter.ts';
import { heldEndpoints } from './held.contract.ts';
import type { HeldService } from './held.service.ts';

/** The routes of `heldEndpoints` (spec 4.5). */
export const heldRoutes = (service: HeldService, scope: AppScope): Route[] =>
  routes(heldEndpoints, {
    listHeld: async ({ principal, query: { limit, cursor, counts, sourceAppId } }) => {
      const app = await scope(principal, sourceAppId);
      const { held, next } = await service.list(app, limit, cursor);
      return {
        ...(counts && { counts: await service.counts(app) }),
        held: held.map(({ _id, email, data, reason, at }) => ({
          ...{ id: _id.toString(), email, data, reason, at: at.toISOString() },
        })),
        ...(next !== undefined && { next }),
      };
    },

    releaseHeld: async ({ principal, params, query }) =>
      presentSubmitted(await service.release(await scope(principal, query.sourceAppId), params.id)),

    deleteHeld: async ({ principal, params, query }) => {
      await service.remove(await scope(principal, query.sourceAppId), params.id);
      return { ok: true as const };
    },
  });
