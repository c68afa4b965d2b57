import { type Route, routes } from '../api/endpoint.ts';
import type { AppScope } from '../apps/app-scope.ts';
import { apiKeyEndpoints } from './api-keys.contract.ts';
import type { ApiKeyDocument } from './api-keys.model.ts';
import type { ApiKeyService } from './api-keys.service.ts';

/** The endpoints of API keys (spec 4.8). */
export const apiKeyRoutes = (keys: ApiKeyService, scope: AppScope): Route[] =>
  routes(apiKeyEndpoints, {
    listKeys: async ({ principal, query }) => {
      const { id } = await scope(principal, query.sourceAppId);
      return { keys: (await keys.list(id)).map(present) };
    },

    createKey: async ({ principal, query, body, audit }) => {
      const { id: appId } = await scope(principal, query.sourceAppId);
      const { expiresAt, cidrs, ...settings } = body;
      const input = { ...settings, expiresAt: expiresAt ?? undefined, cidrs: cidrs ?? undefined };
      const created = await keys.create(appId, input, principal);
      audit({ target: created.id, detail: { scopes: body.scopes.join(' ') } });
      return created;
    },

    deleteKey: async ({ principal, params, query }) => {
      const { id } = await scope(principal, query.sourceAppId);
      await keys.remove(id, params.id);
      return { ok: true as const };
    },
  });

function present({ _id, name, scopes, createdAt, expiresAt, cidrs, lastUsedAt, lastUsedFrom }: ApiKeyDocument) {
  return {
    ...{ id: _id.toHexString(), name, scopes, createdAt: createdAt.toISOString(), cidrs: cidrs ?? [] },
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    lastUsedFrom: lastUsedFrom ?? null,
  };
}
