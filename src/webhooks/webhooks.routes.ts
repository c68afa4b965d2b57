import { type Route, routes } from '../api/endpoint.ts';
import type { AppScope } from '../apps/app-scope.ts';
import { webhookEndpoints } from './webhooks.contract.ts';
import type { WebhookDocument } from './webhooks.model.ts';
import type { WebhookService } from './webhooks.service.ts';

/** The routes of `webhookEndpoints` (spec 4.11). */
export const webhookRoutes = (webhooks: WebhookService, scope: AppScope): Route[] =>
  routes(webhookEndpoints, {
    listWebhooks: async ({ principal, query }) => {
      const list = await webhooks.list(await scope(principal, query.sourceAppId));
      return { webhooks: list.map(present) };
    },

    createWebhook: async ({ principal, query, body, audit }) => {
      const { webhook, secret } = await webhooks.create(await scope(principal, query.sourceAppId), body);
      const presented = present(webhook);
      audit({ target: presented.id });
      return { ...presented, secret };
    },

    changeWebhook: async ({ principal, query, params, body }) =>
      present(await webhooks.change(await scope(principal, query.sourceAppId), params.id, body)),

    deleteWebhook: async ({ principal, query, params }) => {
      await webhooks.remove(await scope(principal, query.sourceAppId), params.id);
      return { ok: true as const };
    },

    testWebhook: async ({ principal, query, params }) => {
      const app = await scope(principal, query.sourceAppId);
      const { isSuccess, retryAfterMs: _, ...result } = await webhooks.test(app, params.id);
      return { ok: isSuccess, ...result };
    },

    rotateWebhookSecret: async ({ principal, query, params }) => ({
      secret: await webhooks.rotateSecret(await scope(principal, query.sourceAppId), params.id),
    }),
  });

function present({ _id, sourceAppId, url, events, disabled, failingSince, createdAt }: WebhookDocument) {
  return {
    ...{ id: _id.toString(), sourceAppId, url, events },
    state: disabled ? ('disabled' as const) : ('active' as const),
    ...(disabled && { disabledReason: disabled.reason, disabledAt: disabled.at.toISOString() }),
    ...(failingSince && { failingSince: failingSince.toISOString() }),
    createdAt: createdAt.toISOString(),
  };
}
