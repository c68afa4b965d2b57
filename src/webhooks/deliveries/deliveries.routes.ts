import { type Route, routes } from '../../api/endpoint.ts';
import type { AppScope } from '../../apps/app-scope.ts';
import type { DeliveryDocument } from '../webhooks.model.ts';
import { deliveryEndpoints } from './deliveries.contract.ts';
import type { DeliveryService } from './deliveries.service.ts';

/** The routes of `deliveryEndpoints` (spec 4.11). */
export const deliveryRoutes = (deliveries: DeliveryService, scope: AppScope): Route[] =>
  routes(deliveryEndpoints, {
    listDeliveries: async ({ principal, query: { sourceAppId, limit, cursor, state }, params }) => {
      const app = await scope(principal, sourceAppId);
      const found = await deliveries.page(app, params.id, { limit: limit + 1, before: cursor, state });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return { deliveries: page.map(present), ...(last && { next: last._id }) };
    },

    getDelivery: async ({ principal, query, params }) => {
      const app = await scope(principal, query.sourceAppId);
      const { delivery, request } = await deliveries.get(app, params.id);
      return {
        ...present(delivery),
        ...(request && { request: { ...request, body: JSON.parse(request.body) } }),
      };
    },

    replayDelivery: async ({ principal, query, params }) => {
      await deliveries.replay(await scope(principal, query.sourceAppId), params.id);
      return { ok: true as const };
    },

    replayWebhook: async ({ principal, query, params, body }) => {
      const app = await scope(principal, query.sourceAppId);
      return { replayed: await deliveries.replaySince(app, params.id, new Date(body.since)) };
    },
  });

function present({ _id, type, recordId, revision, changed, at, state, nextAt, log }: DeliveryDocument) {
  const [eventId = ''] = _id.split(':');
  return {
    ...{ id: _id, eventId, type, recordId: recordId.toString(), revision, ...(changed && { changed }) },
    ...{ at: at.toISOString(), state, ...(nextAt && { nextAt: nextAt.toISOString() }) },
    attempts: log.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() })),
  };
}
