import { type Route, routes } from '../../api/endpoint.ts';
import { presentSubmitted } from '../submissions.presenter.ts';
import { heldEndpoints } from './held.contract.ts';
import type { HeldService } from './held.service.ts';

/** The routes of `heldEndpoints` (spec 4.5). */
export const heldRoutes = (service: HeldService): Route[] =>
  routes(heldEndpoints, {
    listHeld: async ({ principal: { app }, query: { limit, cursor } }) => {
      const { held, next } = await service.list(app, limit, cursor);
      return {
        held: held.map(({ _id, email, data, reason, at }) => ({
          ...{ id: _id.toString(), email, data, reason, at: at.toISOString() },
        })),
        ...(next !== undefined && { next }),
      };
    },

    releaseHeld: async ({ principal: { app }, params }) => presentSubmitted(await service.release(app, params.id)),

    deleteHeld: async ({ principal: { app }, params }) => {
      await service.remove(app, params.id);
      return { ok: true as const };
    },
  });
