import type { Apps } from '../apps/apps.ts';
import { type Feature, ownedBy } from '../apps/feature.ts';
import type { Connection } from '../database/client.ts';
import type { SharedLimits } from '../database/shared-limits.ts';
import { createApiKeyModel, createApiKeyStore } from './api-key-store.ts';
import { apiKeyRoutes } from './api-keys.endpoints.ts';
import { createApiKeyService } from './api-keys.service.ts';

/** Creates the API keys. @param deps.failures the refused keys in 15 minutes; 0: no limit */
export function createApiKeys(deps: {
  connection: Connection;
  apps: Pick<Apps, 'service' | 'scope'>;
  failures: number;
  limits: SharedLimits;
}) {
  const { connection, apps, failures, limits } = deps;
  const model = createApiKeyModel(connection);
  const store = createApiKeyStore(model.collection);
  const service = createApiKeyService({ store, apps: apps.service, failures, limits });
  return {
    service,
    feature: {
      models: [model],
      owned: [ownedBy(model.collection, 'createdAt')],
      routes: apiKeyRoutes(service, apps.scope),
    } satisfies Feature,
  };
}
